import { deepEqual, equal, match, ok } from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { afterEach, beforeEach, describe, it } from "node:test";
import { promisify } from "node:util";
import { systemClock } from "../../base/clock.ts";
import { type TempDir, tempDir } from "../../base/testing/temp-dir.ts";
import type { GateSpec } from "../compose-model.ts";
import { StateDirectory } from "../publish/state-directory.ts";
import type { Candidate } from "../publisher.ts";
import { testCandidate } from "../testing/test-candidate.ts";
import { Gate, type Verdict } from "./gate.ts";

const { signal } = new AbortController();

describe("Gate", () => {
  let dir: TempDir;

  beforeEach(() => {
    dir = tempDir();
  });

  afterEach(() => {
    dir[Symbol.dispose]();
  });

  async function judged(spec: Partial<GateSpec>, candidate: Candidate): Promise<Verdict> {
    const state = new StateDirectory(dir.join("state"));
    state.open();
    const whole = { schemas: [], command: undefined, timeoutMs: 30_000, failsReadiness: false };
    await using gate = new Gate({
      spec: { ...whole, ...spec },
      scratch: () => state.scratch(),
      clock: systemClock,
    });
    return await gate.judge(candidate, signal);
  }

  const sh = (script: string): readonly string[] => ["sh", "-c", script, "sh", "{dir}"];

  it("shows a command the set as it would be live, and leaves nothing behind", async () => {
    const look = `cd "$1" && { stat -c '%a %n' a sub/b; cat sub/b; } > ${dir.join("seen")}`;
    const set = testCandidate({ a: "1", "sub/b": "two" }, { mode: 0o640 });
    deepEqual(await judged({ command: sh(look) }, set), { verdict: "passed" });
    equal(readFileSync(dir.join("seen"), "utf8"), "640 a\n640 sub/b\ntwo");
    deepEqual(readdirSync(dir.join("state")), []);
  });

  it("rejects with what the command says last, and never its directory's name", async () => {
    const verdict = await judged(
      { command: sh('echo first; echo "bad line in $1/a" >&2; exit 1') },
      testCandidate({ a: "1" }),
    );
    ok(verdict.verdict === "rejected");
    match(verdict.reason, /^the gate command "sh" ended with 1: .*bad line in \{dir\}\/a/);
    match(verdict.output ?? "", /bad line in \{dir\}\/a/);
  });

  it("shows nothing of what a command says about secrets", async () => {
    const verdict = await judged(
      { command: sh('cat "$1/a"; exit 1') },
      testCandidate({ a: "hush" }, { isSecret: true }),
    );
    deepEqual(verdict, {
      verdict: "rejected",
      reason: 'the gate command "sh" ended with 1',
      output: undefined,
    });
  });

  it("keeps at most 4 KiB of what a command says, from its end", async () => {
    const verdict = await judged(
      { command: sh('i=0; while [ $i -lt 3000 ]; do echo "line $i"; i=$((i+1)); done; exit 1') },
      testCandidate({ a: "1" }),
    );
    ok(verdict.verdict === "rejected" && (verdict.output?.length ?? 0) <= 4096);
    match(verdict.output ?? "", /line 2999$/);
  });

  it("kills a command that hangs with all that it has started, and calls that a failure", async () => {
    const hang = `sleep 1000 & echo $! > ${dir.join("pid")}; wait`;
    const verdict = await judged({ command: sh(hang), timeoutMs: 300 }, testCandidate({ a: "1" }));
    ok(verdict.verdict === "failed");
    match(verdict.reason, /did not end within 0.3 s/);
    if (!existsSync(dir.join("pid"))) return; // The machine was too slow to get so far.
    const status = `/proc/${readFileSync(dir.join("pid"), "utf8").trim()}/status`;
    while (existsSync(status) && !/^State:\tZ/m.test(readFileSync(status, "utf8")))
      await systemClock.sleep(5);
  });

  it("fails, and does not reject, when there is no such command", async () => {
    const verdict = await judged({ command: ["/no/such/program"] }, testCandidate({ a: "1" }));
    equal(verdict.verdict, "failed");
  });

  it("holds files against schemas, and tells a place and a rule but no value", async () => {
    dir.write({
      "schema.yaml": "type: object\nrequired: [port]\nproperties: { port: { type: integer } }\n",
    });
    const schemas = [{ file: "app.json", schemaFile: dir.join("schema.yaml") }];
    const verdicts = await Promise.all(
      ['{"port": 1}', '{"port": "hush"}', "{", "{}"].map((text) =>
        judged({ schemas }, testCandidate({ "app.json": text })),
      ),
    );
    deepEqual(
      verdicts.map((one) => ("reason" in one ? one.reason.replace(dir.path, "DIR") : "")),
      [
        "",
        '"app.json" does not fulfil DIR/schema.yaml: at /port: type',
        '"app.json" cannot be read: line 1, column 2: a mistake in the syntax',
        '"app.json" does not fulfil DIR/schema.yaml: at /: required (port)',
      ],
    );
    const missing = await judged({ schemas }, testCandidate({ other: "1" }));
    equal(missing.verdict, "rejected");
  });

  it("fails when a schema cannot be read or used, and ends one that takes for ever", async () => {
    dir.write({ "bad.json": '{"type": "no such"}', "slow.json": '{"pattern": "^(x+x+)+y$"}' });
    const of = (schemaFile: string, timeoutMs = 30_000): Promise<Verdict> =>
      judged(
        { schemas: [{ file: "a", schemaFile: dir.join(schemaFile) }], timeoutMs },
        testCandidate({ a: "x".repeat(100) }),
      );
    equal((await of("missing.json")).verdict, "failed");
    equal((await of("bad.json")).verdict, "failed");
    equal((await of("slow.json", 1000)).verdict, "failed");
  });

  it("fails when the system refuses to start the command at once", async () => {
    dir.write({ file: "" });
    for (const command of [dir.join("file/below"), "x".repeat(300)]) {
      const verdict = await judged({ command: [command] }, testCandidate({ a: "1" }));
      equal(verdict.verdict, "failed");
      match("reason" in verdict ? verdict.reason : "", /cannot be started: /);
    }
  });

  it("fails when there are no file descriptors left to hear the command", async () => {
    const script = `
      import { closeSync, openSync } from "node:fs";
      import { systemClock } from ${JSON.stringify(import.meta.resolve("../../base/clock.ts"))};
      import { runGateCommand } from ${JSON.stringify(import.meta.resolve("./gate-command.ts"))};
      const taken = [];
      try {
        for (;;) taken.push(openSync("/dev/null"));
      } catch {}
      const limits = { argv: ["true"], timeoutMs: 30_000, clock: systemClock };
      const { result, reason } = await runGateCommand(limits, new AbortController().signal);
      for (const one of taken) closeSync(one);
      console.log(result, reason);`;
    const node = [process.execPath, "--input-type=module", "--eval", script];
    const { stdout } = await promisify(execFile)("sh", [
      "-c",
      'ulimit -n 64; exec "$@"',
      "sh",
      ...node,
    ]);
    match(stdout, /^failed cannot be started: E[MN]FILE\n$/);
  });
});
