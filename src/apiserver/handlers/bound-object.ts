// The object to whose life a token is bound: it has to be there, and to be the one that is meant.

import type { ApiObject } from "../../api/object.ts";
import { badRequest, conflict, notFound } from "../../api/status-error.ts";
import type { BoundObjectReference, Pod, TokenRequestSpec } from "../../api/types.ts";
import { goQuote } from "../../api/validation/go-text.ts";
import { named, objectKey } from "../registry/resource.ts";
import type { BoundKind, BoundObject } from "../tokens/service-account-tokens.ts";
import type { RequestContext, ServerParts } from "./context.ts";

const kinds: Readonly<Record<string, BoundKind>> = { Pod: "pod", Secret: "secret", Node: "node" };

/** What the token is to end with; undefined if nothing was asked for. */
export async function boundObject(
  { parts, info }: RequestContext,
  { boundObjectRef: reference }: TokenRequestSpec,
): Promise<BoundObject | undefined> {
  if (reference === undefined || reference === null) return undefined;
  const { name = "" } = reference;
  const kind = kindOf(reference);
  const resource = parts.resource("", "v1", `${kind}s`);
  if (resource === undefined) throw notBindable(reference);
  const found = await parts.objects.get(resource, objectKey(resource.kind, info.namespace, name));
  if (found === undefined) throw notFound(named(resource), name);
  if (kind === "pod") refuseOtherAccount(found.object as ApiObject & Pod, info.name);
  const { uid = "" } = found.object.metadata;
  refuseOtherUid(reference, uid);
  const node = kind === "pod" ? await nodeOf(parts, found.object as ApiObject & Pod) : undefined;
  return { kind, name, uid, node };
}

/** Told in the token even if there is no such Node (any more): then without its uid. */
async function nodeOf(parts: ServerParts, { spec }: Pod): Promise<BoundObject["node"]> {
  const { nodeName: name = "" } = spec;
  const nodes = parts.resource("", "v1", "nodes");
  if (name === "" || nodes === undefined) return undefined;
  const found = await parts.objects.get(nodes, name);
  return { name, uid: found?.object.metadata.uid };
}

function kindOf(reference: BoundObjectReference): BoundKind {
  const { apiVersion = "", kind = "" } = reference;
  const found = Object.hasOwn(kinds, kind) ? kinds[kind] : undefined;
  if (found === undefined || apiVersion.includes("/")) throw notBindable(reference);
  return found;
}

function notBindable({ apiVersion = "", kind = "" }: BoundObjectReference): Error {
  const version = apiVersion.includes("/") ? apiVersion : `/${apiVersion}`;
  return badRequest(`cannot bind token to object of type ${version}, Kind=${kind}`);
}

function refuseOtherAccount({ spec }: Pod, account: string): void {
  if (spec.serviceAccountName === account) return;
  throw badRequest(
    `cannot bind token for serviceaccount ${goQuote(account)} to pod running with different serviceaccount name.`,
  );
}

function refuseOtherUid(
  { kind = "", name = "", uid = "" }: BoundObjectReference,
  is: string,
): void {
  if (uid === "" || uid === is) return;
  throw conflict(
    { group: "", kind, resource: kind },
    name,
    `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`,
  );
}
