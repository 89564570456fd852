import { equal, throws } from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import type { Input } from "./make-error.ts";
import { type MergeOptions, merged } from "./merge.ts";

function input(text: string, isSecret = false): Input {
  return { address: "app/a.yaml", name: "a.yaml", data: Buffer.from(text), isSecret };
}

function merge(texts: readonly string[], options: Partial<MergeOptions> = {}): string {
  const inputs = texts.map((text) => input(text));
  return Buffer.from(merged(inputs, { format: "yaml", lists: "replace", ...options })).toString();
}

const table: readonly [name: string, inputs: readonly string[], wanted: string][] = [
  [
    "maps key by key, the later wins",
    ["a: {p: 1, q: 2}", "a: {q: 3, z: 4}"],
    "a:\n  p: 1\n  q: 3\n  z: 4\n",
  ],
  ["lists by replacing them", ["a: [1, 2]", "a: [3]"], "a:\n  - 3\n"],
  ["null by removing the key", ["a: 1\nb: 2", "a: null"], "b: 2\n"],
  ["null of a key that is not there by nothing", ["a: 1", "b: {c: ~, d: 2}"], "a: 1\nb:\n  d: 2\n"],
  ["a map over a scalar by replacing it", ["a: 1", "a: {b: 2}"], "a:\n  b: 2\n"],
  ["a scalar over a map by replacing it", ["a: {b: 2}", "a: 1"], "a: 1\n"],
  ["JSON into YAML", ['{"a": "1"}', "b: 2"], 'a: "1"\nb: 2\n'],
  [
    "numbers without changing their spelling",
    ["m: 0644\nv: 1.10", "k: 12345678901234567890123"],
    "m: 0644\nv: 1.10\nk: 12345678901234567890123\n",
  ],
  [
    "texts that look like something else in their quotes",
    ['a: "no"', "b: 'null'"],
    'a: "no"\nb: "null"\n',
  ],
  ["texts of several lines", ["a: |\n  x\n  y\n", "{}"], "a: |\n  x\n  y\n"],
  [
    "YAML 1.1's merge keys",
    ["d: &d {x: 1, q: 2}\na:\n  <<: *d\n  q: 3", "{}"],
    "d:\n  x: 1\n  q: 2\na:\n  q: 3\n  x: 1\n",
  ],
  ["an empty file as if it was not there", ["a: 1", "# nothing\n"], "a: 1\n"],
  [
    "keys named as prototypes have it",
    ["__proto__: {a: 1}", "__proto__: {b: 2}"],
    "__proto__:\n  a: 1\n  b: 2\n",
  ],
];

describe("merged", () => {
  for (const [name, inputs, wanted] of table) {
    it(`merges ${name}`, () => equal(merge(inputs), wanted));
  }

  it("appends lists where that is asked for", () => {
    equal(merge(["a: [1]", "a: [2]"], { lists: "append" }), "a:\n  - 1\n  - 2\n");
  });

  it("writes JSON with what YAML takes plain scalars for", () => {
    const text = 'a: 0644\nb: yes\nc: true\nd: ~\ne: 0x1F\nf: 1e3\ng: "5"\nh: .5\ni: []';
    equal(
      merge([text], { format: "json" }).replace(/\s/g, ""),
      '{"a":644,"b":"yes","c":true,"d":null,"e":31,"f":1e3,"g":"5","h":0.5,"i":[]}',
    );
  });

  it("names line and column of what is not YAML", () => {
    throws(() => merge(["a: 1\nb: [", "c: 1"]), /^MakeError: app\/a\.yaml:2:/);
  });

  it("shows nothing of a Secret that is not YAML", () => {
    const secret = input("pass: *hunter2", true);
    throws(
      () => merged([secret], { format: "yaml", lists: "replace" }),
      (err: Error) => {
        equal(err.message.includes("hunter2"), false);
        return true;
      },
    );
  });

  it("refuses what is no map, several documents, and tags that would be lost", () => {
    throws(() => merge(["a: 1", "- 1"]), /not a map/);
    throws(() => merge(["a: 1\n---\nb: 2"]), /2 documents/);
    throws(() => merge(["a: !vault x"]), /tag/);
  });

  it("refuses a YAML bomb at once", () => {
    const lines = ["a0: &a0 [x,x,x,x,x,x,x,x,x,x]"];
    for (let i = 1; i < 12; i++) {
      lines.push(`a${i}: &a${i} [${Array.from({ length: 10 }, () => `*a${i - 1}`).join(",")}]`);
    }
    throws(() => merge([lines.join("\n"), "b: 1"]), /aliases written out/);
  });

  it("refuses an alias that holds itself and nesting without end", () => {
    throws(() => merge(["a: &a [*a]"]), /MakeError/);
    throws(() => merge([`${"[".repeat(3000)}${"]".repeat(3000)}`]), /levels|MakeError/);
  });
});

const value = fc.letrec((tie) => ({
  tree: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.integer(),
    fc.boolean(),
    fc.string(),
    fc.array(tie("tree"), { maxLength: 3 }),
    tie("map"),
  ),
  map: fc.dictionary(fc.string({ maxLength: 4 }), tie("tree"), { maxKeys: 4 }),
})).map;
const text = value.map((one) => JSON.stringify(one));

/** Maps in which what has the same name is of the same kind. */
const alike = fc
  .letrec((tie) => ({
    map: fc.record(
      {
        list: fc.array(fc.integer(), { maxLength: 3 }),
        scalar: fc.oneof(fc.integer(), fc.string()),
        below: fc.oneof({ depthSize: "small" }, fc.constant({}), tie("map")),
      },
      { requiredKeys: [] },
    ),
  }))
  .map.map((one) => JSON.stringify(one));

function asJson(texts: readonly string[], lists: MergeOptions["lists"] = "replace"): unknown {
  return sorted(JSON.parse(merge(texts, { format: "json", lists })));
}

/** The order of keys means nothing to most laws. */
function sorted(one: unknown): string {
  return JSON.stringify(one, (_, inner: unknown) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}

describe("laws of merging", () => {
  it("an empty map changes nothing, on either side", () => {
    fc.assert(
      fc.property(text, (a) => {
        equal(asJson([a, "{}"]), sorted(JSON.parse(a)));
        equal(asJson(["{}", a]), sorted(JSON.parse(a)));
      }),
      { numRuns: 60 },
    );
  });

  it("the same twice is the same once", () => {
    fc.assert(
      fc.property(text, (a) => equal(asJson([a, a]), sorted(JSON.parse(a)))),
      { numRuns: 60 },
    );
  });

  // A scalar between two lists or maps makes the later one start anew, and only if it is merged before.
  it("it does not matter which two are merged first, as long as nothing changes its kind", () => {
    fc.assert(
      fc.property(alike, alike, alike, fc.constantFrom("replace", "append"), (a, b, c, lists) => {
        const options = { format: "json", lists } as const;
        equal(
          asJson([merge([a, b], options), c], lists),
          asJson([a, merge([b, c], options)], lists),
        );
      }),
      { numRuns: 60 },
    );
  });

  it("what is written as YAML is read back as the same", () => {
    fc.assert(
      fc.property(text, (a) => equal(asJson([merge([a])]), sorted(JSON.parse(a)))),
      { numRuns: 100 },
    );
  });
});
