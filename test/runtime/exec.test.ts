// Programs that clients run in containers, with real containers.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createHash, type Hash } from "node:crypto";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { type Clock, systemClock } from "../../src/base/clock.ts";
import { tempDir } from "../../src/base/testing/temp-dir.ts";
import { makeFifo } from "../../src/mounts/system-calls.ts";
import { SystemMounts } from "../../src/mounts/system-mounts.ts";
import { ExecError } from "../../src/runtime/runtime.ts";
import { cannotRun, LiveRuntime, testSecurity } from "./live-runtime.ts";
import {
  execSpec,
  finished,
  Heard,
  type ProgramOptions,
  type Ran,
  runProgram,
} from "./run-program.ts";
import { hasBecome, processCount, processesWith, sleepMark } from "./running-processes.ts";

const MiB = 1024 * 1024;

describe("a program in a container", { skip: cannotRun }, () => {
  let live: LiveRuntime;
  let id: string;
  before(async () => {
    live = await LiveRuntime.start();
    const started = await live.background("cd /; echo up; exec env -i sleep 1000", {
      env: [
        ["PATH", "/usr/local/bin:/usr/bin:/bin"],
        ["TOKEN", "canary-exec-3a"],
        ["LINES_OF", "a\nb"],
      ],
      workingDir: "/usr/share",
    });
    await hasBecome(started.pid, ["sleep", "1000"]);
    ({ id } = started);
  });
  after(() => live[Symbol.asyncDispose]());

  const run = (argv: readonly string[], options?: ProgramOptions): Promise<Ran> =>
    runProgram({ runtime: live.runtime, id }, argv, options);
  const sh = (script: string, options?: ProgramOptions): Promise<Ran> =>
    run(["sh", "-c", script], options);

  it("sees what the container sees: files, processes, hostname, working directory", async () => {
    await sh("echo made >/etc/made-here");
    const { stdout } = await sh(
      "cat /etc/made-here; tr '\\0' ' ' </proc/1/cmdline; echo; hostname; pwd; readlink /proc/1/ns/* | grep -v cgroup | md5sum; readlink /proc/self/ns/* | grep -v cgroup | md5sum",
    );
    const [made, first, hostname, directory, theirs, ours] = stdout.split("\n");
    assert.deepEqual(
      [made, first, hostname, directory],
      ["made", "sleep 1000 ", "web-host", "/usr/share"],
    );
    assert.equal(ours, theirs);
  });

  it("G9 has the container's environment, whatever the container made of its own, and it is in no file and no command line", async () => {
    const { stdout } = await sh('echo "$TOKEN"; echo "$LINES_OF"; echo "$TERM"');
    assert.equal(stdout, "canary-exec-3a\na\nb\n\n");
    const mark = sleepMark();
    await using _session = await live.runtime.exec(id, execSpec(["sleep", mark]));
    const directory = join(live.root, "runtime/containers", id);
    const files = readdirSync(directory, { withFileTypes: true }).filter((entry) => entry.isFile());
    for (const { name } of files) {
      assert.ok(!readFileSync(join(directory, name), "latin1").includes("canary-exec-3a"), name);
    }
    assert.deepEqual(processesWith("canary-exec-3a"), []);
  });

  it("has plain signals, limits and descriptors, and is the first of its session", async () => {
    const { stdout } = await run(["grep", "-E", "^Sig(Blk|Ign)", "/proc/self/status"]);
    assert.equal(stdout, "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n");
    const script = `ulimit -n; umask; ls /proc/$$/fd | wc -l; read -r stat </proc/$$/stat; set -- $stat; test $1 = $6 && echo leads`;
    // 0, 1, 2, and one that the shell has of its own or not.
    assert.match((await sh(script)).stdout, /^1024\n0022\n[34]\nleads\n$/);
  });

  it("ends with its exit code or its signal, and the two are told apart", async () => {
    const ends: object[] = [];
    for (const script of [
      "exit 0",
      "exit 42",
      "exit 255",
      "exit 137",
      "kill -9 $$",
      "kill -2 $$",
      "kill -11 $$",
    ]) {
      const { exitCode, signal } = await sh(script);
      ends.push([exitCode, signal]);
    }
    assert.deepEqual(ends, [
      [0, undefined],
      [42, undefined],
      [255, undefined],
      [137, undefined],
      [137, 9],
      [130, 2],
      [139, 11],
    ]);
  });

  it("that is stopped for a while ends as any other", async () => {
    const script = "(sleep 0.05; kill -CONT $$) & kill -STOP $$; exit 5";
    assert.equal((await sh(script)).exitCode, 5);
  });

  const failures: readonly (readonly [argv0: string, reason: string, exitCode: number])[] = [
    ["nope", 'exec: "nope": executable file not found in $PATH', 127],
    ["", 'exec: "": executable file not found in $PATH', 127],
    ["/no/where", 'exec: "/no/where": stat /no/where: no such file or directory', 127],
    ["/etc/passwd", 'exec: "/etc/passwd": permission denied', 126],
    ["/etc", 'exec: "/etc": is a directory', 126],
    ["/tmp/no-interpreter", "exec /tmp/no-interpreter: no such file or directory", 127],
    ["/tmp/no-program", "exec /tmp/no-program: exec format error", 126],
  ];
  for (const [argv0, reason, exitCode] of failures) {
    it(`"${argv0}" that cannot be run says why, as other runtimes do`, async () => {
      await sh(
        "echo '#!/no/where' >/tmp/no-interpreter; echo >/tmp/no-program; chmod 755 /tmp/no-*",
      );
      await assert.rejects(run([argv0]), (err: unknown) => {
        assert.ok(err instanceof ExecError);
        assert.equal(
          err.message,
          `OCI runtime exec failed: exec failed: unable to start container process: ${reason}: unknown`,
        );
        assert.equal(err.exitCode, exitCode);
        return true;
      });
    });
  }

  it("keeps stdout and stderr apart, and both can be opened again by name", async () => {
    const { stdout, stderr } = await sh(
      "echo a; echo b >&2; echo c >/dev/stdout; echo d >/dev/stderr",
    );
    assert.deepEqual([stdout, stderr], ["a\nc\n", "b\nd\n"]);
  });

  it("without stdin reads nothing, and with it until it is ended", async () => {
    assert.equal((await run(["cat"])).stdout, "");
    assert.equal((await run(["cat"], { stdin: "one\ntwo" })).stdout, "one\ntwo");
    assert.equal((await run(["sh", "-c", "exec <&-; exit 3"], { stdin: "not read" })).exitCode, 3);
  });

  it("carries 100 MiB through stdin and stdout, byte for byte, however slowly they are read", async () => {
    const session = await live.runtime.exec(id, execSpec(["cat"], { stdin: "" }));
    const [sent, received] = [createHash("sha256"), createHash("sha256")];
    const chunk = Buffer.alloc(MiB, "The quick brown fox. ");
    async function* chunks(): AsyncGenerator<Buffer> {
      for (let n = 0; n < 100; n++) {
        chunk.writeUInt32LE(n, n);
        sent.update(chunk);
        yield Buffer.from(chunk);
      }
    }
    assert.ok(session.stdin);
    const [bytes] = await Promise.all([
      hashOf(session.stdout, received),
      pipeline(Readable.from(chunks()), session.stdin),
    ]);
    assert.deepEqual(await session.ended, { exitCode: 0, signal: undefined });
    assert.equal(bytes, 100 * MiB);
    assert.equal(received.digest("hex"), sent.digest("hex"));
  });

  it("makes its writer wait when nobody reads", async () => {
    const session = await live.runtime.exec(id, execSpec(["sh", "-c", "cat /dev/zero"]));
    await once(session.stdout, "readable");
    for (let before = -1, now = 0; now !== before; ) {
      before = now;
      now = session.stdout.readableLength;
      await systemClock.sleep(20);
    }
    assert.ok(session.stdout.readableLength < MiB, String(session.stdout.readableLength));
    await session[Symbol.asyncDispose]();
  });

  it("that leaves something in the background ends at once, with all that it wrote", async () => {
    const mark = sleepMark();
    const session = await live.runtime.exec(
      id,
      execSpec(["sh", "-c", `sleep ${mark} & head -c 60000 /dev/zero; echo end >&2`]),
    );
    const stderr = new Heard(session.stderr);
    await stderr.until(/end/);
    // Read only now: it has ended, or is about to.
    const hash = createHash("sha256");
    const [bytes] = await Promise.all([hashOf(session.stdout, hash), session.ended]);
    assert.equal(bytes, 60_000);
    const [left] = await processCount(`sleep\0${mark}`, 1);
    assert.ok(left, "what it left in the background goes on");
    await session[Symbol.asyncDispose]();
    process.kill(left, "SIGKILL");
  });

  it("runs fifty times at once", async () => {
    const all = await Promise.all(
      Array.from({ length: 50 }, (_, n) => sh(`cat; exit ${n}`, { stdin: `of ${n}` })),
    );
    assert.deepEqual(
      all.map(({ exitCode, stdout }) => [exitCode, stdout]),
      Array.from({ length: 50 }, (_, n) => [n, `of ${n}`]),
    );
  });
});

