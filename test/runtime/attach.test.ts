// Attaching to real containers, with the real log keeper.

import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, it } from "node:test";
import type { Attachment } from "../../src/runtime/runtime.ts";
import { KeeperBench, killKeeper, linesOf, until } from "../logs/keeper-bench.ts";
import { cannotRun, LiveRuntime, type SpecChanges } from "./live-runtime.ts";

/** What somebody who is attached has seen. */
class Watcher {
  readonly attachment: Attachment;
  text = "";
  errors = "";
  readonly ended: Promise<void>;

  constructor(attachment: Attachment) {
    this.attachment = attachment;
    attachment.stdout.on("data", (bytes: Buffer) => {
      this.text += bytes.toString();
    });
    attachment.stderr?.on("data", (bytes: Buffer) => {
      this.errors += bytes.toString();
    });
    this.ended = new Promise((resolve) => attachment.stdout.once("end", () => resolve()));
  }

  type(text: string): void {
    this.attachment.stdin?.write(text);
  }

  async sees(what: string): Promise<void> {
    await until(() => this.text.includes(what) || this.attachment.stdout.readableEnded);
    assert.ok(this.text.includes(what), `it ended with ${JSON.stringify(this.text.slice(-200))}`);
  }
}

/** Typed again until the container answers as expected: what was asked for before may come to it a moment later. */
async function echoes(client: Watcher, word: string, expected: string): Promise<void> {
  for (let times = 1; !client.text.includes(expected); times++) {
    client.type(`${word}\n`);
    await until(
      () => client.text.split(`got ${word} `).length > times && client.text.endsWith("\n"),
    );
    assert.ok(times < 1000, client.text.slice(-200));
  }
}

class AttachBench implements AsyncDisposable {
  readonly keepers: KeeperBench = new KeeperBench();
  agent: ReturnType<KeeperBench["agent"]> = this.keepers.agent();
  readonly #lives: LiveRuntime[] = [];

  static async start(): Promise<AttachBench> {
    const bench = new AttachBench();
    bench.#lives.push(await LiveRuntime.with({ logKeeper: bench.agent }));
    return bench;
  }

  get live(): LiveRuntime {
    const live = this.#lives.at(-1);
    assert.ok(live);
    return live;
  }

  get logPath(): string {
    return join(this.live.root, "main.log");
  }

  async sh(script: string, changes: SpecChanges): Promise<string> {
    const spec = this.live.spec({ argv: ["sh", "-c", script], ...changes });
    const { id } = await this.live.runtime.start(spec);
    return id;
  }

  async attach(id: string, { hasStdin } = { hasStdin: true }): Promise<Watcher> {
    return new Watcher(await this.live.runtime.attach(id, { hasStdin }));
  }

  /** Another agent in place of this one, which is gone without a word. */
  async restart(): Promise<void> {
    await this.live.leave();
    await this.agent.end();
    this.agent = this.keepers.agent();
    const { root } = this.live;
    this.#lives.push(await LiveRuntime.with({ logKeeper: this.agent, root }));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const live of this.#lives.toReversed()) await live[Symbol.asyncDispose]();
    await this.keepers[Symbol.asyncDispose]();
  }
}

describe("attach", { skip: cannotRun }, () => {
  it("shows what a container writes from now on, and ends with it", async () => {
    await using bench = await AttachBench.start();
    const id = await bench.sh("read a; echo out $a; echo err >&2; exit 5", { stdin: "open" });
    const one = await bench.attach(id);
    const two = await bench.attach(id, { hasStdin: false });
    assert.equal(two.attachment.stdin, undefined);
    one.type("typed\n");
    await Promise.all([one.ended, two.ended]);
    assert.deepEqual([one.text, one.errors], ["out typed\n", "err\n"]);
    assert.deepEqual([two.text, two.errors], ["out typed\n", "err\n"]);
    const { end } = await bench.live.ended(id);
    assert.equal(end?.exitCode, 5);
    await assert.rejects(bench.live.runtime.attach(id, { hasStdin: true }), { name: "ExecError" });
  });

  it("leaves a container without stdin alone", async () => {
    await using bench = await AttachBench.start();
    const script = "trap 'echo bye; exit' TERM; echo ready; while :; do sleep 0.05; done";
    const id = await bench.sh(script, {});
    await until(() => linesOf(bench.logPath).length === 1);
    const one = await bench.attach(id);
    assert.equal(one.attachment.stdin, undefined);
    await bench.live.runtime.stop(id, { graceMs: 60_000 });
    await one.ended;
    assert.equal(one.text, "bye\n");
  });

  it("closes a stdin that is for one client when that one ends it", async () => {
    await using bench = await AttachBench.start();
    const id = await bench.sh("cat; echo eof; sleep 1000", { stdin: "once" });
    const watcher = await bench.attach(id, { hasStdin: false });
    const one = await bench.attach(id);
    one.attachment.stdin?.end("x".repeat(300_000));
    await watcher.sees("eof\n");
    await one.sees("eof\n");
    assert.equal(one.text.length, 300_004);
    const two = await bench.attach(id);
    assert.equal(two.attachment.stdin, undefined);
  });

  it("closes a stdin that is for one client when that one leaves, and not when somebody leaves who only watched", async () => {
    await using bench = await AttachBench.start();
    const id = await bench.sh("cat; echo eof; sleep 1000", { stdin: "once" });
    const watcher = await bench.attach(id, { hasStdin: false });
    (await bench.attach(id, { hasStdin: false })).attachment[Symbol.dispose]();
    const one = await bench.attach(id);
    one.type("hello\n");
    await watcher.sees("hello\n");
    assert.equal(watcher.text, "hello\n");
    one.attachment[Symbol.dispose]();
    await watcher.sees("eof\n");
  });

  it("keeps a stdin that stays open for the next client, also over a new agent and a new keeper", async () => {
    await using bench = await AttachBench.start();
    const id = await bench.sh("while read a; do echo got $a; done; echo eof", { stdin: "open" });
    const one = await bench.attach(id);
    one.attachment.stdin?.end("one\n");
    await one.sees("got one\n");
    one.attachment[Symbol.dispose]();
    await bench.restart();
    const two = await bench.attach(id);
    two.type("two\n");
    await two.sees("got two\n");
    await killKeeper(bench.keepers);
    const three = await bench.attach(id);
    three.type("three\n");
    await three.sees("got three\n");
    // The one who was there before has found the new keeper by itself.
    three.type("four\n");
    await two.sees("got four\n");
    await until(() => linesOf(bench.logPath).at(-1) === "stdout F got four");
    assert.ok(!three.text.includes("eof"));
  });

  it("does not make a container wait for a client that does not read", async () => {
    await using bench = await AttachBench.start();
    const id = await bench.sh("read a; head -c 20000000 /dev/zero | tr '\\0' x; echo; echo end", {
      stdin: "open",
    });
    const lazy = await bench.live.runtime.attach(id, { hasStdin: true });
    lazy.stdin?.write("go\n");
    const { end } = await bench.live.ended(id);
    assert.equal(end?.exitCode, 0);
    assert.equal(linesOf(bench.logPath).at(-1), "stdout F end");
    assert.ok(lazy.stdout.readableLength <= 1024 * 1024);
  });
});

