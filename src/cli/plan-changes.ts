// What `driftless plan` plans: the objects of files as the server would make them, by a rehearsal that changes nothing, or single keys of one
// object.

import type { ConfigKind } from "../api/config/pod-uses.ts";
import type { JsonObject, JsonValue } from "../api/json.ts";
import type { ApiObject } from "../api/object.ts";
import { jsonEqual } from "../api/patch/json-equal.ts";
import { isNotFound } from "../api/status-error.ts";
import { objectContent, objectVersion } from "../base/object-content.ts";
import { ResourceClient } from "../client/resource-client.ts";
import { CONFIG_MAPS, SECRETS, WORKLOADS } from "./answers/answer-kinds.ts";
import type { ConfigReference, Workload } from "./answers/picture.ts";
import type { PlannedWorkload } from "./answers/plan-effects.ts";
import { isForbidden } from "./answers/read-picture.ts";
import type { CliContext } from "./cli-context.ts";
import { CliError } from "./cli-error.ts";
import { type KeyDifference, keyDifferences, keyPatch } from "./config-keys.ts";
import { configTarget } from "./config-target.ts";
import type { KeyChange } from "./key-changes.ts";
import type { Manifest } from "./manifest-documents.ts";
import { type ManifestTarget, manifestTarget } from "./manifest-target.ts";
import { ResourceCatalog } from "./resource-catalog.ts";

export interface ObjectChange {
  readonly object: ConfigReference;
  readonly annotations: Readonly<Record<string, string>>;
  readonly labels: Readonly<Record<string, string>>;
  readonly before: string | undefined;
  readonly after: string | undefined;
  readonly differences: readonly KeyDifference[];
}

export interface PlannedChanges {
  readonly objects: readonly ObjectChange[];
  readonly workloads: readonly PlannedWorkload[];
  readonly notes: readonly string[];
}

/** Of single keys. Throws CliError for an object that never changes. */
export async function keyChanges(
  context: CliContext,
  target: string,
  changes: readonly KeyChange[],
): Promise<PlannedChanges> {
  const object = await configTarget(context, target);
  const live = await liveObject(context, object.kind === "Secret" ? SECRETS : CONFIG_MAPS, object);
  if (live?.["immutable"] === true) {
    throw new CliError(
      `${target} is immutable: the server refuses every change. Make one with another name and let the pods use that`,
    );
  }
  const before: ApiObject = live ?? { metadata: {} };
  const differences = keyDifferences(before, object.kind, changes);
  const after = patched(before, keyPatch(before, object.kind, differences));
  const objects = [objectChange(object, live, after)];
  return { objects, workloads: [], notes: [] };
}

/** Of everything in the files that matters. Throws what the server would refuse with. */
export async function fileChanges(
  context: CliContext,
  manifests: readonly Manifest[],
): Promise<PlannedChanges> {
  const catalog = await ResourceCatalog.of(context.client, context.signal);
  const objects: ObjectChange[] = [];
  const workloads: PlannedWorkload[] = [];
  const notes = new Set<string>();
  for (const manifest of manifests) {
    if (!isOfInterest(manifest.object)) continue;
    const target = manifestTarget(manifest, catalog, context);
    const live = await liveObject(context, target.resource, target);
    const rehearsed = await rehearsal(context, target);
    if (rehearsed === undefined) notes.add(NO_REHEARSAL);
    const { kind } = target.resource;
    if (kind === "ConfigMap" || kind === "Secret") {
      const { namespace = "", name } = target;
      const after = rehearsed ?? withPlainStrings(target.object, kind);
      objects.push(objectChange({ kind, namespace, name }, live, after));
    } else {
      workloads.push({
        workload: { ...(rehearsed ?? target.object), kind } as unknown as Workload,
        isTemplateChanged: rehearsed && live && !jsonEqual(templateOf(live), templateOf(rehearsed)),
        isNew: live === undefined,
      });
    }
  }
  return { objects, workloads, notes: [...notes] };
}

const NO_REHEARSAL =
  "You may not change some of these objects, so that the server was not asked what they would become: what the files say is taken as it is";

function isOfInterest({ apiVersion, kind }: ApiObject): boolean {
  if (apiVersion === "v1") return kind === "ConfigMap" || kind === "Secret";
  return apiVersion === "apps/v1" && WORKLOADS.some((one) => one.kind === kind);
}

async function liveObject(
  { client, signal }: CliContext,
  resource: ConstructorParameters<typeof ResourceClient>[1],
  of: { readonly namespace: string | undefined; readonly name: string },
): Promise<ApiObject | undefined> {
  const { namespace, name } = of;
  try {
    return await new ResourceClient<ApiObject>(client, resource).get(
      { namespace, name },
      { signal },
    );
  } catch (err) {
    if (isNotFound(err)) return undefined;
    throw err;
  }
}

/** As `driftless apply` would leave it. Undefined if we may not. */
async function rehearsal(
  { client, signal }: CliContext,
  { resource, object }: ManifestTarget,
): Promise<ApiObject | undefined> {
  const objects = new ResourceClient<ApiObject>(client, resource);
  try {
    // Whom fields belong to does not matter for what would happen.
    const options = { fieldManager: "driftless", force: true, dryRun: true, signal };
    return await objects.apply(object, options);
  } catch (err) {
    if (isForbidden(err)) return undefined;
    throw err;
  }
}

function objectChange(
  object: ConfigReference,
  live: ApiObject | undefined,
  after: ApiObject,
): ObjectChange {
  const { kind } = object;
  const content = objectContent(kind, after);
  const keys = [...(live === undefined ? [] : objectContent(kind, live).keys()), ...content.keys()];
  const changes = [...new Set(keys)].sort().map((key) => {
    const value = content.get(key);
    return { key, ...(value !== undefined && { value }) };
  });
  const uid = live?.metadata.uid;
  const isNamed = kind === "ConfigMap" || uid !== undefined;
  return {
    object,
    annotations: after.metadata.annotations ?? {},
    labels: after.metadata.labels ?? {},
    before: live && objectVersion(kind, live),
    // A Secret's version is keyed with its uid, which it does not have yet.
    after: isNamed ? objectVersion(kind, { ...after, metadata: { uid } }) : undefined,
    differences: keyDifferences(live ?? { metadata: {} }, kind, changes),
  };
}

/** A merge patch of two levels, which is all that keys need. */
function patched(object: ApiObject, patch: JsonObject): ApiObject {
  const result: ApiObject = { ...object };
  for (const [field, values] of Object.entries(patch)) {
    const merged = { ...(object[field] as object | undefined), ...(values as object) };
    result[field] = Object.fromEntries(
      Object.entries(merged as Record<string, JsonValue>).filter(([, value]) => value !== null),
    );
  }
  return result;
}

/** What the server does with a Secret's stringData. */
function withPlainStrings(object: ApiObject, kind: ConfigKind): ApiObject {
  const plain = object["stringData"] as Readonly<Record<string, string>> | undefined;
  if (kind !== "Secret" || plain === undefined) return object;
  const encoded = Object.entries(plain).map(
    ([key, value]) => [key, Buffer.from(value).toString("base64")] as const,
  );
  return { ...object, data: { ...(object["data"] as object), ...Object.fromEntries(encoded) } };
}

function templateOf(workload: ApiObject): JsonValue {
  return ((workload["spec"] as { readonly template?: JsonValue } | undefined)?.template ??
    null) as JsonValue;
}
