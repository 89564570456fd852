import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { expand } from "./expansion.ts";

describe("expand", () => {
  const variables = new Map([
    ["VAR_A", "A"],
    ["VAR_B", "B"],
    ["VAR_C", "C"],
    ["VAR_REF", "$(VAR_A)"],
    ["VAR_EMPTY", ""],
  ]);
  const lookup = (name: string): string | undefined => variables.get(name);

  const changed: readonly [text: string, expanded: string][] = [
    ["$(VAR_A)", "A"],
    ["$(VAR_A)-$(VAR_A)", "A-A"],
    ["$(VAR_A)-1", "A-1"],
    ["___$(VAR_B)___", "___B___"],
    ["___$(VAR_C)", "___C"],
    ["$(VAR_A)_$(VAR_B)_$(VAR_C)", "A_B_C"],
    ["$$(VAR_B)_$(VAR_A)", "$(VAR_B)_A"],
    ["$$(VAR_A)_$$(VAR_B)", "$(VAR_A)_$(VAR_B)"],
    ["f000-$$VAR_A", "f000-$VAR_A"],
    ["foo\\$(VAR_C)bar", "foo\\Cbar"],
    ["foo\\\\$(VAR_C)bar", "foo\\\\Cbar"],
    ["foo\\\\\\\\$(VAR_A)bar", "foo\\\\\\\\Abar"],
    ["$(VAR_REF)", "$(VAR_A)"],
    ["%%$(VAR_REF)--$(VAR_REF)%%", "%%$(VAR_A)--$(VAR_A)%%"],
    ["foo$(VAR_EMPTY)bar", "foobar"],
    ["$$$$$$(BIG_MONEY)", "$$$(BIG_MONEY)"],
    ["$$$$$$(VAR_A)", "$$$(VAR_A)"],
    ["$$$$$$$(GOOD_ODDS)", "$$$$(GOOD_ODDS)"],
    ["$$$$$$$(VAR_A)", "$$$A"],
    ["$(VAR_B)_______$(A", "B_______$(A"],
    ["$(VAR_C)_______$(", "C_______$("],
    ["$(VAR_A)foobarzab$", "Afoobarzab$"],
    ["$$", "$"],
    ["$$$", "$$"],
    // The name of the first reference is `foo$(`, and the search goes on after its end.
    ["$(foo$()$(VAR_A)", "$(foo$()A"],
    ["$($$(VAR_A)", "$($$(VAR_A)"],
  ];
  for (const [text, expanded] of changed) {
    it(`M: makes ${expanded} of ${text}`, () => {
      assert.equal(expand(text, lookup), expanded);
    });
  }

  const unchanged: readonly string[] = [
    "$(VAR_A$(VAR_B))",
    "$(VAR_A$(VAR_B)",
    "foo$(VAR_Awhoops!",
    "f00__(VAR_A)__",
    "$?_boo_$!",
    "$VAR_A",
    "$(VAR_DNE)",
    "$VAR_A)",
    "$\u007bVAR_A}",
    "foo-\\$(VAR_A",
    "--$($($($($--",
    "$($($($($--foo$(",
    "foo0--$($($($(",
    "$(foo$$var)",
    "\n",
    "",
    "$",
    "$()",
    "$£FOO",
    "prefix-$€-suffix",
    "$中文",
    "$😀",
  ];
  for (const text of unchanged) {
    it(`M: leaves ${JSON.stringify(text)} alone`, () => {
      assert.equal(expand(text, lookup), text);
    });
  }

  it("M: gives each variable what was defined before it", () => {
    const defined = new Map<string, string>();
    for (const [name, text] of [
      ["FOO", "bar"],
      ["ZOO", "$(FOO)-1"],
      ["BLU", "$(ZOO)-2"],
    ] as const) {
      defined.set(
        name,
        expand(text, (of) => defined.get(of)),
      );
    }
    assert.deepEqual([...defined.values()], ["bar", "bar-1", "bar-1-2"]);
  });

  it("agrees with the rules, told one character at a time", () => {
    const piece = fc.constantFrom("$", "$", "(", ")", "A", "VAR_A", "\\", "é", "😀");
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 24 }), (pieces) => {
        const text = pieces.join("");
        assert.equal(expand(text, lookup), expandSlowly(text, lookup));
      }),
    );
  });

  it("gives back any text whose dollar signs were doubled", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        assert.equal(
          expand(text.replaceAll("$", "$$$$"), () => "never"),
          text,
        );
      }),
    );
  });

  it("does not search the rest of the text again for each opening", () => {
    const text = "$(".repeat(2_000_000);
    // Linear time needs a thousandth of this, and quadratic time a thousand times as much.
    runInNewContext(
      "run()",
      { run: () => assert.equal(expand(text, lookup), text) },
      { timeout: 20_000 },
    );
  });
});

function expandSlowly(text: string, lookup: (name: string) => string | undefined): string {
  if (text === "") return "";
  const [reference, name = ""] = /^\$\(([^)]*)\)/.exec(text) ?? [];
  if (reference !== undefined) {
    return (lookup(name) ?? reference) + expandSlowly(text.slice(reference.length), lookup);
  }
  if (text.startsWith("$$")) return `$${expandSlowly(text.slice(2), lookup)}`;
  const length = text.startsWith("$") ? 2 : 1;
  return text.slice(0, length) + expandSlowly(text.slice(length), lookup);
}
