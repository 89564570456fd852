// Objects that "kubectl apply" made: it kept what it last sent in an annotation, and owns fields by updates. Before ours is the first
// server-side apply, that ownership becomes ours; otherwise every changed field would be a conflict with the same person's former self,
// and fields that are gone from the file would stay.

import { union } from "../api/apply/field-set.ts";
import { setOf } from "../api/apply/managed-fields.ts";
import type { ApiObject } from "../api/object.ts";
import type { ManagedFieldsEntry } from "../api/types.ts";
import { compactJson } from "./json-printer.ts";

export const LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";
const CLIENT_SIDE = "kubectl-client-side-apply";

/** A JSON patch that hands the fields over to `manager`. Undefined: there is nothing to hand over. */
export function takeOverPatch(live: ApiObject, manager: string): readonly object[] | undefined {
  const entries = live.metadata.managedFields ?? [];
  const former = entries.filter(isClientSide);
  const [newest] = former;
  if (newest === undefined || live.metadata.annotations?.[LAST_APPLIED] === undefined)
    return undefined;
  const own = entries.find((entry) => isOwn(entry, manager));
  const base: ManagedFieldsEntry = own ?? { ...newest, manager, operation: "Apply" };
  // Fields of another version of the kind have other paths: those are let go, as kubectl does.
  const fields = former
    .filter(({ apiVersion }) => apiVersion === base.apiVersion)
    .reduce((set, entry) => union(set, setOf(entry)), setOf(base));
  const taken: ManagedFieldsEntry = { ...base, fieldsV1: fields };
  const rest = entries.filter((entry) => entry !== own && !isClientSide(entry));
  return [
    { op: "replace", path: "/metadata/managedFields", value: [taken, ...rest] },
    // Somebody else's write in between is a conflict.
    { op: "replace", path: "/metadata/resourceVersion", value: live.metadata.resourceVersion },
  ];
}

/** What to apply: while kubectl's annotation is there it is kept true, so that "kubectl apply" goes on to work. */
export function withLastApplied(object: ApiObject, live: ApiObject | undefined): ApiObject {
  if (live?.metadata.annotations?.[LAST_APPLIED] === undefined) return object;
  const { [LAST_APPLIED]: _, ...annotations } = object.metadata.annotations ?? {};
  const plain = { ...object, metadata: { ...object.metadata, annotations } };
  const kept = { ...annotations, [LAST_APPLIED]: `${compactJson(plain)}\n` };
  return { ...object, metadata: { ...object.metadata, annotations: kept } };
}

function isClientSide({ manager, operation, subresource = "" }: ManagedFieldsEntry): boolean {
  return manager === CLIENT_SIDE && operation === "Update" && subresource === "";
}

function isOwn(entry: ManagedFieldsEntry, name: string): boolean {
  const { manager, operation, subresource = "" } = entry;
  return manager === name && operation === "Apply" && subresource === "";
}
