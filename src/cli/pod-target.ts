// The pods that a word means: a pod itself, or those that a Deployment or its like selects. One that is about to be made is waited for.

import { isJsonObject, type JsonObject } from "../api/json.ts";
import type { ApiObject } from "../api/object.ts";
import type { LabelSelector, Pod } from "../api/types.ts";
import { deadline } from "../base/abort.ts";
import { jsonLines } from "../client/json-lines.ts";
import { ResourceClient } from "../client/resource-client.ts";
import { type ResourceKind, resourcePath } from "../client/resource-path.ts";
import type { CliContext } from "./cli-context.ts";
import { CliError, misuse } from "./cli-error.ts";
import { parseResourceArguments } from "./resource-arguments.ts";
import { kindPrefix, ResourceCatalog } from "./resource-catalog.ts";

export const PODS: ResourceKind = {
  group: "",
  version: "v1",
  kind: "Pod",
  resource: "pods",
  namespaced: true,
};

export interface PodsAsked {
  /** "NAME" of a pod, or "KIND/NAME". */
  readonly word: string;
  /** For the first pod of something that has none yet. */
  readonly timeoutMs: number;
}

/** Throws CliError if it is nothing that has pods, and StatusError if it is not there. Never empty. */
export async function podsOf(context: CliContext, asked: PodsAsked): Promise<readonly Pod[]> {
  const { word, timeoutMs } = asked;
  const { client, namespace, signal } = context;
  if (!word.includes("/")) return [await podNamed(context, word)];
  const catalog = await ResourceCatalog.of(client, signal);
  const [one] = parseResourceArguments([word], catalog);
  if (one?.name === undefined) throw misuse("expected a resource");
  if (one.resource.kind === "Pod" && one.resource.group === "") {
    return [await podNamed(context, one.name)];
  }
  const owners = new ResourceClient<ApiObject>(client, one.resource);
  const owner = await owners.get({ namespace, name: one.name }, { signal });
  const selector = selectorOf(owner);
  if (selector === undefined) {
    throw new CliError(`${kindPrefix(one.resource)}/${one.name} has no pods: it selects none`);
  }
  const what = `${kindPrefix(one.resource)}/${one.name}`;
  return firstPods(context, { labelSelector: selector, timeoutMs, what });
}

export async function podsWith(
  context: CliContext,
  labelSelector: string,
): Promise<readonly Pod[]> {
  const { client, namespace, signal } = context;
  const pods = new ResourceClient<Pod & ApiObject>(client, PODS);
  const found: Pod[] = [];
  for await (const pod of pods.all({ namespace, labelSelector, signal })) found.push(pod);
  return found;
}

async function podNamed({ client, namespace, signal }: CliContext, name: string): Promise<Pod> {
  return new ResourceClient<Pod & ApiObject>(client, PODS).get({ namespace, name }, { signal });
}

/** As a query has it. Undefined if it selects no pods. */
export function selectorOf({ spec }: ApiObject): string | undefined {
  const selector = isJsonObject(spec) ? spec["selector"] : undefined;
  if (!isJsonObject(selector) || Object.keys(selector).length === 0) return undefined;
  const isStructured =
    isJsonObject(selector["matchLabels"]) || Array.isArray(selector["matchExpressions"]);
  // Services and ReplicationControllers have nothing but labels.
  const { matchLabels, matchExpressions } = (
    isStructured ? selector : { matchLabels: selector }
  ) as LabelSelector;
  const labels = Object.entries(matchLabels ?? {}).map(([key, value]) => `${key}=${value}`);
  const expressions = (matchExpressions ?? []).map(({ key, operator, values }) => {
    const list = `(${(values ?? []).join(",")})`;
    if (operator === "Exists") return key;
    if (operator === "DoesNotExist") return `!${key}`;
    return `${key} ${operator === "In" ? "in" : "notin"} ${list}`;
  });
  return [...labels, ...expressions].join(",");
}

interface FirstPods {
  readonly labelSelector: string;
  readonly timeoutMs: number;
  readonly what: string;
}

async function firstPods(context: CliContext, asked: FirstPods): Promise<readonly Pod[]> {
  const { client, namespace, signal, clock } = context;
  const { labelSelector, timeoutMs, what } = asked;
  const pods = new ResourceClient<Pod & ApiObject>(client, PODS);
  const { items, resourceVersion } = await pods.list({ namespace, labelSelector, signal });
  if (items.length > 0) return items;
  using limit = deadline({ clock, timeoutMs, signal });
  const query = { watch: true, labelSelector, resourceVersion };
  const path = resourcePath(PODS, { namespace }, query);
  try {
    const body = await client.stream({ method: "GET", path, signal: limit.signal });
    for await (const line of jsonLines(body)) {
      const { type, object } = line as JsonObject;
      if (type === "ADDED" || type === "MODIFIED") return [object as unknown as Pod];
    }
  } catch (err) {
    if (signal.aborted || !limit.signal.aborted) throw err;
  }
  throw new CliError(`${what} has no pods, and got none within ${timeoutMs / 1000} s`);
}