async function hashOf(stream: Readable, hash: Hash): Promise<number> {
  let bytes = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    hash.update(chunk);
    bytes += chunk.length;
    if (bytes < MiB) await systemClock.sleep(1);
  }
  return bytes;
}

describe("the rights of a program in a container", { skip: cannotRun }, () => {
  it("are those of the container's own: user, groups, capabilities, privileges, seccomp, cgroups, limits of memory", async () => {
    await using live = await LiveRuntime.start();
    const fields = "^(Uid|Gid|Groups|Cap.*|NoNewPrivs|Seccomp|Seccomp_filters):";
    for (const uid of [0, 1001]) {
      const { id, pid } = await live.background("echo up; exec sleep 1000", {
        name: `of-${uid}`,
        user: { uid, gid: uid, supplementalGroups: [3003] },
        security: { ...testSecurity, isWithoutNewPrivileges: uid !== 0, seccomp: "default" },
      });
      const { stdout } = await runProgram({ runtime: live.runtime, id }, [
        ...["grep", "-E", fields, "/proc/self/status"],
      ]);
      const own = readFileSync(`/proc/${pid}/status`, "utf8");
      const expected = own.split("\n").filter((line) => new RegExp(fields).test(line));
      assert.deepEqual(stdout.trim().split("\n"), expected);
      const mark = sleepMark();
      await using _session = await live.runtime.exec(id, execSpec(["sleep", mark]));
      const [program] = await processCount(`sleep\0${mark}`, 1);
      for (const file of ["cgroup", "oom_score_adj"]) {
        assert.equal(
          readFileSync(`/proc/${program}/${file}`, "utf8"),
          readFileSync(`/proc/${pid}/${file}`, "utf8"),
        );
      }
    }
  });

  it("let a user other than root open its streams again, and its terminal", async () => {
    await using live = await LiveRuntime.start();
    const { id } = await live.background("echo up; exec sleep 1000", {
      user: { uid: 1001, gid: 1001, supplementalGroups: [] },
    });
    const where = { runtime: live.runtime, id };
    const argv = ["sh", "-c", "echo again >/dev/stdout; id -u >/dev/stderr"];
    const { stdout, stderr } = await runProgram(where, argv);
    assert.deepEqual([stdout, stderr], ["again\n", "1001\n"]);
    const onTerminal = await runProgram(where, argv, { hasTty: true });
    assert.equal(onTerminal.stdout, "again\r\n1001\r\n");
  });
});

