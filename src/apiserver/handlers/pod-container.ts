// Which container of a pod is meant, and on which node it is: what every request that is served by the node begins with.

import type { ApiObject } from "../../api/object.ts";
import { badRequest } from "../../api/status-error.ts";
import type { Pod } from "../../api/types.ts";
import type { RequestContext } from "./context.ts";
import { readObject } from "./get.ts";

export type StoredPod = ApiObject & Pod;

export async function readPod(context: RequestContext): Promise<StoredPod> {
  return (await readObject(context)).object as StoredPod;
}

/** The one that is named, or the only one. Throws BadRequest. */
export function containerOf({ metadata, spec }: StoredPod, container: string): string {
  const [only, ...more] = spec.containers ?? [];
  const names = [
    ...(spec.initContainers ?? []),
    ...(spec.containers ?? []),
    ...(spec.ephemeralContainers ?? []),
  ].map(({ name }) => name);
  if (container !== "") {
    if (names.includes(container)) return container;
    throw badRequest(`container ${container} is not valid for pod ${metadata.name}`);
  }
  if (only !== undefined && more.length === 0) return only.name;
  const choice = names.length === 0 ? "" : `, choose one of: [${names.join(" ")}]`;
  throw badRequest(`a container name must be specified for pod ${metadata.name}${choice}`);
}

/** Path segments that cannot mean anything else. */
export function pathOf(...segments: readonly string[]): string {
  return segments.map((segment) => `/${encodeURIComponent(segment)}`).join("");
}
