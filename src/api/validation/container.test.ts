import { describe } from "node:test";
import { judges } from "./testing/case-table.ts";
import { containerErrors, podErrors } from "./testing/judged.ts";

const label =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";

describe("Container", () => {
  judges(
    {
      "may be a name and an image": [{}, []],
      "has a name and an image": [
        { name: "", image: "" },
        ["name: Required value", "image: Required value"],
      ],
      "is told about everything at once, in the order of the API": [
        {
          name: "C_X",
          image: "",
          ports: [{ containerPort: 99_999 }],
          imagePullPolicy: "Sometimes",
        },
        [
          `name: Invalid value: "C_X": ${label}`,
          "image: Required value",
          "ports[0].containerPort: Invalid value: 99999: must be between 1 and 65535, inclusive",
          'imagePullPolicy: Unsupported value: "Sometimes": supported values: "Always", "IfNotPresent", "Never"',
        ],
      ],
      "has an image without spaces around it": [
        { image: " nginx" },
        ['image: Invalid value: " nginx": must not have leading or trailing whitespace'],
      ],
      "tells how it ended in one of two ways": [
        { terminationMessagePolicy: "Mail" },
        [
          'terminationMessagePolicy: Unsupported value: "Mail": supported values: "File", "FallbackToLogsOnError"',
        ],
      ],
      "has ports with names of their own": [
        {
          ports: [
            { name: "a", containerPort: 1 },
            { name: "a", containerPort: 2 },
            { name: "A!", containerPort: 0, hostPort: 70_000, protocol: "ICMP" },
          ],
        },
        [
          'ports[1].name: Duplicate value: "a"',
          'ports[2].name: Invalid value: "A!": must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)',
          'ports[2].name: Invalid value: "A!": must contain at least one letter (a-z)',
          "ports[2].containerPort: Required value",
          "ports[2].hostPort: Invalid value: 70000: must be between 1 and 65535, inclusive",
          'ports[2].protocol: Unsupported value: "ICMP": supported values: "SCTP", "TCP", "UDP"',
        ],
      ],
      "takes a port of the host once": [
        {
          ports: [
            { containerPort: 1, hostPort: 80 },
            { containerPort: 2, hostPort: 80 },
            { containerPort: 3, hostPort: 80, protocol: "UDP" },
          ],
        },
        ['ports[1].hostPort: Duplicate value: "TCP//80"'],
      ],
      "says how it is resized": [
        {
          resizePolicy: [
            { resourceName: "cpu", restartPolicy: "NotRequired" },
            { resourceName: "cpu", restartPolicy: "Maybe" },
            { resourceName: "disk", restartPolicy: "" },
          ],
        },
        [
          'resizePolicy[1]: Duplicate value: "cpu"',
          'resizePolicy: Unsupported value: "Maybe": supported values: "NotRequired", "RestartContainer"',
          'resizePolicy: Unsupported value: "disk": supported values: "cpu", "memory"',
          "resizePolicy: Required value",
        ],
      ],
      "says when it is restarted": [
        { restartPolicy: "Often", restartPolicyRules: [{ action: "Stop" }] },
        [
          'restartPolicy: Unsupported value: "Often": supported values: "Always", "Never", "OnFailure"',
          'restartPolicyRules[0].action: Unsupported value: "Stop": supported values: "Restart", "RestartAllContainers"',
          "restartPolicyRules[0].exitCodes: Required value: must be specified",
        ],
      ],
      "has a policy if it has rules, and rules with operators": [
        { restartPolicyRules: [{ action: "Restart", exitCodes: { operator: "Is", values: [1] } }] },
        [
          "restartPolicy: Required value: must specify restartPolicy when restart rules are used",
          'restartPolicyRules[0].exitCodes.operator: Unsupported value: "Is": supported values: "In", "NotIn"',
        ],
      ],
      "has few rules": [
        {
          restartPolicy: "Never",
          restartPolicyRules: Array.from({ length: 21 }, () => ({
            action: "Restart",
            exitCodes: { operator: "In", values: [1] },
          })),
        },
        ["restartPolicyRules: Too many: 21: must have at most 20 items"],
      ],
    },
    (container) => containerErrors(container),
  );
});

describe("Containers of a pod", () => {
  const container = { name: "c", image: "i" };
  const probe = { exec: { command: ["x"] } };
  judges(
    {
      "are at least one": [{ containers: [] }, ["spec.containers: Required value"]],
      "have names of their own": [
        { containers: [container, container] },
        ['spec.containers[1].name: Duplicate value: "c"'],
      ],
      "share names with none of the init containers": [
        { containers: [container], initContainers: [container] },
        ['spec.initContainers[0].name: Duplicate value: "c"'],
      ],
      "that run first have no probes, unless they stay": [
        {
          initContainers: [
            { name: "i", image: "i", livenessProbe: probe, lifecycle: {} },
            { name: "s", image: "i", livenessProbe: probe, restartPolicy: "Always" },
          ],
        },
        [
          "spec.initContainers[0].lifecycle: Forbidden: may not be set for init containers without restartPolicy=Always",
          "spec.initContainers[0].livenessProbe: Forbidden: may not be set for init containers without restartPolicy=Always",
        ],
      ],
      "that run first are not restarted for a resize": [
        {
          initContainers: [
            {
              name: "i",
              image: "i",
              resizePolicy: [{ resourceName: "cpu", restartPolicy: "RestartContainer" }],
            },
          ],
        },
        [
          "spec.initContainers[0].resizePolicy[0].restartPolicy: Invalid value: \"RestartContainer\": must not be set to 'RestartContainer' for non-sidecar initContainers",
        ],
      ],
      "are not restarted for a resize if the pod never restarts": [
        {
          restartPolicy: "Never",
          containers: [
            {
              ...container,
              resizePolicy: [{ resourceName: "cpu", restartPolicy: "RestartContainer" }],
            },
          ],
        },
        [
          "spec.containers[0].resizePolicy: Invalid value: \"RestartContainer\": must be 'NotRequired' when pod `restartPolicy` is 'Never'",
        ],
      ],
      "that come later are not there at the start, and have less": [
        {
          volumes: [{ name: "v" }],
          ephemeralContainers: [
            {
              name: "c",
              image: "i",
              ports: [{ containerPort: 1 }],
              resources: { limits: { cpu: "1" } },
              livenessProbe: probe,
              lifecycle: {},
              targetContainerName: "other",
              volumeMounts: [{ name: "v", mountPath: "/v", subPath: "s" }],
            },
          ],
        },
        [
          'spec.ephemeralContainers[0].name: Duplicate value: "c"',
          'spec.ephemeralContainers[0].targetContainerName: Not found: "other"',
          "spec.ephemeralContainers[0].ports: Forbidden: cannot be set for an Ephemeral Container",
          "spec.ephemeralContainers[0].resources: Forbidden: cannot be set for an Ephemeral Container",
          "spec.ephemeralContainers[0].livenessProbe: Forbidden: cannot be set for an Ephemeral Container",
          "spec.ephemeralContainers[0].lifecycle: Forbidden: cannot be set for an Ephemeral Container",
          "spec.ephemeralContainers[0].volumeMounts[0].subPath: Forbidden: cannot be set for an Ephemeral Container",
          "spec.ephemeralContainers: Forbidden: cannot be set on create",
        ],
      ],
    },
    (spec) => podErrors(spec),
  );
});
