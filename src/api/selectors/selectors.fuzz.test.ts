// Selectors of nonsense: a selector that can be written and read again, or the error that is promised.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { damagedText, fuzz } from "../testing/fuzz.ts";
import { type FieldSelector, parseFieldSelector } from "./field-selector.ts";
import { parseLabelSelector } from "./label-selector-parser.ts";
import { SelectorError } from "./selector-error.ts";

const throws = [SelectorError];

function sorted({ requirements }: FieldSelector): readonly string[] {
  return requirements.map((each) => JSON.stringify(each)).sort();
}

describe("a damaged selector", () => {
  it("of labels is read or refused, and means the same when written", () => {
    const input = damagedText(
      "a=b,!c,d in (e,f),g notin (),h>1,i<2,j==k,l!=m",
      "example.com/a,x",
      "in in (in)",
    );
    const run = (text: string): void => {
      const selector = parseLabelSelector(text);
      selector.matches({ a: "b", constructor: "x" });
      assert.equal(String(parseLabelSelector(String(selector))), String(selector));
    };
    fuzz({ input, throws, run });
  });

  it("of fields is read or refused, and means the same when written", () => {
    const input = damagedText("metadata.name=a,spec.nodeName!=b", "a==b\\,c\\=d\\\\", "x=,y!=");
    const run = (text: string): void => {
      const selector = parseFieldSelector(text);
      selector.matches(() => "a");
      // "==" is written as "=", which may put a requirement in another place; the order means nothing.
      assert.deepEqual(sorted(parseFieldSelector(String(selector))), sorted(selector));
    };
    fuzz({ input, throws, run });
  });
});
