// What a container is and sees, with real containers.

import assert from "node:assert/strict";
import {
  chmodSync as chmod,
  existsSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync as symlink,
} from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { type TempDir, tempDir } from "../../src/base/testing/temp-dir.ts";
import { isInUserNamespace } from "../../src/mounts/kernel-support.ts";
import { readMountInfo } from "../../src/mounts/mount-info.ts";
import { AT_FDCWD, makeFifo, mknodat, S_IFCHR } from "../../src/mounts/system-calls.ts";
import { SystemMounts } from "../../src/mounts/system-mounts.ts";
import type { Image } from "../../src/runtime/image.ts";
import { StartError } from "../../src/runtime/runtime.ts";
import { cannotRun, hostImage, LiveRuntime, podUid, testSecurity } from "./live-runtime.ts";

/** Everything that is in files below, as one text. */
function contentsBelow(directory: string): string {
  return (
    readdirSync(directory, { recursive: true, withFileTypes: true })
      // The files on which namespaces are mounted cannot be read.
      .filter((entry) => entry.isFile() && !entry.parentPath.includes("/sandboxes/"))
      .map((entry) => readFileSync(join(entry.parentPath, entry.name), "latin1"))
      .join("\n")
  );
}

function allCommandLines(): string {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, "utf8");
      } catch {
        return "";
      }
    })
    .join("\n");
}

