// A hand-over under load: the new program is there before the old one goes, and nobody who asks is turned away.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { getuid } from "node:process";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { tempDir } from "../../src/base/testing/temp-dir.ts";
import { LONG } from "../support/campaign.ts";
import { RunProcess } from "./run-process.ts";

const migrates = "/proc/sys/net/ipv4/tcp_migrate_req";
const handOvers = LONG ? 50 : 5;
const port = "8080";
const programOf = (name: string): string => join(import.meta.dirname, "programs", name);

function whyNot(): string | false {
  if (getuid?.() !== 0) return "needs root for a network of its own";
  return existsSync(migrates) ? false : "needs Linux 5.14";
}

test(`run hands over ${handOvers} times under load without a failed request, and not to a program that is not ready`, {
  skip: whyNot(),
}, async () => {
  using dir = tempDir();
  dir.write({ "env/A": "0", "state/x": "" });
  const set = (text: string): void => {
    writeFileSync(dir.join("next"), text);
    renameSync(dir.join("next"), dir.join("env/A"));
  };
  // Connections that wait for the old one go to the new one.
  const network = `ip link set lo up; echo 1 > ${migrates}; exec "$@"`;
  // A port that both listen on says nothing about the new one.
  const ready = `exec:sh -c 'test -e ${dir.join("state")}/$DRIFTLESS_CHILD_PID'`;
  await using run = RunProcess.start({
    prefix: ["unshare", "--net", "sh", "-c", network, "sh"],
    args: [
      ...["--env-from", dir.join("env"), "--min-wait", "1ms"],
      ...["--overlap", "--ready", ready],
      ...["--", process.execPath, programOf("shared-port.ts")],
    ],
    env: { PORT: port, STATE: dir.join("state") },
  });
  await run.untilLogged("program is ready");
  await using load = new Load(run.pid);
  await load.untilAnswered("0");
  for (let n = 1; n <= handOvers; n++) {
    if (n === 2) {
      set("bad");
      await run.untilLogged("version refused, the last good one stays");
    }
    set(String(n));
    await load.untilAnswered(String(n));
    await run.untilLogged("program is ready", n + 1);
  }
  const { count, failures } = await load.end();
  assert.deepEqual(failures, []);
  assert.ok(count > handOvers * 10, `${count} requests`);
  run.signal("SIGTERM");
  assert.equal(await run.exit, 0);
});

class Load implements AsyncDisposable {
  readonly #lines: string[] = [];
  readonly #process;
  readonly #closed;
  #onLine: () => void = () => undefined;

  /** In the network of a process. */
  constructor(pid: number) {
    const command = [process.execPath, programOf("load.ts"), port];
    this.#process = spawn("nsenter", ["-t", String(pid), "-n", ...command], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    this.#closed = once(this.#process, "close");
    createInterface({ input: this.#process.stdout }).on("line", (line) => {
      this.#lines.push(line);
      this.#onLine();
    });
  }

  async untilAnswered(text: string): Promise<void> {
    const limit = AbortSignal.timeout(60_000);
    while (!this.#lines.includes(text)) {
      limit.throwIfAborted();
      await new Promise<void>((resolve) => {
        this.#onLine = resolve;
        limit.addEventListener("abort", () => resolve(), { once: true });
      });
    }
  }

  async end(): Promise<{ readonly count: number; readonly failures: readonly string[] }> {
    this.#process.kill("SIGTERM");
    await this.#closed;
    return JSON.parse(this.#lines.at(-1) ?? "") as Awaited<ReturnType<Load["end"]>>;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#process.kill("SIGKILL");
    await this.#closed;
  }
}
