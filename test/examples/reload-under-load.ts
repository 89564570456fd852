// A server that serves while its sidecar makes it reload, again and again.

import { deepEqual, equal, ok } from "node:assert/strict";
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { HttpLoad } from "./http-load.ts";
import type { LocalExample } from "./local-example.ts";

export interface ReloadUnderLoadOptions {
  readonly example: LocalExample;
  readonly port: string;
  readonly reloads: number;
  /** Below the directory in which the example works. */
  readonly pidFile: string;
  /** The file that is written anew, such as site.conf. */
  readonly file: string;
  /** What makes the server answer with this text. */
  readonly config: (text: string) => string;
  /** What its gate refuses. */
  readonly bad: string;
}

/** Throws if a request failed, or if a version was not served. Returns how many requests crossed with the closing of their connection. */
export async function reloadUnderLoad(
  test: TestContext,
  { example, port, reloads, file, config, bad, ...options }: ReloadUnderLoadOptions,
): Promise<number> {
  // Whole at one instant: an empty file would be a configuration, too.
  const write = (text: string): void => {
    writeFileSync(join(example.work, "next"), text);
    renameSync(join(example.work, "next"), join(example.work, "config", file));
  };
  const pidFile = join(example.work, options.pidFile);
  const pid = (): string => (existsSync(pidFile) ? readFileSync(pidFile, "utf8") : "");
  const tells = (): number => example.log.match(/"app was told"/g)?.length ?? 0;
  example.start();
  await example.until("it has started", () => pid() !== "");
  const before = pid();
  const load = new HttpLoad({ port: Number(port), fresh: 3, slow: 4, kept: 2 });
  await load.untilServed();
  const enough = new AbortController();
  const running = load.run(enough.signal);
  try {
    for (let i = 1; i <= reloads; i++) {
      write(config(`version ${i}`));
      await example.until(`version ${i} is served`, () => load.seen.has(`version ${i}`));
      // Served is sooner than said; of one that another takes the place of before that, nothing is said.
      await example.until(`version ${i} is told`, () => tells() >= i);
    }
    write(bad);
    await example.until("it is refused", () => example.log.includes('"stage":"gate"'));
  } finally {
    enough.abort();
    await running;
  }
  test.diagnostic(
    `${reloads} reloads, answered ${JSON.stringify(load.answered)}, ${load.crossed} crossed`,
  );
  deepEqual(load.failures, []);
  for (const [kind, count] of Object.entries(load.answered)) ok(count > reloads / 2, kind);
  equal(load.seen.size, reloads + 1, "all versions were served, and what was there before");
  equal(pid(), before, "it was never restarted");
  equal(tells(), reloads);
  equal(
    readFileSync(join(example.work, "live", file), "utf8"),
    config(`version ${reloads}`),
    "what was refused is not live",
  );
  return load.crossed;
}