describe("a container", { skip: cannotRun }, () => {
  let live: LiveRuntime;
  before(async () => {
    live = await LiveRuntime.start();
  });
  after(() => live[Symbol.asyncDispose]());

  it("ends with the exit code of its program, and its output is whole", async () => {
    const { exitCode, output, status } = await live.sh("echo out; echo err >&2; exit 42");
    assert.equal(exitCode, 42);
    assert.deepEqual(output.split("\n").toSorted(), ["", "err", "out"]);
    assert.equal(status.end?.signal, undefined);
    assert.equal(status.end?.isUnknown, false);
    assert.equal(status.pid, undefined);
  });

  it("says which signal it died of, and tells it from an exit code that looks like one", async () => {
    const killed = await live.runtime.start(live.spec({ argv: ["sleep", "1000"] }));
    process.kill(killed.pid ?? 0, "SIGKILL");
    assert.deepEqual(pick(await live.ended(killed.id)), { exitCode: 137, signal: 9 });
    const { status } = await live.sh("exit 143");
    assert.deepEqual(pick(status), { exitCode: 143, signal: undefined });
  });

  const outputOf = async (argv: readonly string[]): Promise<string> => {
    const { id } = await live.runtime.start(live.spec({ argv }));
    await live.ended(id);
    return live.output.of(id);
  };

  it("has its program as process 1, alone, with plain signals, limits and descriptors", async () => {
    const { output } = await live.sh(
      `tr '\\0' ' ' </proc/1/cmdline; echo; ls /proc | grep -c '^[0-9]*$'; ulimit -n; umask; readlink /proc/1/fd/0`,
    );
    const [commandLine, processes, openFiles, mask, stdin] = output.split("\n");
    assert.match(commandLine ?? "", /^sh -c tr/);
    // Itself, ls and grep.
    assert.ok(Number(processes) <= 3, processes);
    assert.equal(openFiles, "1024");
    assert.equal(mask, "0022");
    assert.equal(stdin, "/dev/null");
    // The fourth is the directory that it reads.
    assert.equal(await outputOf(["ls", "/proc/1/fd"]), "0\n1\n2\n3\n");
    // Not by a shell, which blocks signals itself while it waits.
    assert.equal(
      await outputOf(["grep", "-E", "^Sig(Blk|Ign)", "/proc/1/status"]),
      "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n",
    );
  });

  it("G9 gets its environment, which is in no command line and in no file", async () => {
    const secret = `se=cret ${"x".repeat(70_000)} é`;
    const { output } = await live.sh(`printf %s "$TOKEN" | wc -c; echo "$EMPTY|$A"`, {
      env: [
        ["PATH", "/usr/bin:/bin"],
        ["TOKEN", secret],
        ["EMPTY", ""],
        ["A", "1"],
        ["A", "2"],
      ],
    });
    assert.equal(output, `${Buffer.byteLength(secret)}\n|2\n`);
    const running = await live.background("echo here; while :; do sleep 1; done", {
      env: [
        ["PATH", "/usr/bin:/bin"],
        ["TOKEN", "canary-7f31"],
      ],
    });
    assert.ok(readFileSync(`/proc/${running.pid}/environ`, "utf8").includes("TOKEN=canary-7f31"));
    assert.ok(!allCommandLines().includes("canary-7f31"));
    assert.ok(!contentsBelow(live.root).includes("canary-7f31"));
  });

  it("writes to its own layer and never to the machine", async () => {
    const name = `driftless-${process.pid}`;
    const { exitCode, output } = await live.sh(
      `echo mine >/etc/${name}; echo x >>/etc/group; rm /etc/passwd; cat /etc/${name}`,
    );
    assert.equal(exitCode, 0);
    assert.equal(output, "mine\n");
    assert.ok(!existsSync(`/etc/${name}`));
    assert.ok(existsSync("/etc/passwd"));
  });

  it("does not see the agent's data, which is an empty directory that nobody can write to", async () => {
    const { output } = await live.sh(`ls -A ${live.root} | wc -l; touch ${live.root}/x 2>&1`);
    const [entries, touched] = output.split("\n");
    assert.equal(entries, "0");
    assert.match(touched ?? "", /Read-only file system/);
  });

  it("of another image finds the machine's way to the network", async () => {
    const image: Image = { ...hostImage, id: "sha256:other" };
    const { output } = await live.sh("cat /etc/resolv.conf", { image });
    assert.equal(output, readFileSync("/etc/resolv.conf", "utf8"));
  });

  it("has devices, a terminal's file system and a shared memory that work, and a read-only /sys and /proc/sys", async () => {
    const { output, exitCode } = await live.sh(
      `set -e; head -c 4 /dev/zero | wc -c; head -c 4 /dev/urandom | wc -c; echo gone >/dev/null; echo s >/dev/shm/s; test -c /dev/ptmx; test -d /dev/pts; echo out >/dev/stdout; wc -c </proc/keys; hostname; cat /etc/hostname; ! touch /sys/x 2>/dev/null; ! echo x 2>/dev/null >/proc/sys/kernel/hostname; stat -c %a /dev/null`,
      { user: { uid: 1234, gid: 1234, supplementalGroups: [] } },
    );
    assert.equal(output, "4\n4\nout\n0\nweb-host\nweb-host\n666\n");
    assert.equal(exitCode, 0);
  });

  it("shares hostname, IPC and /dev/shm with the containers of its pod and with no other", async () => {
    await live.runtime.makeSandbox({
      podUid: "other",
      podName: "o",
      podNamespace: "default",
      hostname: "other",
      hasSharedProcesses: false,
    });
    const script =
      "ls /dev/shm | grep from; touch /dev/shm/from-$ME; readlink /proc/self/ns/ipc /proc/self/ns/uts";
    const run = async (me: string, uid: string): Promise<readonly string[]> => {
      const env = [
        ["PATH", "/usr/bin:/bin"],
        ["ME", me],
      ] as const;
      return (await live.sh(script, { podUid: uid, env })).output.trim().split("\n");
    };
    const first = await run("a", podUid);
    const second = await run("b", podUid);
    const other = await run("c", "other");
    assert.deepEqual(second, ["from-a", ...first]);
    assert.equal(other.length, 2);
    assert.notEqual(other[0], first[0]);
    assert.notEqual(other[1], first[1]);
  });

  it("runs as its user, group and groups", async () => {
    const { output } = await live.sh("id -u; id -g; id -G; touch /root/x 2>&1 | grep -o denied", {
      user: { uid: 1001, gid: 2002, supplementalGroups: [3003, 4004] },
    });
    assert.equal(output, "1001\n2002\n2002 3003 4004\ndenied\n");
  });

  it("gets no more rights from programs of others if it is not to", async () => {
    const user = { uid: 1000, gid: 1000, supplementalGroups: [] };
    const script = "grep NoNewPrivs /proc/self/status";
    const { output: free } = await live.sh(script, { user });
    assert.equal(free, "NoNewPrivs:\t0\n");
    const { output: bound } = await live.sh(script, {
      user,
      security: { ...testSecurity, isWithoutNewPrivileges: true },
    });
    assert.equal(bound, "NoNewPrivs:\t1\n");
  });

  it("begins in its working directory, which is made if it is missing", async () => {
    assert.equal((await live.sh("pwd", { workingDir: "/usr/share" })).output, "/usr/share\n");
    assert.equal((await live.sh("pwd", { workingDir: "/new/one" })).output, "/new/one\n");
  });

  it("cannot write to a read-only root, but to what is mounted in it", async () => {
    using dir = tempDir();
    const { output } = await live.sh(
      "touch /x 2>&1; echo ok >/data/deep/f; echo ok >/dev/shm/f; cat /data/deep/f",
      {
        isRootReadOnly: true,
        mounts: [
          {
            hostPath: dir.path,
            containerPath: "/data/deep",
            isReadOnly: false,
            propagation: "None",
          },
        ],
      },
    );
    assert.match(output, /Read-only file system\nok\n$/);
    assert.equal(readFileSync(dir.join("f"), "utf8"), "ok\n");
  });
});

