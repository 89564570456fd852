// What an app pays that watches many volumes.

import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { tempDir } from "../src/base/testing/temp-dir.ts";
import { payloadOf, testWriter } from "../src/files/testing/test-writer.ts";
import { report } from "./report.ts";

const VOLUMES = 1000;
const CHILD = fileURLToPath(new URL("memory-child.ts", import.meta.url));

export function benchMemory(): void {
  using temp = tempDir();
  for (let i = 0; i < VOLUMES; i++) {
    const directory = temp.join(`volume-${i}`);
    mkdirSync(directory);
    testWriter(directory).write(
      payloadOf({ "app.json": `{"number":${i}}`, note: "x".repeat(1000) }),
    );
  }
  const printed = execFileSync(
    process.execPath,
    ["--expose-gc", CHILD, temp.path, String(VOLUMES)],
    {
      encoding: "utf8",
    },
  );
  const { before, after, idleCpuMs } = JSON.parse(printed) as {
    before: number;
    after: number;
    idleCpuMs: number;
  };
  const mib = 1024 * 1024;
  report({ name: `memory of an app with ${VOLUMES} watches`, unit: "MiB", ours: after / mib });
  report({ name: "  before its first watch", unit: "MiB", ours: before / mib });
  report({ name: "  per watch", unit: "KiB", ours: (after - before) / 1024 / VOLUMES });
  report({ name: "  processor time while idle for 5 s", unit: "ms", ours: idleCpuMs });
}