describe("a program on a terminal", { skip: cannotRun }, () => {
  let live: LiveRuntime;
  let id: string;
  before(async () => {
    live = await LiveRuntime.start();
    ({ id } = await live.background("echo up; exec sleep 1000"));
  });
  after(() => live[Symbol.asyncDispose]());

  const start = (script: string) =>
    live.runtime.exec(id, execSpec(["sh", "-c", script], { stdin: "", hasTty: true }));

  it("has one of the container's own, of a type that programs know", async () => {
    const script = 'tty; test -c "$(tty)" && echo there; echo $TERM; echo err >&2; exit 4';
    const session = await start(script);
    assert.equal(session.stderr, undefined);
    const { stdout, exitCode } = await finished(session);
    assert.match(stdout, /^\/dev\/pts\/\d+\r\nthere\r\nxterm\r\nerr\r\n$/);
    assert.equal(exitCode, 4);
  });

  it("learns of each new size", async () => {
    const session = await start("trap 'stty size' WINCH; echo ready; while :; do sleep 0.01; done");
    const heard = new Heard(session.stdout);
    await heard.until(/ready/);
    session.resize({ columns: 133, rows: 41 });
    await heard.until(/41 133/);
    session.resize({ columns: 80, rows: 24 });
    await heard.until(/24 80/);
    await session[Symbol.asyncDispose]();
    session.resize({ columns: 1, rows: 1 });
  });

  it("is interrupted by Ctrl-C, and ends by Ctrl-D when its stdin is ended", async () => {
    const interrupted = await start("echo ready; exec sleep 1000");
    await new Heard(interrupted.stdout).until(/ready/);
    interrupted.stdin?.write("\x03");
    assert.deepEqual(await interrupted.ended, { exitCode: 130, signal: 2 });
    for (const text of ["line\n", "no line end"]) {
      const ended = await start("stty -echo; echo ready; cat");
      const heard = new Heard(ended.stdout);
      await heard.until(/ready/);
      const isRead = once(ended.stdout, "close");
      ended.stdin?.end(text);
      assert.equal((await ended.ended).exitCode, 0);
      await isRead;
      assert.equal(heard.text, `ready\r\n${text.replace("\n", "\r\n")}`);
    }
  });

  it("loses nothing of what it wrote when it is read slowly", async () => {
    const session = await start("stty -opost; seq 1 100000; exit 0");
    let text = "";
    for await (const chunk of session.stdout as AsyncIterable<Buffer>) {
      text += chunk.toString();
      if (text.length < 50_000) await systemClock.sleep(2);
    }
    assert.equal(text, Array.from({ length: 100_000 }, (_, n) => `${n + 1}\n`).join(""));
    assert.deepEqual(await session.ended, { exitCode: 0, signal: undefined });
  });

  it("is not held up by what it leaves in the background", async () => {
    const mark = sleepMark();
    const session = await start(`(trap '' HUP; sleep ${mark}) & echo said`);
    assert.equal((await finished(session)).stdout, "said\r\n");
    for (const pid of processesWith(`sleep\0${mark}`)) process.kill(pid, "SIGKILL");
  });

  it("is refused if the container has put something else in the place of its terminals", async () => {
    using dir = tempDir();
    makeFifo(dir.join("ptmx"), 0o666);
    const mounts = [
      { hostPath: dir.path, containerPath: "/dev/pts", isReadOnly: true, propagation: "None" },
    ] as const;
    const { id: hostile } = await live.background("echo up; exec sleep 1000", {
      name: "hostile",
      mounts,
    });
    await assert.rejects(live.runtime.exec(hostile, execSpec(["sh"], { hasTty: true })), {
      name: "ExecError",
      message: /ptmx of the container is not what makes terminals/,
    });
  });
});

