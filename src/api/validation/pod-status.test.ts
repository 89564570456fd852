import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JsonObject } from "../json.ts";
import type { Pod } from "../types.ts";
import { validatePodStatusUpdate } from "./pod-status.ts";
import { decoded, told } from "./testing/judged.ts";

function pod(status: JsonObject, spec: JsonObject = {}): Pod {
  return decoded("v1", "Pod", {
    metadata: { name: "p", namespace: "n", resourceVersion: "1" },
    spec: { containers: [{ name: "c", image: "i" }], restartPolicy: "Never", ...spec },
    status,
  });
}

function statusErrors(before: JsonObject, after: JsonObject, spec: JsonObject = {}): string[] {
  return told(validatePodStatusUpdate(pod(after, spec), pod(before, spec)));
}

const running = { containerStatuses: [{ name: "c", state: { running: {} } }] };
const ended = (exitCode: number) => ({
  containerStatuses: [{ name: "c", state: { terminated: { exitCode } } }],
});
const again =
  "status.containerStatuses[0].state: Forbidden: may not be transitioned to non-terminated state";

describe("Status of a pod", () => {
  const cases: Readonly<
    Record<string, readonly [JsonObject, JsonObject, readonly string[], JsonObject?]>
  > = {
    "may become anything at first": [
      { qosClass: "BestEffort" },
      { qosClass: "BestEffort", phase: "Running", conditions: [{ type: "Ready" }], ...running },
      [],
    ],
    "keeps the class of service": [
      { qosClass: "BestEffort" },
      { qosClass: "Guaranteed" },
      ['status.qosClass: Invalid value: "Guaranteed": field is immutable'],
    ],
    "has conditions with names, counted from zero": [
      {},
      {
        observedGeneration: -1,
        conditions: [{ type: "a b" }, { type: "Ready", observedGeneration: -2 }],
      },
      [
        "status.conditions[0].Type: Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
        "status.conditions[1].observedGeneration: Invalid value: -2: must be a non-negative integer",
        "status.observedGeneration: Invalid value: -1: must be a non-negative integer",
      ],
    ],
    "says no more that an ended container runs": [ended(1), running, [again]],
    "may say so if the pod is always restarted": [
      ended(1),
      running,
      [],
      { restartPolicy: "Always" },
    ],
    "may say so after a failure if that is a reason": [
      ended(1),
      running,
      [],
      { restartPolicy: "OnFailure" },
    ],
    "says no more so after a success": [ended(0), running, [again], { restartPolicy: "OnFailure" }],
    "may say so if a rule of the container restarts it": [
      ended(42),
      running,
      [],
      {
        containers: [
          {
            name: "c",
            image: "i",
            restartPolicy: "Never",
            restartPolicyRules: [
              { action: "Restart", exitCodes: { operator: "In", values: [42] } },
            ],
          },
        ],
      },
    ],
    "never says so of ephemeral containers": [
      { ephemeralContainerStatuses: [{ name: "e", state: { terminated: {} } }] },
      { ephemeralContainerStatuses: [{ name: "e", state: { running: {} } }] },
      [
        "status.ephemeralContainerStatuses[0].state: Forbidden: may not be transitioned to non-terminated state",
      ],
      { restartPolicy: "Always" },
    ],
    "has an address and a list that begins with it": [
      {},
      { podIP: "10.0.0.1", podIPs: [{ ip: "10.0.0.2" }] },
      ['status.podIPs[0].ip: Invalid value: "10.0.0.2": must be equal to `podIP`'],
    ],
    "has both or none": [
      {},
      { podIP: "10.0.0.1" },
      [
        "status.podIPs: Invalid value: null: podIP and podIPs must either both be set or both be unset",
      ],
    ],
    "has one address of each family": [
      {},
      { podIP: "10.0.0.1", podIPs: [{ ip: "10.0.0.1" }, { ip: "10.0.0.2" }] },
      [
        'status.podIPs: Invalid value: [{"IP":"10.0.0.1"},{"IP":"10.0.0.2"}]: may specify no more than one IP for each IP family',
      ],
    ],
    "has addresses of its host": [
      {},
      { hostIP: "10.0.0.1", hostIPs: [{ ip: "x" }] },
      [
        'status.hostIPs[0].ip: Invalid value: "x": must be equal to `hostIP`',
        'status.hostIPs[0]: Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
      ],
    ],
    "names a node for later only while there is none": [
      {},
      { nominatedNodeName: "n" },
      [
        "status.nominatedNodeName: Forbidden: may not be set on pods that are already bound to a node",
      ],
      { nodeName: "m" },
    ],
    "has users that there can be": [
      {},
      {
        containerStatuses: [
          { name: "c", user: { linux: { uid: -1, gid: -2, supplementalGroups: [-3] } } },
        ],
      },
      [
        "status.containerStatuses[0].user.linux.uid: Invalid value: -1: must be between 0 and 4294967295, inclusive",
        "status.containerStatuses[0].user.linux.gid: Invalid value: -2: must be between 0 and 2147483647, inclusive",
        "status.containerStatuses[0].user.linux.supplementalGroups[0]: Invalid value: -3: must be between 0 and 2147483647, inclusive",
      ],
    ],
  };
  for (const [sentence, [before, after, errors, spec]] of Object.entries(cases)) {
    it(sentence, () => {
      assert.deepEqual(statusErrors(before, after, spec), errors);
    });
  }
});
