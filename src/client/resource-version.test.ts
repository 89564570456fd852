import { equal } from "node:assert/strict";
import { it } from "node:test";
import { isOlderVersion } from "./resource-version.ts";

it("isOlderVersion compares numbers of any length, and nothing else", () => {
  const cases: readonly (readonly [string | undefined, string | undefined, boolean])[] = [
    ["9", "10", true],
    ["10", "9", false],
    ["10", "10", false],
    ["99999999999999999998", "99999999999999999999", true],
    ["a", "b", false],
    ["1", "b", false],
    ["01", "2", false],
    [undefined, "2", false],
    ["1", undefined, false],
    ["", "1", false],
  ];
  for (const [one, other, expected] of cases) {
    equal(isOlderVersion(one, other), expected, `${one} and ${other}`);
  }
});
