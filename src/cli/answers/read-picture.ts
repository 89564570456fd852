// A picture from lists. Views are read before objects, so that the objects are never older than what is said of them: a view that knows a later
// content cannot be, one that knows an earlier content is found out.

import type { ConfigKind } from "../../api/config/pod-uses.ts";
import { podUses } from "../../api/config/pod-uses.ts";
import type { ApiObject } from "../../api/object.ts";
import { isNotFound, StatusError } from "../../api/status-error.ts";
import type { ConfigRevision, ConfigView, Node, Pod } from "../../api/types.ts";
import { objectVersion } from "../../base/object-content.ts";
import { ResourceClient } from "../../client/resource-client.ts";
import type { ResourceKind } from "../../client/resource-path.ts";
import type { CliContext } from "../cli-context.ts";
import { CliError } from "../cli-error.ts";
import { PODS } from "../pod-target.ts";
import {
  CONFIG_MAPS,
  CONFIG_REVISIONS,
  CONFIG_VIEWS,
  NODES,
  REPLICA_SETS,
  SECRETS,
  WORKLOADS,
} from "./answer-kinds.ts";
import { type ConfigReference, type Picture, referenceKey, type Workload } from "./picture.ts";

export interface PictureAsked {
  /** Undefined: all of them. */
  readonly namespace: string | undefined;
  /** Only this one matters. */
  readonly object?: ConfigReference | undefined;
}

/** So many objects are asked for by name; more are listed. */
const MAX_BY_NAME = 16;

export async function readPicture(context: CliContext, asked: PictureAsked): Promise<Picture> {
  const { namespace, object } = asked;
  const pods = await listed<Pod & ApiObject>(context, PODS, namespace);
  const views = await listed<ConfigView & ApiObject>(context, CONFIG_VIEWS, namespace, noViews);
  const [nodes, replicaSets, workloads] = await Promise.all([
    allowed(() => listed<Node & ApiObject>(context, NODES, undefined)),
    allowed(() => listed<ApiObject>(context, REPLICA_SETS, namespace)),
    readWorkloads(context, namespace),
  ]);
  const used = object === undefined ? usedIn(pods, views) : [object];
  const versions = await readVersions(context, namespace, used);
  const revisions = await readRevisions(context, asked);
  return {
    pods,
    views,
    nodes,
    replicaSets: replicaSets ?? [],
    workloads,
    versionNow: (of) => versions.get(referenceKey(of)) ?? versions.get(of.kind),
    revisionsOf: (of) => revisions.get(referenceKey(of)) ?? [],
    notes: nodes === undefined ? [NO_NODES] : [],
  };
}

const NO_NODES =
  "You may not read Nodes: a node that has just gone away may still look as if it were there";

/** Kinds that the server does not have are none. */
export async function readWorkloads(
  context: CliContext,
  namespace: string | undefined,
): Promise<readonly Workload[]> {
  const found = await Promise.all(
    WORKLOADS.map(async (kind) => {
      const objects = await allowed(() => listed<ApiObject>(context, kind, namespace));
      return (objects ?? []).map((object) => ({ ...(object as object), kind: kind.kind }));
    }),
  );
  return found.flat() as unknown as readonly Workload[];
}

export async function listed<T extends ApiObject>(
  { client, signal }: CliContext,
  kind: ResourceKind,
  namespace: string | undefined,
  missing?: () => Error,
): Promise<readonly T[]> {
  const found: T[] = [];
  try {
    for await (const one of new ResourceClient<T>(client, kind).all({ namespace, signal })) {
      found.push(one);
    }
  } catch (err) {
    throw missing !== undefined && isNotFound(err) ? missing() : err;
  }
  return found;
}

/** Undefined if the server does not let us look, or has no such kind. */
export async function allowed<T>(look: () => Promise<T>): Promise<T | undefined> {
  try {
    return await look();
  } catch (err) {
    if (isNotFound(err) || isForbidden(err)) return undefined;
    throw err;
  }
}

export function isForbidden(err: unknown): boolean {
  return err instanceof StatusError && err.reason === "Forbidden";
}

function noViews(): Error {
  return new CliError(
    "this server has no ConfigViews: it is not a Driftless server. `driftless audit` works on any",
  );
}

function usedIn(pods: readonly Pod[], views: readonly ConfigView[]): readonly ConfigReference[] {
  const used = new Map<string, ConfigReference>();
  const add = (namespace: string, { kind, name }: { kind: string; name: string }): void => {
    const of = { kind: kind as ConfigKind, namespace, name };
    used.set(referenceKey(of), of);
  };
  for (const { metadata, spec } of pods) {
    for (const use of podUses(spec)) add(metadata.namespace ?? "", use);
  }
  for (const { metadata, uses = [] } of views) {
    for (const use of uses) add(metadata.namespace ?? "", use);
  }
  return [...used.values()];
}

/** Kinds that may not be read have no entry; those that were listed have one of their own, for objects that are not there. */
async function readVersions(
  context: CliContext,
  namespace: string | undefined,
  used: readonly ConfigReference[],
): Promise<ReadonlyMap<string, string>> {
  const versions = new Map<string, string>();
  for (const kind of [CONFIG_MAPS, SECRETS]) {
    const wanted = used.filter((one) => one.kind === kind.kind);
    if (wanted.length <= MAX_BY_NAME) {
      for (const of of wanted) await noteByName(context, versions, of);
      continue;
    }
    const found = await allowed(() => listed<ApiObject>(context, kind, namespace));
    if (found !== undefined) versions.set(kind.kind, "gone");
    for (const one of found ?? []) note(versions, kind.kind as ConfigKind, one);
  }
  return versions;
}

async function noteByName(
  { client, signal }: CliContext,
  versions: Map<string, string>,
  of: ConfigReference,
): Promise<void> {
  const kind = of.kind === "Secret" ? SECRETS : CONFIG_MAPS;
  try {
    note(versions, of.kind, await new ResourceClient<ApiObject>(client, kind).get(of, { signal }));
  } catch (err) {
    if (isNotFound(err)) versions.set(referenceKey(of), "gone");
    else if (!isForbidden(err)) throw err;
  }
}

function note(versions: Map<string, string>, kind: ConfigKind, object: ApiObject): void {
  const { namespace = "", name = "" } = object.metadata;
  versions.set(referenceKey({ kind, namespace, name }), objectVersion(kind, object));
}

/** Without their content, which may be large. Newest first. */
async function readRevisions(
  context: CliContext,
  { namespace, object }: PictureAsked,
): Promise<ReadonlyMap<string, readonly ConfigRevision[]>> {
  const { client, signal } = context;
  const revisions = new ResourceClient<ConfigRevision & ApiObject>(client, CONFIG_REVISIONS);
  const fieldSelector = object && `object.kind=${object.kind},object.name=${object.name}`;
  const found: ConfigRevision[] = [];
  await allowed(async () => {
    const selected = fieldSelector === undefined ? {} : { fieldSelector };
    for await (const one of revisions.all({ namespace, signal, ...selected })) {
      const { data: _, binaryData: __, ...light } = one as ConfigRevision;
      found.push(light);
    }
  });
  return Map.groupBy(
    found.toSorted((a, b) => b.number - a.number),
    ({ metadata, object: of }) =>
      referenceKey({
        kind: of.kind as ConfigKind,
        namespace: metadata.namespace ?? "",
        name: of.name,
      }),
  );
}
