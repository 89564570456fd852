import assert from "node:assert/strict";
import { test } from "node:test";
import { field, listOf, ref, required, string, time, type } from "../src/api/schema/schema.ts";
import { generateTypes, isUpToDate } from "./generate-types.ts";

function bodyOf(text: string): string {
  return text.slice(text.indexOf("\n\n/**") + 2);
}

test("src/api/types.ts is what the tables say", async () => {
  assert.ok(await isUpToDate(), "run npm run generate");
});

test("a field is optional unless it is always written, and a list that is always written may be null", () => {
  const thing = type("a.b.v1.Thing", "A thing", {
    name: field(1, string, "Its name", required),
    note: field(2, string, "A note"),
    tags: field(3, listOf(string), "Tags", required),
    seen: field(4, time, "Last seen", { alwaysEmit: true }),
  });

  assert.equal(
    bodyOf(generateTypes([thing])),
    `/** A thing */
export type Thing = {
  /** Its name */
  name: string;
  /** A note */
  note?: string | undefined;
  /** Tags */
  tags?: string[] | null | undefined;
  /** Last seen */
  seen?: string | null | undefined;
};
`,
  );
});

test("of two types with one name, the core group's keeps it and the other is named after its group", () => {
  const core = type("io.k8s.api.core.v1.Event", "One", { a: field(1, string, "A") });
  const events = type("io.k8s.api.events.v1.Event", "Two", { b: field(1, ref(core), "B") });

  const text = generateTypes([events, core]);

  assert.match(text, /export type Event = \{\n {2}\/\*\* A \*\//);
  assert.match(
    text,
    /export type EventsV1Event = \{\n {2}\/\*\* B \*\/\n {2}b\?: Event \| undefined;/,
  );
});
