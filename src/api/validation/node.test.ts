import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JsonObject } from "../json.ts";
import type { Node } from "../types.ts";
import { validateNode, validateNodeUpdate } from "./node.ts";
import { decoded, told } from "./testing/judged.ts";

function node(value: JsonObject): Node {
  return decoded("v1", "Node", { metadata: { name: "n", resourceVersion: "1" }, ...value });
}

describe("Node", () => {
  const cases: Readonly<Record<string, readonly [JsonObject, readonly string[]]>> = {
    "may be a name": [{}, []],
    "has taints of the right form": [
      { spec: { taints: [{ key: "a b", value: "?", effect: "" }] } },
      [
        "metadata.taints[0].key: Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
        "metadata.taints[0].value: Invalid value: \"?\": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')",
        "metadata.taints[0].effect: Required value",
      ],
    ],
    "has each taint once": [
      {
        spec: {
          taints: [
            { key: "a", effect: "NoSchedule" },
            { key: "a", effect: "NoExecute" },
            { key: "a", value: "b", effect: "NoSchedule" },
          ],
        },
      },
      [
        'metadata.taints[2]: Duplicate value: {"Key":"a","Value":"b","Effect":"NoSchedule","TimeAdded":null}: taints must be unique by key and effect pair',
      ],
    ],
    "has effects of the three kinds": [
      { spec: { taints: [{ key: "a", effect: "Later" }] } },
      [
        'metadata.taints[0].effect: Unsupported value: "Later": supported values: "NoSchedule", "PreferNoSchedule", "NoExecute"',
      ],
    ],
    "has amounts that are not negative, and whole where they must be": [
      { status: { capacity: { cpu: "-1", pods: "1500m" }, allocatable: { "a.b/gpu": "500m" } } },
      [
        'status.capacity.cpu: Invalid value: "-1": must be greater than or equal to 0',
        'status.capacity.pods: Invalid value: "1500m": must be an integer',
        'status.allocatable.a.b/gpu: Invalid value: "500m": must be an integer',
      ],
    ],
    "has one range of each family": [
      { spec: { podCIDRs: ["10.0.0.0/24", "10.0.1.0/24"] } },
      [
        'spec.podCIDRs: Invalid value: ["10.0.0.0/24","10.0.1.0/24"]: may specify no more than one CIDR for each IP family',
      ],
    ],
    "may have a range of each family": [{ spec: { podCIDRs: ["10.0.0.0/24", "fd00::/64"] } }, []],
    "declares features in order": [
      { status: { declaredFeatures: ["B", "A", "A", "bad"] } },
      [
        'status.declaredFeatures[1]: Invalid value: "A": list must be sorted alphabetically',
        'status.declaredFeatures[2]: Duplicate value: "A"',
        'status.declaredFeatures[3]: Invalid value: "bad": invalid feature name "bad": must start with an UpperCamelCase segment, with subsequent segments separated by \'/\' (e.g., MyFeature or MyFeature/mySubFeature), and contain only alphanumeric characters and slashes',
      ],
    ],
  };
  for (const [name, [value, errors]] of Object.entries(cases)) {
    it(name, () => {
      assert.deepEqual(told(validateNode(node(value))), errors);
    });
  }

  it("keeps its ranges and its provider once it has them", () => {
    const old = node({ spec: { podCIDRs: ["10.0.0.0/24"], providerID: "a" } });
    const next = node({ spec: { podCIDRs: ["10.0.1.0/24"] } });
    assert.deepEqual(told(validateNodeUpdate(next, old)), [
      'spec.podCIDRs: Forbidden: node updates may not change podCIDR except from "" to valid',
      "spec.providerID: Invalid value: null: field cannot be cleared once set",
    ]);
    assert.deepEqual(validateNodeUpdate(old, node({})), []);
  });

  it("reports each address once", () => {
    const address = { type: "InternalIP", address: "10.0.0.1" };
    const next = node({ status: { addresses: [address, address] } });
    assert.deepEqual(told(validateNodeUpdate(next, node({}))), [
      'status.addresses[1]: Duplicate value: {"Type":"InternalIP","Address":"10.0.0.1"}',
    ]);
  });
});
