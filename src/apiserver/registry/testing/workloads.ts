// Small good objects for tests of kinds that make pods.

import type { JsonObject } from "../../../api/json.ts";

export function podTemplate(spec: JsonObject = {}): JsonObject {
  return {
    metadata: { labels: { app: "x" } },
    spec: { containers: [{ name: "c", image: "i" }], ...spec },
  };
}

/** A kind of apps/v1 with a selector and the template that it selects. */
export function workload(kind: string, spec: JsonObject = {}): JsonObject {
  return {
    apiVersion: "apps/v1",
    kind,
    metadata: { name: "x" },
    spec: { selector: { matchLabels: { app: "x" } }, template: podTemplate(), ...spec },
  };
}