function pick(status: {
  readonly end?: { readonly exitCode: number; readonly signal: number | undefined } | undefined;
}): object {
  return { exitCode: status.end?.exitCode, signal: status.end?.signal };
}

describe("mounts of a container", { skip: cannotRun }, () => {
  let live: LiveRuntime;
  before(async () => {
    live = await LiveRuntime.start();
  });
  after(() => live[Symbol.asyncDispose]());

  it("shows directories and files where they are asked for, in whatever order, writable or not", async () => {
    using dir = tempDir();
    dir.write({ "config/a": "one", file: "two", "inner/b": "three" });
    const { output } = await live
      .sh(
        `cat /etc/app/config/a /etc/app/file /etc/app/config/inner/b; touch /etc/app/config/x 2>/dev/null || echo no; echo 2>/dev/null x >/etc/app/file || echo no; echo new >/etc/app/config/inner/b`,
        {
          mounts: [
            {
              hostPath: dir.join("inner"),
              containerPath: "/etc/app/config/inner",
              isReadOnly: false,
              propagation: "None",
            },
            {
              hostPath: dir.join("file"),
              containerPath: "/etc/app/file",
              isReadOnly: true,
              propagation: "None",
            },
            {
              hostPath: dir.join("config"),
              containerPath: "/etc/app/config",
              isReadOnly: true,
              propagation: "None",
            },
          ],
        },
      )
      .catch((err: unknown) => ({ output: String(err) }));
    // The place for the inner one cannot be made in a directory that is read-only.
    assert.match(
      output,
      /error mounting ".*inner" to rootfs at "\/etc\/app\/config\/inner": read-only file system/,
    );
    dir.write({ "config/inner/.keep": "" });
    const again = await live.sh(
      `cat /etc/app/config/a /etc/app/file /etc/app/config/inner/b; touch /etc/app/config/x 2>/dev/null || echo no; (echo x >/etc/app/file) 2>/dev/null || echo no; echo new >/etc/app/config/inner/b`,
      {
        mounts: [
          {
            hostPath: dir.join("inner"),
            containerPath: "/etc/app/config/inner",
            isReadOnly: false,
            propagation: "None",
          },
          {
            hostPath: dir.join("file"),
            containerPath: "/etc/app/file",
            isReadOnly: true,
            propagation: "None",
          },
          {
            hostPath: dir.join("config"),
            containerPath: "/etc/app/config",
            isReadOnly: true,
            propagation: "None",
          },
        ],
      },
    );
    assert.equal(again.output, "onetwothreeno\nno\n");
    assert.equal(readFileSync(dir.join("inner/b"), "utf8"), "new\n");
    assert.ok(!existsSync("/etc/app"));
  });

  it("sees a change of the mounted directory at once", async () => {
    using dir = tempDir();
    dir.write({ a: "1" });
    const { id } = await live.background(
      "echo ready; until [ -e /v/b ]; do sleep 0.01; done; cat /v/b",
      {
        mounts: [
          { hostPath: dir.path, containerPath: "/v", isReadOnly: true, propagation: "None" },
        ],
      },
    );
    dir.write({ b: "later" });
    await live.ended(id);
    assert.equal(live.output.of(id), "ready\nlater");
  });

  it("do not follow a link of a hostile image out of its root", async () => {
    using dir = tempDir();
    dir.write({ "volume/f": "volume", "outside/keep": "safe" });
    using layer = tempDir();
    const mounts = new SystemMounts();
    // A file system of its own: a layer of an overlay may not be inside of another one.
    mounts.tmpfs(layer.path, { sizeBytes: undefined, mode: 0o755 });
    using _unmount = { [Symbol.dispose]: () => mounts.unmount(layer.path) };
    plantLinks(layer, dir.join("outside"));
    const image: Image = {
      ...hostImage,
      name: "evil",
      id: "sha256:evil",
      layers: [layer.path, "/"],
    };
    const at = (containerPath: string) =>
      ({
        hostPath: dir.join("volume"),
        containerPath,
        isReadOnly: false,
        propagation: "None",
      }) as const;
    const { output, exitCode } = await live.sh(
      "cat /absolute/in/f /climbing/in/f /dangling/f /chain/f; ls /made-by-link",
      { image, mounts: [at("/absolute/in"), at("/climbing/in"), at("/dangling"), at("/chain")] },
    );
    assert.equal(exitCode, 0, output);
    assert.match(output, /^volumevolumevolumevolume/);
    assert.deepEqual(readdirSync(dir.join("outside")), ["keep"]);
    // A mount of the volume, wherever it went on the machine, names it as its root.
    assert.deepEqual(
      readMountInfo().filter(({ root }) => root.includes(dir.join("volume"))),
      [],
    );
    assert.ok(!existsSync("/made-by-link"));
  });

  it("over /dev do not hold up the start with what is in them", async () => {
    using dir = tempDir();
    // Nobody ever writes to it: whoever opens it waits.
    makeFifo(dir.join("null"), 0o666);
    const { exitCode } = await live.sh("true", {
      mounts: [
        { hostPath: dir.path, containerPath: "/dev", isReadOnly: false, propagation: "None" },
      ],
    });
    assert.equal(exitCode, 0);
  });

  it("are refused with a sentence when the source is missing or of another sort than the place", async () => {
    using dir = tempDir();
    const mount = (hostPath: string, containerPath: string) =>
      live.sh("true", {
        mounts: [{ hostPath, containerPath, isReadOnly: true, propagation: "None" }],
      });
    await assert.rejects(mount(dir.join("nope"), "/v"), {
      name: "StartError",
      message: `error mounting "${dir.join("nope")}" to rootfs at "/v": no such file or directory`,
    });
    await assert.rejects(mount(dir.path, "/etc/passwd"), {
      name: "StartError",
      message:
        /to rootfs at "\/etc\/passwd": not a directory: Are you trying to mount a directory onto a file/,
    });
  });

  it("show no devices of the machine that a hostile image brings along", async (t) => {
    if (isInUserNamespace(readFileSync("/proc/self/uid_map", "utf8"))) {
      t.skip("nobody makes devices in a user namespace");
      return;
    }
    using layer = tempDir();
    const mounts = new SystemMounts();
    mounts.tmpfs(layer.path, { sizeBytes: undefined, mode: 0o755 });
    using _unmount = { [Symbol.dispose]: () => mounts.unmount(layer.path) };
    // Harmless itself, and made as the disk of the machine would be: for everybody.
    mknodat(AT_FDCWD, {
      path: layer.join("device"),
      mode: S_IFCHR | 0o666,
      device: { major: 1, minor: 5 },
    });
    chmod(layer.join("device"), 0o666);
    const image: Image = { ...hostImage, id: "sha256:evil", layers: [layer.path, "/"] };
    const { output } = await live.sh("head -c 1 /device >/dev/null && echo opened || ls /device", {
      image,
      user: { uid: 1000, gid: 1000, supplementalGroups: [] },
    });
    assert.match(output, /Permission denied/);
    assert.match(output, /^\/device$/m);
  });

  function plantLinks(layer: TempDir, outside: string): void {
    symlink(outside, layer.join("absolute"));
    symlink(`../../../../../..${outside}`, layer.join("climbing"));
    symlink("/made-by-link/deep", layer.join("dangling"));
    symlink("/chain2", layer.join("chain"));
    symlink("chain3", layer.join("chain2"));
    symlink("/made-by-link/chained", layer.join("chain3"));
  }
});

