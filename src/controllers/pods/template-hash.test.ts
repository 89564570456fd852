import assert from "node:assert/strict";
import { test } from "node:test";
import type { PodTemplateSpec } from "../../api/types.ts";
import { templateHash } from "./template-hash.ts";

const template: PodTemplateSpec = {
  metadata: { labels: { app: "web", tier: "front" } },
  spec: {
    containers: [{ name: "c", image: "nginx", resources: {} }],
    nodeSelector: { disk: "ssd" },
  },
};

test("templateHash is the same in the next release: sets that exist are found by it", () => {
  assert.equal(templateHash(template), "b4d8bb868");
});

test("templateHash knows no order of keys, and nothing that is absent", () => {
  const same = {
    spec: {
      nodeSelector: { disk: "ssd" },
      containers: [{ image: "nginx", resources: {}, name: "c", args: [], command: undefined }],
    },
    metadata: { labels: { tier: "front", app: "web" }, creationTimestamp: null },
  } as unknown as PodTemplateSpec;
  assert.equal(templateHash(same), templateHash(template));
});

test("templateHash tells contents, the order of lists and collision counts apart", () => {
  const containers = [
    { name: "a", image: "x", resources: {} },
    { name: "b", image: "y", resources: {} },
  ];
  const hashes = [
    templateHash(template),
    templateHash(template, 0),
    templateHash(template, 1),
    templateHash({ ...template, spec: { containers } }),
    templateHash({ ...template, spec: { containers: containers.toReversed() } }),
  ];
  assert.equal(new Set(hashes).size, hashes.length);
  for (const hash of hashes) assert.match(hash, /^[bcdfghjklmnpqrstvwxz2456789]{1,10}$/);
});
