import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JsonObject } from "../json.ts";
import { validateEphemeralContainersUpdate, validatePodUpdate } from "./pod-update.ts";
import { podOf, told } from "./testing/judged.ts";

const meta = { resourceVersion: "1" };
const requiredName = "requiredDuringSchedulingIgnoredDuringExecution";
const onlyThese =
  "spec: Forbidden: pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)\n";

/** What is wrong with a change from one spec to another. */
function changeErrors(before: JsonObject, after: JsonObject): string[] {
  return told(validatePodUpdate(podOf(after, meta), podOf(before, meta)));
}

describe("Update of a pod", () => {
  const cases: Readonly<Record<string, readonly [JsonObject, JsonObject, readonly string[]]>> = {
    "may change nothing": [{}, {}, []],
    "may change images": [
      { initContainers: [{ name: "i", image: "a" }] },
      {
        containers: [{ name: "c", image: "nginx:2", imagePullPolicy: "Always" }],
        initContainers: [{ name: "i", image: "b", imagePullPolicy: "Always" }],
      },
      [],
    ],
    "adds and removes no containers": [
      {},
      {
        containers: [
          { name: "c", image: "nginx" },
          { name: "d", image: "i" },
        ],
      },
      ["spec.containers: Forbidden: pod updates may not add or remove containers"],
    ],
    "shows what else it would change": [
      {},
      { containers: [{ name: "c", image: "nginx", env: [{ name: "A", value: "1" }] }] },
      [
        `${onlyThese}@@ -10,7 +10,13 @@\n    "WorkingDir": "",\n    "Ports": null,\n    "EnvFrom": null,\n-   "Env": null,\n+   "Env": [\n+    {\n+     "Name": "A",\n+     "Value": "1",\n+     "ValueFrom": null\n+    }\n+   ],\n    "Resources": {\n     "Limits": null,\n     "Requests": null,\n`,
      ],
    ],
    "may set a deadline and shorten it": [
      { activeDeadlineSeconds: 10 },
      { activeDeadlineSeconds: 5 },
      [],
    ],
    "does not lengthen a deadline": [
      { activeDeadlineSeconds: 5 },
      { activeDeadlineSeconds: 10 },
      [
        "spec.activeDeadlineSeconds: Invalid value: 10: must be less than or equal to previous value",
      ],
    ],
    "does not remove a deadline": [
      { activeDeadlineSeconds: 5 },
      {},
      [
        "spec.activeDeadlineSeconds: Invalid value: null: must not update from a positive integer to nil value",
      ],
    ],
    "may add tolerations and change how long they last": [
      { tolerations: [{ key: "a", effect: "NoExecute", operator: "Exists" }] },
      {
        tolerations: [
          { key: "b", operator: "Exists" },
          { key: "a", effect: "NoExecute", operator: "Exists", tolerationSeconds: 5 },
        ],
      },
      [],
    ],
    "takes no toleration away": [
      { tolerations: [{ key: "a", operator: "Exists" }] },
      { tolerations: [{ key: "b", operator: "Exists" }] },
      [
        "spec.tolerations: Forbidden: existing toleration can not be modified except its tolerationSeconds",
      ],
    ],
    "may open gates": [
      { schedulingGates: [{ name: "a" }, { name: "b" }] },
      { schedulingGates: [{ name: "b" }] },
      [],
    ],
    "closes no gates": [
      { schedulingGates: [{ name: "a" }] },
      { schedulingGates: [{ name: "a" }, { name: "b" }] },
      [
        "spec.schedulingGates[1].name: Forbidden: only deletion is allowed, but found new scheduling gate 'b'",
      ],
    ],
    "may say more exactly where a waiting pod can run": [
      { schedulingGates: [{ name: "a" }], nodeSelector: { a: "b" } },
      { schedulingGates: [{ name: "a" }], nodeSelector: { a: "b", c: "d" } },
      [],
    ],
    "does not say less exactly where a waiting pod can run": [
      { schedulingGates: [{ name: "a" }], nodeSelector: { a: "b" } },
      { schedulingGates: [{ name: "a" }], nodeSelector: { a: "c" } },
      [
        'spec.nodeSelector: Invalid value: {"a":"c"}: only additions to spec.nodeSelector are allowed (no mutations or deletions)',
      ],
    ],
    "may give a waiting pod conditions on its node": [
      { schedulingGates: [{ name: "a" }] },
      {
        schedulingGates: [{ name: "a" }],
        affinity: {
          nodeAffinity: {
            [requiredName]: {
              nodeSelectorTerms: [{ matchExpressions: [{ key: "a", operator: "Exists" }] }],
            },
          },
        },
      },
      [],
    ],
    "takes no condition on its node from a waiting pod": [
      {
        schedulingGates: [{ name: "a" }],
        affinity: {
          nodeAffinity: {
            [requiredName]: {
              nodeSelectorTerms: [{ matchExpressions: [{ key: "a", operator: "Exists" }] }],
            },
          },
        },
      },
      { schedulingGates: [{ name: "a" }] },
      [
        `spec.affinity.nodeAffinity.${requiredName}.nodeSelectorTerms: Invalid value: null: no additions/deletions to non-empty NodeSelectorTerms list are allowed`,
      ],
    ],
  };
  for (const [sentence, [before, after, errors]] of Object.entries(cases)) {
    it(sentence, () => {
      assert.deepEqual(changeErrors(before, after), errors);
    });
  }

  it("moves no pod: only a binding gives it a node", () => {
    const [error = ""] = changeErrors({}, { nodeName: "n" });
    assert.ok(error.startsWith(onlyThese), error);
    assert.ok(error.includes('- "NodeName": "",\n+ "NodeName": "n",\n'), error);
  });

  it("keeps annotations that cannot be taken back", () => {
    const key = "container.apparmor.security.beta.kubernetes.io/c";
    const annotated = { ...meta, annotations: { [key]: "unconfined" } };
    assert.deepEqual(told(validatePodUpdate(podOf({}, meta), podOf({}, annotated))), [
      `metadata.annotations[${key}]: Forbidden: may not remove or update AppArmor annotations`,
    ]);
    assert.deepEqual(told(validatePodUpdate(podOf({}, annotated), podOf({}, meta))), [
      `metadata.annotations[${key}]: Forbidden: may not add AppArmor annotations`,
    ]);
  });
});