describe("a container that cannot start", { skip: cannotRun }, () => {
  let live: LiveRuntime;
  before(async () => {
    live = await LiveRuntime.start();
  });
  after(() => live[Symbol.asyncDispose]());

  const cases: readonly {
    readonly name: string;
    readonly changes: Parameters<LiveRuntime["spec"]>[0];
    readonly message: string | RegExp;
  }[] = [
    {
      name: "an unknown command",
      changes: { argv: ["foo"] },
      message: 'exec: "foo": executable file not found in $PATH',
    },
    {
      name: "a path to nothing",
      changes: { argv: ["/bin/foo"] },
      message: 'exec: "/bin/foo": stat /bin/foo: no such file or directory',
    },
    { name: "a directory", changes: { argv: ["/etc"] }, message: 'exec: "/etc": is a directory' },
    {
      name: "a file that is not executable",
      changes: { argv: ["/etc/passwd"] },
      message: 'exec: "/etc/passwd": permission denied',
    },
    { name: "no command at all", changes: { argv: [] }, message: "no command specified" },
    {
      name: "a working directory that is a file",
      changes: { workingDir: "/etc/passwd" },
      message: /^chdir to cwd \("\/etc\/passwd"\) failed: /,
    },
    {
      name: "a working directory that cannot be made",
      changes: { workingDir: "/x", isRootReadOnly: true },
      message: 'chdir to cwd ("/x") failed: read-only file system',
    },
    {
      name: "a value with a null character",
      changes: { env: [["A", "b\0c"]] },
      message: "the value of the variable A has a null character in it",
    },
    {
      name: "a pod without a sandbox",
      changes: { podUid: "none" },
      message: "error joining the pod's namespaces: no such file or directory",
    },
  ];
  for (const { name, changes, message } of cases) {
    it(`says so: ${name}`, async () => {
      await assert.rejects(live.runtime.start(live.spec(changes)), (err) => {
        assert.ok(err instanceof StartError);
        assert[typeof message === "string" ? "equal" : "match"](err.message, message as never);
        return true;
      });
      assert.deepEqual(live.runtime.list(), []);
      assert.deepEqual(readdirSync(join(live.root, "runtime/containers")), []);
    });
  }

  it("says so: a file that is no program", async () => {
    using dir = tempDir();
    dir.write({ junk: "\u007f\u0001junk" });
    const mounts = [
      { hostPath: dir.path, containerPath: "/v", isReadOnly: true, propagation: "None" },
    ] as const;
    chmod(dir.join("junk"), 0o755);
    await assert.rejects(live.runtime.start(live.spec({ argv: ["/v/junk"], mounts })), {
      message: "exec /v/junk: exec format error",
    });
    assert.equal(statSync(dir.join("junk")).mode & 0o777, 0o755);
  });
});
