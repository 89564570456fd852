// The kinds of the API, for those who know that they are there.

import type { Kind } from "../../api/kind.ts";
import { kindOf, kinds } from "../../api/kinds.ts";
import { unknownResource } from "../../api/status-error.ts";

/** Throws if the API has none. */
export function simKind(apiVersion: string, name: string): Kind {
  const kind = kindOf(apiVersion, name);
  if (kind === undefined) throw new Error(`Cannot simulate ${apiVersion} ${name}: no such kind`);
  return kind;
}

const byResource = new Map(
  kinds.map((kind) => [`${kind.group}/${kind.version}/${kind.resource}`, kind]),
);

/** Throws what a server says of a path that it does not serve. */
export function servedResource(group: string, version: string, resource: string): Kind {
  const kind = byResource.get(`${group}/${version}/${resource}`);
  if (kind === undefined) throw unknownResource();
  return kind;
}