describe("a container with a terminal", { skip: cannotRun }, () => {
  it("has it as its stdin, stdout and stderr, under the name that other runtimes give it", async () => {
    await using bench = await AttachBench.start();
    const id = await bench.sh(
      "tty; tty <&1; tty <&2; readlink /proc/self/fd/2; echo err >&2; test -c /dev/console && echo console >/dev/console; echo /dev/tty >/dev/tty; ls -l /dev/pts/0 | cut -d' ' -f3",
      { hasTty: true, user: { uid: 1234, gid: 1234, supplementalGroups: [] } },
    );
    const { end } = await bench.live.ended(id);
    assert.equal(end?.exitCode, 0);
    const pts = "stdout F /dev/pts/0\r";
    assert.deepEqual(linesOf(bench.logPath), [
      ...[pts, pts, pts, pts],
      ...["stdout F err\r", "stdout F console\r", "stdout F /dev/tty\r", "stdout F 1234\r"],
    ]);
  });

  it("is typed into, resized, interrupted, and ended with Ctrl-D", async () => {
    await using bench = await AttachBench.start();
    const id = await bench.sh(
      "trap : INT; cat; sh -c 'echo sleeping; exec sleep 1000'; echo interrupted $?; while read a && [ $a != end ]; do echo got $a $(stty size); done",
      { hasTty: true, stdin: "open" },
    );
    const one = await bench.attach(id);
    assert.equal(one.attachment.stderr, undefined);
    one.type("echoed\n");
    await one.sees("echoed\r\nechoed\r\n");
    one.type("\x04");
    await one.sees("sleeping\r\n");
    one.type("\x03");
    await one.sees("interrupted 130\r\n");
    one.attachment.resize({ columns: 123, rows: 45 });
    await echoes(one, "size", "got size 45 123\r\n");
    one.type("end\n");
    await one.ended;
  });

  it("keeps it when the agent and the keeper die one after the other", async () => {
    await using bench = await AttachBench.start();
    const id = await bench.sh(
      "trap 'echo hung up' HUP; while read a; do echo got $a $(stty size); done",
      { hasTty: true, stdin: "open" },
    );
    await bench.restart();
    const one = await bench.attach(id);
    one.attachment.resize({ columns: 80, rows: 24 });
    await echoes(one, "one", "got one 24 80\r\n");
    await killKeeper(bench.keepers);
    const two = await bench.attach(id);
    two.attachment.resize({ columns: 100, rows: 50 });
    await echoes(two, "two", "got two 50 100\r\n");
    await bench.restart();
    const three = await bench.attach(id);
    three.type("three\n");
    await three.sees("got three 50 100\r\n");
    assert.deepEqual(
      linesOf(bench.logPath).filter((line) => /hung up/.test(line)),
      [],
    );
  });

  it("ends its input for good with the first client, if that is asked for", async () => {
    await using bench = await AttachBench.start();
    const id = await bench.sh("cat; echo eof; sleep 1000", { hasTty: true, stdin: "once" });
    const watcher = await bench.attach(id, { hasStdin: false });
    const one = await bench.attach(id);
    one.attachment.stdin?.end("half a line");
    await watcher.sees("eof\r\n");
    const two = await bench.attach(id);
    assert.equal(two.attachment.stdin, undefined);
  });
});
