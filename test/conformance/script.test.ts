import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { parseScript } from "./script.ts";

describe("parseScript", () => {
  it("reads a request with its headers, its body and what must be answered", () => {
    const { cases } = parseScript(
      "a.txt",
      [
        "== One thing holds",
        "PATCH configmaps/p?x=a in (b) as merge in table by bob",
        "  Accept-Encoding: gzip",
        "  {",
        '    "a":1',
        "  }",
        "422 Invalid",
        "  message: no",
        "  details:",
        "    {",
        '      "a":1',
        "    }",
      ].join("\n"),
    );
    assert.deepEqual(cases, [
      {
        name: "One thing holds",
        steps: [
          {
            at: "a.txt:2",
            text: "PATCH configmaps/p?x=a in (b) as merge in table by bob",
            inBackground: false,
            isRepeated: false,
            request: {
              method: "PATCH",
              target: "configmaps/p?x=a in (b)",
              user: "bob",
              type: "merge",
              wanted: "table",
              headers: [["Accept-Encoding", "gzip"]],
              body: '{\n  "a":1\n}',
            },
            status: 422,
            reason: "Invalid",
            facts: [
              { line: 8, text: "message: no", below: [] },
              {
                line: 9,
                text: "details:",
                below: [
                  { line: 10, text: "{", below: [{ line: 11, text: '"a":1', below: [] }] },
                  { line: 12, text: "}", below: [] },
                ],
              },
            ],
          },
        ],
      },
    ]);
  });

  it("reads requests without an answer, in the background and repeated, by the admin", () => {
    const { cases } = parseScript(
      "a.txt",
      "== x\nPOST a\n  {}\n\n# why\n& GET b\n200\n~ GET c\n404",
    );
    assert.deepEqual(
      cases[0]?.steps.map(({ inBackground, isRepeated, status, request: { user } }) => [
        inBackground,
        isRepeated,
        status,
        user,
      ]),
      [
        [false, false, undefined, "admin"],
        [true, false, 200, "admin"],
        [false, true, 404, "admin"],
      ],
    );
  });

  it("takes a YAML body for a body and not for headers", () => {
    const { cases } = parseScript("a.txt", "== x\nPOST a as yaml\n  Accept: b\n  kind: c\n  d: e");
    assert.equal(cases[0]?.steps[0]?.request.body, "kind: c\nd: e");
  });

  it("reads the flags of a server of its own", () => {
    assert.deepEqual(parseScript("a.txt", "server: --a 1 --b\n== x").serverFlags, [
      "--a",
      "1",
      "--b",
    ]);
    assert.equal(parseScript("a.txt", "== x").serverFlags, undefined);
  });

  it("says file and line of what it cannot read", () => {
    assert.throws(() => parseScript("a.txt", "== x\nGET a\n200\nnonsense"), /^Error: a\.txt:4: /);
    assert.throws(() => parseScript("a.txt", "\nGET a"), /^Error: a\.txt:2: stands before/);
  });
});
