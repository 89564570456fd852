import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import type { Pod } from "../../api/types.ts";
import type { NodeFacts } from "../env/environment.ts";
import { envFieldValue, splitSubscript, volumeFieldValue } from "./field-ref.ts";

function podWith(metadata: Partial<Pod["metadata"]>, spec: Partial<Pod["spec"]> = {}): Pod {
  return { metadata, spec, status: {} };
}

describe("volumeFieldValue", () => {
  const pod = podWith({
    name: "web",
    namespace: "shop",
    uid: "u-1",
    labels: { key2: "value2", key1: "value1" },
    annotations: {
      a1: "value1",
      a2: 'c\nb\na "quoted" \\ ü',
      "Www.k8s.io/test": "1",
      "www.k8s.io/Test": "2",
    },
  });
  const values: readonly [id: string, fieldPath: string, value: string][] = [
    ["D1", "metadata.labels", 'key1="value1"\nkey2="value2"'],
    [
      "D2",
      "metadata.annotations",
      'Www.k8s.io/test="1"\na1="value1"\na2="c\\nb\\na \\"quoted\\" \\\\ ü"\nwww.k8s.io/Test="2"',
    ],
    ["D3", "metadata.name", "web"],
    ["D4", "metadata.namespace", "shop"],
    ["D4", "metadata.uid", "u-1"],
    ["D15", "metadata.annotations['a1']", "value1"],
    ["D18", "metadata.annotations['Www.k8s.io/test']", "1"],
    ["-", "metadata.labels['key2']", "value2"],
    ["-", "metadata.labels['absent']", ""],
    ["-", "metadata.annotations['absent']", ""],
    ["-", "metadata.labels['constructor']", ""],
  ];
  for (const [id, fieldPath, value] of values) {
    it(`${id}: gives ${fieldPath}`, () => {
      assert.equal(volumeFieldValue(pod, fieldPath), value);
    });
  }

  const failures: readonly [id: string, fieldPath: string, message: RegExp][] = [
    [
      "D16",
      "metadata.annotations['']",
      /^invalid key subscript in metadata\.annotations\[''\]: name part must be non-empty;name part must consist of /,
    ],
    [
      "D19",
      "metadata.labels['Www.k8s.io/test']",
      /^invalid key subscript in metadata\.labels\['Www\.k8s\.io\/test'\]: prefix part /,
    ],
    ["D20", "metadata.whoops", /^unsupported fieldPath: metadata\.whoops$/],
    ["D20", "spec.nodeName", /^unsupported fieldPath: spec\.nodeName$/],
    [
      "D21",
      "metadata.notexisting['x']",
      /^fieldPath "metadata\.notexisting\['x'\]" does not support subscript$/,
    ],
  ];
  for (const [id, fieldPath, message] of failures) {
    it(`${id}: refuses ${fieldPath}`, () => {
      assert.throws(
        () => volumeFieldValue(pod, fieldPath),
        (error: Error) => {
          assert.match(error.message, message);
          return true;
        },
      );
    });
  }

  it("D17: escapes the end of a line in a value", () => {
    assert.equal(
      volumeFieldValue(podWith({ labels: { key: "value\n" } }), "metadata.labels"),
      'key="value\\n"',
    );
  });

  it("shows a map without keys as nothing", () => {
    assert.equal(volumeFieldValue(podWith({}), "metadata.annotations"), "");
  });

  it("writes any annotations so that they can be read back, sorted by bytes", () => {
    const key = fc.stringMatching(/^[a-zA-Z][a-zA-Z0-9._-]{0,8}$/);
    fc.assert(
      fc.property(fc.dictionary(key, fc.string({ unit: "binary" })), (annotations) => {
        const text = volumeFieldValue(podWith({ annotations }), "metadata.annotations");
        const lines = text === "" ? [] : text.split("\n");
        const read = lines.map((line) => {
          const at = line.indexOf("=");
          return [line.slice(0, at), goUnquoted(line.slice(at + 1))] as const;
        });
        const sorted = Object.keys(annotations).toSorted((a, b) =>
          Buffer.compare(Buffer.from(a), Buffer.from(b)),
        );
        assert.deepEqual(
          read,
          sorted.map((name) => [name, annotations[name]?.toWellFormed()]),
        );
      }),
    );
  });
});

