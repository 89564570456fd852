// What the simulated cluster says of the kinds that it has.

import {
  apiGroupListDocument,
  apiResourceListDocument,
  groupDiscoveryDocument,
} from "../../api/discovery.ts";
import type { JsonObject } from "../../api/json.ts";
import { kinds } from "../../api/kinds.ts";

/** Undefined if this path is about objects. */
export function discoveryDocument(path: string, accept: string): JsonObject | undefined {
  const [root = "", ...rest] = path.split("/").filter((part) => part !== "");
  const at = `/${root}`;
  if (at !== "/api" && at !== "/apis") return undefined;
  if (rest.length === 0) {
    if (accept.includes("APIGroupDiscoveryList")) {
      return groupDiscoveryDocument(kinds, { path: at, format: "v2" });
    }
    return at === "/apis" ? apiGroupListDocument(kinds) : { kind: "APIVersions", versions: ["v1"] };
  }
  const [group = "", version = ""] = at === "/api" ? ["", ...rest] : rest;
  const isResourceList = rest.length === (at === "/api" ? 1 : 2);
  return isResourceList ? apiResourceListDocument(kinds, group, version) : undefined;
}
