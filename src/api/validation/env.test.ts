import { describe } from "node:test";
import { judges } from "./testing/case-table.ts";
import { containerErrors } from "./testing/judged.ts";

const noSource =
  "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`";

describe("Environment of a container", () => {
  judges(
    {
      "may have names that no shell can read": [{ env: [{ name: "1bad" }, { name: "a b" }] }, []],
      "has names and one way to a value": [
        {
          env: [
            {
              name: "E",
              value: "x",
              valueFrom: { configMapKeyRef: { name: "a", key: "k" } },
            },
            { name: "", value: "y" },
            { name: "F", valueFrom: {} },
            {
              name: "G",
              valueFrom: {
                configMapKeyRef: { name: "a", key: "k" },
                secretKeyRef: { name: "a", key: "k" },
              },
            },
          ],
        },
        [
          'env[0].valueFrom: Invalid value: "": may not be specified when `value` is not empty',
          "env[1].name: Required value",
          `env[2].valueFrom: Invalid value: "": ${noSource}`,
          'env[3].valueFrom: Invalid value: "": may not have more than one field specified at a time',
        ],
      ],
      "refers to keys that there can be": [
        { env: [{ name: "A", valueFrom: { secretKeyRef: { name: "a", key: "" } } }] },
        ["env[0].valueFrom.secretKeyRef.key: Required value"],
      ],
      "refers to keys that could be files": [
        { env: [{ name: "A", valueFrom: { configMapKeyRef: { name: "a", key: ".." } } }] },
        ["env[0].valueFrom.configMapKeyRef.key: Invalid value: \"..\": must not be '..'"],
      ],
      "shows fields of the pod": [
        {
          env: [
            "metadata.name",
            "metadata.labels['app']",
            "metadata.annotations['Example.com/A']",
            "status.podIPs",
            "spec.host",
          ].map((fieldPath) => ({ name: "A", valueFrom: { fieldRef: { fieldPath } } })),
        },
        [],
      ],
      "does not show other fields": [
        {
          env: ["", "metadata.labels", "status.phase", "spec.x", "spec.nodeName['a']"].map(
            (fieldPath) => ({ name: "A", valueFrom: { fieldRef: { fieldPath } } }),
          ),
        },
        [
          "env[0].valueFrom.fieldRef.fieldPath: Required value",
          'env[1].valueFrom.fieldRef.fieldPath: Unsupported value: "metadata.labels": supported values: "metadata.name", "metadata.namespace", "metadata.uid", "spec.nodeName", "spec.serviceAccountName", "status.hostIP", "status.hostIPs", "status.podIP", "status.podIPs"',
          'env[2].valueFrom.fieldRef.fieldPath: Unsupported value: "status.phase": supported values: "metadata.name", "metadata.namespace", "metadata.uid", "spec.nodeName", "spec.serviceAccountName", "status.hostIP", "status.hostIPs", "status.podIP", "status.podIPs"',
          'env[3].valueFrom.fieldRef.fieldPath: Invalid value: "spec.x": error converting fieldPath: field label not supported: spec.x',
          "env[4].valueFrom.fieldRef.fieldPath: Invalid value: \"spec.nodeName['a']\": error converting fieldPath: field label does not support subscript: spec.nodeName['a']",
        ],
      ],
      "shows fields of this version": [
        {
          env: [
            {
              name: "A",
              valueFrom: { fieldRef: { apiVersion: "v2", fieldPath: "metadata.name" } },
            },
          ],
        },
        [
          'env[0].valueFrom.fieldRef.fieldPath: Invalid value: "metadata.name": error converting fieldPath: unsupported pod version: v2',
        ],
      ],
      "shows resources, divided in known ways": [
        {
          env: [
            { resource: "limits.cpu", divisor: "1m" },
            { resource: "limits.cpu", divisor: "10m" },
            { resource: "requests.memory", divisor: "1Mi" },
            { resource: "requests.memory", divisor: "2" },
            { resource: "limits.ephemeral-storage", divisor: "3" },
            { resource: "limits.hugepages-2Mi", divisor: "5" },
            { resource: "limits.gpu" },
            { resource: "" },
          ].map((resourceFieldRef) => ({ name: "A", valueFrom: { resourceFieldRef } })),
        },
        [
          'env[1].valueFrom.resourceFieldRef.divisor: Invalid value: "limits.cpu": only divisor\'s values 1m and 1 are supported with the cpu resource',
          'env[3].valueFrom.resourceFieldRef.divisor: Invalid value: "requests.memory": only divisor\'s values 1, 1k, 1M, 1G, 1T, 1P, 1E, 1Ki, 1Mi, 1Gi, 1Ti, 1Pi, 1Ei are supported with the memory resource',
          'env[4].valueFrom.resourceFieldRef.divisor: Invalid value: "limits.ephemeral-storage": only divisor\'s values 1, 1k, 1M, 1G, 1T, 1P, 1E, 1Ki, 1Mi, 1Gi, 1Ti, 1Pi, 1Ei are supported with the local ephemeral storage resource',
          'env[5].valueFrom.resourceFieldRef.divisor: Invalid value: "limits.hugepages-2Mi": only divisor\'s values 1, 1k, 1M, 1G, 1T, 1P, 1E, 1Ki, 1Mi, 1Gi, 1Ti, 1Pi, 1Ei are supported with the hugepages resource',
          'env[6].valueFrom.resourceFieldRef.resource: Unsupported value: "limits.gpu": supported values: "limits.cpu", "limits.ephemeral-storage", "limits.memory", "requests.cpu", "requests.ephemeral-storage", "requests.memory"',
          "env[7].valueFrom.resourceFieldRef.resource: Required value",
        ],
      ],
      "reads variables from files in a directory of the pod": [
        {
          env: [
            {
              name: "A",
              valueFrom: { fileKeyRef: { volumeName: "x", path: "../f", key: "" } },
            },
          ],
        },
        [
          "env[0].valueFrom.fileKeyRef.key: Required value",
          "env[0].valueFrom.fileKeyRef.path: Invalid value: \"../f\": must not contain '..'",
          'env[0].valueFrom.fileKeyRef.volumeName: Not found: "x"',
        ],
      ],
      "takes whole objects": [
        {
          envFrom: [
            { configMapRef: { name: "a" }, prefix: "P_" },
            { secretRef: { name: "" }, prefix: "=" },
            {},
            { configMapRef: { name: "a" }, secretRef: { name: "b" } },
          ],
        },
        [
          "envFrom[1].prefix: Invalid value: \"=\": a valid environment variable name must consist only of printable ASCII characters other than '='",
          "envFrom[1].secretRef.name: Required value",
          'envFrom: Invalid value: "": must specify one of: `configMapRef` or `secretRef`',
          'envFrom: Invalid value: "": may not have more than one field specified at a time',
        ],
      ],
    },
    (container) => containerErrors(container),
  );
});
