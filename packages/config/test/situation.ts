// What most tests start from: a directory of their own, watches that are closed at the end, and a
// way to wait for a condition instead of for a time.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { type Environment, systemEnvironment } from "../src/environment.js";
import type { ConfigError, Watch, WatchOptions } from "../src/index.js";
import { openWatch } from "../src/watch-config.js";

// Far above anything that a working library needs, also on a busy machine.
const deadlineMs = 60_000;

export function temporaryDirectory(t: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), "driftless-config-"));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

export async function eventually(what: string, holds: () => boolean): Promise<void> {
  const startMs = systemEnvironment.now();
  while (!holds()) {
    assert.ok(systemEnvironment.now() - startMs < deadlineMs, `never happened: ${what}`);
    await passMs(5);
  }
}

/** Lets time pass. Proves nothing by itself: use it only to give a wrong thing the time to happen. */
export function passMs(ms: number): Promise<void> {
  const release = systemEnvironment.keepAlive();
  return new Promise((resolve) => {
    systemEnvironment.after(ms, () => {
      release();
      resolve();
    });
  });
}

export interface Opened<T> {
  readonly watch: Watch<T>;
  readonly errors: ConfigError[];
  readonly warnings: string[];
}

/** A watch on the real system, without the poll unless asked for: events alone must do. */
export async function open<T>(
  t: TestContext,
  path: string,
  options: WatchOptions<T> & { readonly environment?: Partial<Environment> } = {},
): Promise<Opened<T>> {
  const errors: ConfigError[] = [];
  const warnings: string[] = [];
  const { environment = {}, ...rest } = options;
  const watch = await openWatch<T>(
    path,
    { pollMs: 0, onError: (error) => void errors.push(error), ...rest },
    {
      ...systemEnvironment,
      warn: (message, { code }) => void warnings.push(`${code} ${message}`),
      ...environment,
    },
  );
  t.after(() => watch.close());
  return { watch, errors, warnings };
}
