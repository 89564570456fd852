// docs/sidecar.md calls itself all of it: whatever a compose file may say is named there.

import { deepEqual, ok } from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { ComposeFileError, readCompose } from "./compose-file.ts";

const DOC = readFileSync(join(import.meta.dirname, "../../docs/sidecar.md"), "utf8");

/** At each of these places a field that there is not: the parser names those that there are. */
const PLACES: readonly string[] = [
  "{ unheardOf: 1, sources: { a: /a }, output: none }",
  ...[
    ...["directory: /a", "file: /a", "environment: A", "configMap: a", "secret: a"],
    ...[
      "url: http://a",
      "objects: { labels: a=b, unheardOf: 1 }",
      "url: http://a, auth: { unheardOf: 1 }",
    ],
  ].map((source) => `{ sources: { a: { ${source}, unheardOf: 1 } }, output: none }`),
  "{ sources: { a: /a }, output: none, files: [{ path: a, copy: a, unheardOf: 1 }] }",
  "{ sources: { a: /a }, output: none, files: [{ path: a, copy: a, rename: { unheardOf: 1 } }] }",
  ...["volume", "files"].map(
    (kind) => `{ sources: { a: /a }, output: { ${kind}: /o, unheardOf: 1 } }`,
  ),
  "{ sources: { a: /a }, output: none, gate: { unheardOf: 1 } }",
  "{ sources: { a: /a }, output: none, reload: { actions: [], unheardOf: 1 } }",
  ...["signal: HUP", "http: http://a", "command: a", "touch: /a"].map(
    (action) => `{ sources: { a: /a }, output: none, reload: { ${action}, unheardOf: 1 } }`,
  ),
];

/** What is set, in the words of the parser. */
function fieldsAt(place: string): readonly string[] {
  try {
    readCompose(place, "c");
  } catch (err) {
    ok(err instanceof ComposeFileError);
    const lists = [...err.message.matchAll(/unheardOf: there is no such field; there are (.*)$/gm)];
    return lists.flatMap(([, list = ""]) => list.split(", "));
  }
  return [];
}

describe("docs/sidecar.md", () => {
  it("names every field that a compose file may have", () => {
    const fields = new Set(
      PLACES.flatMap((place) => {
        const found = fieldsAt(place);
        ok(found.length > 0, `nothing is known of ${place}`);
        return found;
      }),
    );
    const unnamed = [...fields].filter((name) => !new RegExp(`\\b${name}\\b`).test(DOC));
    deepEqual(unnamed, []);
  });
});
