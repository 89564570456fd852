import { describe } from "node:test";
import { judges } from "./testing/case-table.ts";
import { podErrors } from "./testing/judged.ts";

const requiredName = "requiredDuringSchedulingIgnoredDuringExecution";
const preferredName = "preferredDuringSchedulingIgnoredDuringExecution";
const namePart =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";

describe("Where a pod may run", () => {
  const node = `spec.affinity.nodeAffinity.${requiredName}.nodeSelectorTerms`;
  const pod = `spec.affinity.podAffinity.${requiredName}[0]`;
  judges(
    {
      "is said by at least one term": [
        { affinity: { nodeAffinity: { [requiredName]: {} } } },
        [`${node}: Required value: must have at least one node selector term`],
      ],
      "is said with operators and their values": [
        {
          affinity: {
            nodeAffinity: {
              [requiredName]: {
                nodeSelectorTerms: [
                  {
                    matchExpressions: [
                      { key: "a", operator: "In" },
                      { key: "a", operator: "Exists", values: ["x"] },
                      { key: "a", operator: "Gt", values: [] },
                      { key: "", operator: "Is", values: ["?"] },
                    ],
                    matchFields: [
                      { key: "metadata.uid", operator: "Gt", values: ["x"] },
                      { key: "metadata.name", operator: "In", values: ["A", "b"] },
                    ],
                  },
                ],
              },
            },
          },
        },
        [
          `${node}[0].matchExpressions[0].values: Required value: must be specified when \`operator\` is 'In' or 'NotIn'`,
          `${node}[0].matchExpressions[1].values: Forbidden: may not be specified when \`operator\` is 'Exists' or 'DoesNotExist'`,
          `${node}[0].matchExpressions[2].values: Required value: must be specified single value when \`operator\` is 'Lt' or 'Gt'`,
          `${node}[0].matchExpressions[3].operator: Invalid value: "Is": not a valid selector operator`,
          `${node}[0].matchExpressions[3].key: Invalid value: "": name part must be non-empty`,
          `${node}[0].matchExpressions[3].key: Invalid value: "": ${namePart}`,
          `${node}[0].matchExpressions[3].values[0]: Invalid value: "?": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')`,
          `${node}[0].matchFields[0].operator: Invalid value: "Gt": not a valid selector operator`,
          `${node}[0].matchFields[0].key: Invalid value: "metadata.uid": not a valid field selector key`,
          `${node}[0].matchFields[1].values: Required value: must be only one value when \`operator\` is 'In' or 'NotIn' for node field selector`,
          `${node}[0].matchFields[1].values[0]: Invalid value: "A": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`,
        ],
      ],
      "is weighed from one to a hundred": [
        { affinity: { nodeAffinity: { [preferredName]: [{ weight: 101, preference: {} }] } } },
        [
          `spec.affinity.nodeAffinity.${preferredName}[0].weight: Invalid value: 101: must be in the range 1-100`,
        ],
      ],
      "may depend on other pods, over a topology": [
        {
          affinity: {
            podAffinity: {
              [requiredName]: [{ labelSelector: { matchLabels: { a: "b" } }, namespaces: ["A"] }],
            },
          },
        },
        [
          `${pod}.namespace: Invalid value: "A": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')`,
          `${pod}.topologyKey: Required value: can not be empty`,
          `${pod}.topologyKey: Invalid value: "": name part must be non-empty`,
          `${pod}.topologyKey: Invalid value: "": ${namePart}`,
        ],
      ],
      "takes labels of the pod itself only with a selector, and once": [
        {
          affinity: {
            podAffinity: {
              [requiredName]: [
                { topologyKey: "z", matchLabelKeys: ["a"] },
                {
                  topologyKey: "z",
                  labelSelector: {},
                  matchLabelKeys: ["a"],
                  mismatchLabelKeys: ["a"],
                },
              ],
            },
          },
        },
        [
          `${pod}.matchLabelKeys: Forbidden: must not be specified when labelSelector is not set`,
          `spec.affinity.podAffinity.${requiredName}[1].matchLabelKeys[0]: Invalid value: "a": exists in both matchLabelKeys and mismatchLabelKeys`,
        ],
      ],
      "may be spread evenly": [
        {
          topologySpreadConstraints: [
            { maxSkew: 1, topologyKey: "z", whenUnsatisfiable: "DoNotSchedule" },
            {
              maxSkew: 0,
              topologyKey: "",
              whenUnsatisfiable: "Wait",
              minDomains: 0,
              nodeAffinityPolicy: "Maybe",
            },
            { maxSkew: 1, topologyKey: "z", whenUnsatisfiable: "DoNotSchedule" },
          ],
        },
        [
          'spec.topologySpreadConstraints[0].{topologyKey, whenUnsatisfiable}: Duplicate value: "{z, DoNotSchedule}"',
          "spec.topologySpreadConstraints[1].maxSkew: Invalid value: 0: must be greater than zero",
          "spec.topologySpreadConstraints[1].topologyKey: Required value: can not be empty",
          'spec.topologySpreadConstraints[1].whenUnsatisfiable: Unsupported value: "Wait": supported values: "DoNotSchedule", "ScheduleAnyway"',
          "spec.topologySpreadConstraints[1].minDomains: Invalid value: 0: must be greater than zero",
          "spec.topologySpreadConstraints[1].minDomains: Invalid value: 0: can only use minDomains if whenUnsatisfiable=DoNotSchedule, not Wait",
          'spec.topologySpreadConstraints[1].nodeAffinityPolicy: Unsupported value: "Maybe": supported values: "Honor", "Ignore"',
        ],
      ],
      "may be where taints are tolerated": [
        {
          tolerations: [
            { operator: "Exists" },
            { operator: "Equal" },
            { key: "a", value: "?" },
            { key: "a", operator: "Exists", value: "x" },
            { key: "a", operator: "Lt", value: "1" },
            { key: "a", operator: "Like", effect: "Never", tolerationSeconds: 1 },
          ],
        },
        [
          'spec.tolerations[1].operator: Invalid value: "Equal": operator must be Exists when `key` is empty, which means "match all values and all keys"',
          "spec.tolerations[2].operator: Invalid value: \"?\": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')",
          "spec.tolerations[3].operator: Invalid value: \"x\": value must be empty when `operator` is 'Exists'",
          'spec.tolerations[4].operator: Unsupported value: "Lt": supported values: "Equal", "Exists", "Lt", "Gt"',
          "spec.tolerations[5].effect: Invalid value: \"Never\": effect must be 'NoExecute' when `tolerationSeconds` is set",
          'spec.tolerations[5].operator: Unsupported value: "Like": supported values: "Equal", "Exists"',
          'spec.tolerations[5].effect: Unsupported value: "Never": supported values: "NoSchedule", "PreferNoSchedule", "NoExecute"',
        ],
      ],
    },
    (spec) => podErrors(spec),
  );
});
