// Sets of fields for property tests: few steps, so that sets meet often.

import fc from "fast-check";
import { type FieldSet, setOfPaths } from "../field-set.ts";

const step: fc.Arbitrary<string> = fc.constantFrom(
  "f:a",
  "f:b",
  'k:{"name":"x"}',
  'k:{"port":80}',
  'k:{"port":443}',
  'v:"s"',
  "i:2",
  "i:10",
);

export const anyPath: fc.Arbitrary<string[]> = fc.array(step, { minLength: 1, maxLength: 3 });
export const anySet: fc.Arbitrary<FieldSet> = fc.array(anyPath, { maxLength: 12 }).map(setOfPaths);