describe("a session that is cut", { skip: cannotRun }, () => {
  it("takes along all that it started: daemons, those that ignore signals, those without a terminal", async () => {
    await using live = await LiveRuntime.start();
    const { id } = await live.background("echo up; exec sleep 1000");
    for (const hasTty of [false, true]) {
      const mark = sleepMark();
      const script = `trap '' HUP TERM INT; (setsid sh -c 'trap "" HUP TERM; (env -i /bin/sleep ${mark} &) & sleep ${mark}' &) ; sleep ${mark} & echo up; wait; cat`;
      const session = await live.runtime.exec(id, execSpec(["sh", "-c", script], { hasTty }));
      await new Heard(session.stdout).until(/up/);
      await processCount(`sleep\0${mark}`, 3);
      await session[Symbol.asyncDispose]();
      assert.deepEqual(processesWith(`sleep\0${mark}`), []);
      assert.deepEqual(await session.ended, { exitCode: 137, signal: 9 });
      await session[Symbol.asyncDispose]();
    }
    assert.equal(live.runtime.list()[0]?.end, undefined);
  });

  it("leaves other sessions and the container alone", async () => {
    await using live = await LiveRuntime.start();
    const { id } = await live.background("echo up; exec sleep 1000");
    const [one, other] = [sleepMark(), sleepMark()];
    const first = await live.runtime.exec(id, execSpec(["sleep", one]));
    await using second = await live.runtime.exec(id, execSpec(["sleep", other]));
    await first[Symbol.asyncDispose]();
    assert.deepEqual(processesWith(`sleep\0${one}`), []);
    await processCount(`sleep\0${other}`, 1);
    assert.ok(second);
  });

  it("leaves those alone that were started while it ended, and could have got the number of its namespace", async () => {
    const release = Promise.withResolvers<void>();
    let isHeld = false;
    const clock: Clock = {
      ...systemClock,
      sleep: async (ms, signal) => {
        if (isHeld) await release.promise;
        await systemClock.sleep(ms, signal);
      },
    };
    await using live = await LiveRuntime.with({ clock });
    const { id } = await live.background("echo up; exec sleep 1000");
    const [one, other] = [sleepMark(), sleepMark()];
    const first = await live.runtime.exec(id, execSpec(["sleep", one]));
    await processCount(`sleep\0${one}`, 1);
    isHeld = true;
    const cut = first[Symbol.asyncDispose]();
    await processCount(`sleep\0${one}`, 0);
    // It has ended, and is looked for once more. Its number must not be free by now; if it is, it is after a moment.
    await Promise.race([first.ended, systemClock.sleep(500)]);
    await using second = await live.runtime.exec(id, execSpec(["sleep", other]));
    await processCount(`sleep\0${other}`, 1);
    isHeld = false;
    release.resolve();
    await cut;
    assert.equal(processesWith(`sleep\0${other}`).length, 1);
    assert.ok(second);
  });

  it("ends with the container", async () => {
    await using live = await LiveRuntime.start();
    const { id } = await live.background("echo up; exec sleep 1000");
    const session = await live.runtime.exec(id, execSpec(["sleep", "1000"]));
    await live.runtime.stop(id, { graceMs: 0 });
    assert.deepEqual(await session.ended, { exitCode: 137, signal: 9 });
    await assert.rejects(live.runtime.exec(id, execSpec(["true"])), {
      name: "ExecError",
      message: /cannot exec in a stopped container/,
    });
  });

  it("is told of a container that ends while the program is being started", async () => {
    await using live = await LiveRuntime.start();
    const { id, pid } = await live.background("echo up; exec sleep 1000");
    const started = live.runtime.exec(id, execSpec(["true"]));
    assert.ok(pid !== undefined);
    process.kill(pid, "SIGKILL");
    await assert.rejects(started, { message: /cannot exec in a stopped container/ });
  });

  it("ends with the runtime that is stopped", async () => {
    await using live = await LiveRuntime.start();
    await live.background("echo up; exec sleep 1000");
    const [status] = live.runtime.list();
    const mark = sleepMark();
    await live.runtime.exec(status?.id ?? "", execSpec(["setsid", "-w", "sleep", mark]));
    await processCount(`sleep\0${mark}`, 2);
    using _unmount = {
      [Symbol.dispose]: () => {
        const mounts = new SystemMounts();
        for (const { path } of mounts.below(live.root)) mounts.unmount(path);
      },
    };
    await live.leave();
    assert.deepEqual(processesWith(`sleep\0${mark}`), []);
    process.kill(status?.pid ?? 0, "SIGKILL");
  });

  it("ends with the agent that is killed", async () => {
    using dir = tempDir();
    const mark = sleepMark();
    const child = fileURLToPath(import.meta.resolve("./exec-agent-child.ts"));
    const agent = spawn(process.execPath, [child, dir.path, mark], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    await once(createInterface(agent.stdout), "line");
    await processCount(`sleep\0${mark}`, 1);
    agent.kill("SIGKILL");
    await once(agent, "exit");
    await processCount(`sleep\0${mark}`, 0);
    // What is left is the container, which goes with the next runtime's end.
    const next = await LiveRuntime.start(dir.path);
    await next[Symbol.asyncDispose]();
  });
});
