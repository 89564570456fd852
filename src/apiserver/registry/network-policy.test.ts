import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JsonObject } from "../../api/json.ts";
import { itAccepts, itRefuses } from "./testing/refusals.ts";
import { created } from "./testing/writes.ts";

const good = {
  apiVersion: "networking.k8s.io/v1",
  kind: "NetworkPolicy",
  metadata: { name: "x" },
  spec: {
    podSelector: { matchLabels: { app: "web" } },
    ingress: [{ ports: [{ port: "http" }, { port: 1, endPort: 2 }], from: [{ podSelector: {} }] }],
    egress: [{ to: [{ ipBlock: { cidr: "10.0.0.0/8", except: ["10.1.0.0/16"] } }] }],
  },
};

function from(peer: JsonObject): JsonObject {
  return { spec: { ingress: [{ from: [peer] }] } };
}

function ports(port: JsonObject): JsonObject {
  return { spec: { egress: [{ ports: [port] }] } };
}

describe("NetworkPolicy", () => {
  itAccepts(good);

  itRefuses(good, [
    [
      "a peer that is nobody",
      from({}),
      "spec.ingress[0].from[0]: Required value: must specify a peer",
    ],
    [
      "a peer that is two things",
      from({ podSelector: {}, ipBlock: { cidr: "10.0.0.0/8" } }),
      "spec.ingress[0].from[0]: Forbidden: may not specify both ipBlock and another peer",
    ],
    [
      "a range that is none",
      from({ ipBlock: { cidr: "10.0.0.0" } }),
      'spec.ingress[0].from[0].ipBlock.cidr: Invalid value: "10.0.0.0": must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)',
    ],
    [
      "no range",
      from({ ipBlock: { cidr: "" } }),
      "spec.ingress[0].from[0].ipBlock.cidr: Required value",
    ],
    [
      "exceptions that are none",
      from({ ipBlock: { cidr: "10.0.0.0/8", except: ["11.0.0.0/16", "10.0.0.0/8", "fe80::/64"] } }),
      'spec.ingress[0].from[0].ipBlock.except[0]: Invalid value: "11.0.0.0/16": must be a strict subset of `cidr`',
      'spec.ingress[0].from[0].ipBlock.except[1]: Invalid value: "10.0.0.0/8": must be a strict subset of `cidr`',
      'spec.ingress[0].from[0].ipBlock.except[2]: Invalid value: "fe80::/64": must be a strict subset of `cidr`',
    ],
    [
      "a protocol that nobody speaks, and a port that nobody has",
      ports({ protocol: "X", port: 0 }),
      'spec.egress[0].ports[0].protocol: Unsupported value: "X": supported values: "TCP", "UDP", "SCTP"',
      "spec.egress[0].ports[0].port: Invalid value: 0: must be between 1 and 65535, inclusive",
    ],
    [
      "ports in a row that end before they begin",
      ports({ port: 5, endPort: 4 }),
      "spec.egress[0].ports[0].endPort: Invalid value: 4: must be greater than or equal to `port`",
    ],
    [
      "ports in a row that begin with a name",
      ports({ port: "http", endPort: 4 }),
      "spec.egress[0].ports[0].endPort: Invalid value: 4: may not be specified when `port` is non-numeric",
    ],
    [
      "ports in a row without a beginning",
      ports({ endPort: 4 }),
      "spec.egress[0].ports[0].endPort: Invalid value: 4: may not be specified when `port` is not specified",
    ],
    [
      "types that there are not",
      { spec: { policyTypes: ["Ingress", "x"] } },
      'spec.policyTypes[1]: Unsupported value: "x": supported values: "Ingress", "Egress"',
    ],
    [
      "more types than there are",
      { spec: { policyTypes: ["Ingress", "Egress", "Ingress"] } },
      'spec.policyTypes: Invalid value: ["Ingress","Egress","Ingress"]: may not specify more than two policyTypes',
    ],
  ]);

  it("is about what comes in, and about what goes out if that is said; ports are TCP's", () => {
    const { spec } = created(good).object as unknown as {
      readonly spec: {
        readonly policyTypes: readonly string[];
        readonly ingress: readonly { readonly ports: readonly { readonly protocol: string }[] }[];
      };
    };
    assert.deepEqual(spec.policyTypes, ["Ingress", "Egress"]);
    assert.deepEqual(
      spec.ingress[0]?.ports.map(({ protocol }) => protocol),
      ["TCP", "TCP"],
    );
  });
});
