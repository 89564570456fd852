// The runner behind `npm test`. Unit tests share one process; files that start processes, or are a
// program's own tests, get one each.
//   npm test -- [--long] [--seed N] [--repeat-failed] [PART-OF-A-PATH…]

import { globSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { runTests } from "./test-runner.ts";

// Generous: on a busy machine a slow test is not a broken one.
const timeoutMs = 240_000;
const longTimeoutMs = 1_800_000;
const maxRepeated = 3;

const root = join(import.meta.dirname, "..");
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    long: { type: "boolean", default: false },
    seed: { type: "string" },
    "repeat-failed": { type: "boolean", default: false },
  },
});

const unit = find("src/**/*.test.ts");
const own = find("tools/**/*.test.ts", "packages/*/test/**/*.test.ts", "test/**/*.test.ts");
if (unit.length + own.length === 0) {
  console.log(`No test file has ${positionals.join(" or ")} in its path`);
  console.log("0 passed, 1 failed");
  process.exit(1);
}

const stop = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => stop.abort());
}
// Each file, and each program that it starts, compiles the same sources: once is enough.
const compiled = join(root, "node_modules", ".cache", "compiled");
const { failed } = await runTests({
  root,
  groups: [unit, ...own.map((file) => [file])],
  env: {
    ...process.env,
    NODE_COMPILE_CACHE: compiled,
    ...(values.long && { DRIFTLESS_TEST_LONG: "1" }),
    ...(values.seed !== undefined && { DRIFTLESS_TEST_SEED: values.seed }),
  },
  timeoutMs: values.long ? longTimeoutMs : timeoutMs,
  concurrency: availableParallelism(),
  extra: 2,
  repeatFailed: values["repeat-failed"] ? maxRepeated : 0,
  print: (line) => console.log(line),
  signal: stop.signal,
});
process.exitCode = failed > 0 ? 1 : 0;

function find(...patterns: readonly string[]): string[] {
  return globSync([...patterns], { cwd: root })
    .filter((file) => positionals.length === 0 || positionals.some((part) => file.includes(part)))
    .sort()
    .map((file) => join(root, file));
}