describe("Ephemeral containers", () => {
  const debug = { name: "d", image: "i" };
  const judge = (before: JsonObject[], after: JsonObject[], metadata: JsonObject = meta) =>
    told(
      validateEphemeralContainersUpdate(
        podOf({ nodeName: "n", ephemeralContainers: after }, metadata),
        podOf({ nodeName: "n", ephemeralContainers: before }, metadata),
      ),
    );

  it("are added", () => {
    assert.deepEqual(judge([], [debug]), []);
    assert.deepEqual(judge([debug], [debug, { name: "e", image: "i" }]), []);
  });

  it("are not removed", () => {
    assert.deepEqual(judge([debug], []), [
      'spec.ephemeralContainers: Forbidden: existing ephemeral containers "d" may not be removed\n',
    ]);
  });

  it("are not changed", () => {
    assert.deepEqual(judge([debug], [{ ...debug, workingDir: "/" }]), [
      'spec.ephemeralContainers: Forbidden: existing ephemeral containers "d" may not be changed\n@@ -3,7 +3,7 @@\n  "Image": "i",\n  "Command": null,\n  "Args": null,\n- "WorkingDir": "",\n+ "WorkingDir": "/",\n  "Ports": null,\n  "EnvFrom": null,\n  "Env": null,\n',
    ]);
  });

  it("are not for pods that only mirror what a node runs", () => {
    const mirror = { ...meta, annotations: { "kubernetes.io/config.mirror": "x" } };
    assert.deepEqual(judge([], [debug], mirror), [
      "[]: Forbidden: static pods do not support ephemeral containers",
    ]);
  });
});