/** As Go reads a quoted string. */
function goUnquoted(quoted: string): string {
  const named = new Map(
    Object.entries({ a: "\u0007", b: "\b", f: "\f", n: "\n", r: "\r", t: "\t", v: "\v" }),
  );
  assert.match(quoted, /^".*"$/u);
  return quoted.slice(1, -1).replace(/\\(?:x..|u.{4}|U.{8}|.)/gu, (escaped) => {
    if (escaped.length > 2) return String.fromCodePoint(Number.parseInt(escaped.slice(2), 16));
    return named.get(escaped.slice(1)) ?? escaped.slice(1);
  });
}

describe("splitSubscript", () => {
  const cases: readonly [string, { field: string; key: string } | undefined][] = [
    ["metadata.annotations['myKey']", { field: "metadata.annotations", key: "myKey" }],
    ["metadata.annotations['a[b']c']", { field: "metadata.annotations", key: "a[b']c" }],
    ["metadata.labels['']", { field: "metadata.labels", key: "" }],
    ["metadata.labels", undefined],
    ["metadata.labels[]", undefined],
    ["metadata.labels[']", undefined],
    ["metadata.labels['key']foo", undefined],
    ["['key']", undefined],
    ["metadata.labels[ 'key' ]", undefined],
  ];
  for (const [fieldPath, parts] of cases) {
    it(`D22: ${parts ? "splits" : "does not split"} ${fieldPath}`, () => {
      assert.deepEqual(splitSubscript(fieldPath), parts);
    });
  }
});

describe("envFieldValue", () => {
  const pod = podWith(
    { name: "web", namespace: "shop", labels: { app: "w" } },
    { nodeName: "n1", serviceAccountName: "special" },
  );
  const node: NodeFacts = { name: "n1", addresses: ["10.0.0.1", "fd00::1"], allocatable: {} };
  const values: readonly [fieldPath: string, value: string][] = [
    ["metadata.name", "web"],
    ["metadata.namespace", "shop"],
    ["metadata.labels['app']", "w"],
    ["spec.nodeName", "n1"],
    ["spec.host", "n1"],
    ["spec.serviceAccountName", "special"],
    ["status.podIP", "10.0.0.1"],
    ["status.podIPs", "10.0.0.1,fd00::1"],
    ["status.hostIP", "10.0.0.1"],
    ["status.hostIPs", "10.0.0.1,fd00::1"],
  ];
  for (const [fieldPath, value] of values) {
    it(`L8: gives ${fieldPath}`, () => {
      assert.equal(envFieldValue({ pod, node }, fieldPath), value);
    });
  }

  it("L9: names the node's primary family first, whatever the pod's status said before", () => {
    const before: Pod = { ...pod, status: { podIPs: [{ ip: "10.9.9.9" }, { ip: "fd99::9" }] } };
    const six = { ...node, addresses: ["fd00::1", "10.0.0.1"] };
    assert.equal(envFieldValue({ pod: before, node: six }, "status.podIPs"), "fd00::1,10.0.0.1");
    assert.equal(envFieldValue({ pod: before, node: six }, "status.podIP"), "fd00::1");
  });

  it("gives no address of the pod, and fails for that of the node, while the node has none", () => {
    const alone = { ...node, addresses: [] };
    assert.equal(envFieldValue({ pod, node: alone }, "status.podIP"), "");
    assert.throws(
      () => envFieldValue({ pod, node: alone }, "status.hostIPs"),
      /^Error: host IP unknown/,
    );
  });
});
