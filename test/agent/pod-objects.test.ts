// The agent and the server each have their own idea of which objects a pod refers to: one to hold them, the other to let the node
// read them. What the agent wants and the server refuses would keep a pod from starting.

import { deepEqual, ok } from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { podObjects } from "../../src/agent/objects/pod-objects.ts";
import type { Pod } from "../../src/api/types.ts";
import { podReferences } from "../../src/apiserver/node/pod-references.ts";

const name = fc.constantFrom("a", "b", "c", "", undefined);
const named = fc.record({ name });
const keyOf = fc.record({ name, key: fc.constant("k") });

const container = fc.record(
  {
    name: fc.constant("c"),
    envFrom: fc.option(
      fc.array(fc.oneof(fc.record({ configMapRef: named }), fc.record({ secretRef: named }))),
    ),
    env: fc.option(
      fc.array(
        fc.record({
          name: fc.constant("V"),
          valueFrom: fc.oneof(
            fc.record({ configMapKeyRef: keyOf }),
            fc.record({ secretKeyRef: keyOf }),
            fc.record({ fieldRef: fc.constant({ fieldPath: "metadata.name" }) }),
            fc.constant(undefined),
          ),
        }),
      ),
    ),
  },
  { requiredKeys: ["name"] },
);

const projection = fc.oneof(
  fc.record({ configMap: named }),
  fc.record({ secret: named }),
  fc.constant({ serviceAccountToken: { path: "token" } }),
);

/** Volumes whose objects the agent does not hold. */
const foreign = ["csi", "azureFile", "rbd", "cephfs", "iscsi"] as const;
const volume = fc.oneof(
  fc.record({ configMap: named }),
  fc.record({ secret: fc.record({ secretName: name }) }),
  fc.record({ projected: fc.record({ sources: fc.option(fc.array(projection)) }) }),
  fc.constant({ emptyDir: {} }),
  fc.constantFrom(...foreign).map((driver) => ({ [driver]: sourceOf(driver) })),
);

const pod: fc.Arbitrary<Pod> = fc
  .record({
    initContainers: fc.option(fc.array(container, { maxLength: 2 })),
    containers: fc.array(container, { maxLength: 3 }),
    ephemeralContainers: fc.option(fc.array(container, { maxLength: 2 })),
    volumes: fc.option(fc.array(volume, { maxLength: 5 })),
    imagePullSecrets: fc.constantFrom(undefined, [{ name: "pull" }]),
  })
  .map((spec) => ({ metadata: { uid: "u", name: "p", namespace: "n" }, spec }) as unknown as Pod);

function sourceOf(driver: (typeof foreign)[number]): object {
  if (driver === "azureFile") return { secretName: "driver" };
  return driver === "csi"
    ? { nodePublishSecretRef: { name: "driver" } }
    : { secretRef: { name: "driver" } };
}

describe("the objects of a pod", () => {
  it("are the same for the agent and the server, without pull secrets and those of drivers", () => {
    let found = 0;
    const property = fc.property(pod, (one) => {
      const wanted = [...podObjects(one).values()].map((of) => `${of.kind} ${of.name}`);
      const allowed = new Set(
        podReferences(one).flatMap(({ resource, name: its }) => {
          if (its === "pull" || its === "driver") return [];
          if (resource === "configmaps") return [`ConfigMap ${its}`];
          return resource === "secrets" ? [`Secret ${its}`] : [];
        }),
      );
      found += wanted.length;
      deepEqual(wanted.toSorted(), [...allowed].toSorted());
    });
    fc.assert(property, { numRuns: 500 });
    ok(found > 500, `only ${found} objects were compared`);
  });
});
