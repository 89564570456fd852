import assert from "node:assert/strict";
import { it } from "node:test";
import * as library from "../src/index.js";
import { watchConfig } from "../src/watch-config.js";

it("the library exports what its types promise, and nothing else", () => {
  // The types of `library` are index.d.ts; that of `watchConfig` is the code's own. The compiler
  // compares them here; the other three functions are declared by the type in index.d.ts.
  const promised: typeof library.watchConfig = watchConfig;
  assert.equal(library.watchConfig, promised);
  assert.deepEqual(Object.keys(library).sort(), [
    "explain",
    "parseDotenv",
    "snapshot",
    "watchConfig",
  ]);
});
