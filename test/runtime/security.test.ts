// What containers may do and may not, with real programs.

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { after, before, describe, it } from "node:test";
import { isInUserNamespace } from "../../src/mounts/kernel-support.ts";
import { isInBoundingSet } from "../../src/mounts/rights-calls.ts";
import type { ContainerSecurity } from "../../src/runtime/runtime.ts";
import {
  capabilityMask,
  capabilityNames,
  defaultCapabilities,
} from "../../src/runtime/security/capabilities.ts";
import { cannotRun, LiveRuntime, testSecurity } from "./live-runtime.ts";

const isRootless =
  process.platform === "linux" && isInUserNamespace(readFileSync("/proc/self/uid_map", "utf8"));
const nobody = { uid: 1000, gid: 1000, supplementalGroups: [] };

function secure(changes: Partial<ContainerSecurity>): { readonly security: ContainerSecurity } {
  return { security: { ...testSecurity, ...changes } };
}

/** Those of the names that this process may give away: an agent may lack some itself. */
function mask(names: readonly string[]): string {
  const there = names.filter((name) => isInBoundingSet(capabilityNames.indexOf(name)));
  return capabilityMask(there).toString(16).padStart(16, "0");
}

const none = "0".repeat(16);

describe("the rights of a container", { skip: cannotRun }, () => {
  let live: LiveRuntime;
  before(async () => {
    live = await LiveRuntime.start();
  });
  after(() => live[Symbol.asyncDispose]());

  async function capabilities(changes: Parameters<LiveRuntime["sh"]>[1]): Promise<object> {
    const { output } = await live.sh("grep ^Cap /proc/self/status", changes);
    return Object.fromEntries(
      output
        .trim()
        .split("\n")
        .map((line) => line.split(":\t")),
    ) as object;
  }

  it("are those of root with the capabilities that it was given, and none to pass on", async () => {
    const usual = mask(defaultCapabilities);
    assert.deepEqual(await capabilities(secure({})), {
      CapInh: none,
      CapPrm: usual,
      CapEff: usual,
      CapBnd: usual,
      CapAmb: none,
    });
  });

  it("are none for another user, whose programs may still come by those of the bounding set", async () => {
    assert.deepEqual(await capabilities({ ...secure({ capabilities: ["CHOWN"] }), user: nobody }), {
      CapInh: none,
      CapPrm: none,
      CapEff: none,
      CapBnd: mask(["CHOWN"]),
      CapAmb: none,
    });
  });

  it("are all that the agent has for a privileged container", async () => {
    const all = mask(capabilityNames);
    const found = await capabilities(secure({ isPrivileged: true, capabilities: [] }));
    assert.deepEqual(found, { CapInh: none, CapPrm: all, CapEff: all, CapBnd: all, CapAmb: none });
  });

  it("are the same under a filter, with and without new privileges", async () => {
    for (const isWithoutNewPrivileges of [true, false]) {
      for (const user of [nobody, { ...nobody, uid: 0, gid: 0 }]) {
        const { output, exitCode } = await live.sh(
          "grep -E '^(CapEff|CapPrm|NoNewPrivs|Seccomp):' /proc/self/status",
          { ...secure({ seccomp: "default", isWithoutNewPrivileges }), user },
        );
        assert.equal(exitCode, 0);
        const rights = user.uid === 0 ? mask(defaultCapabilities) : none;
        assert.equal(
          output,
          `CapPrm:\t${rights}\nCapEff:\t${rights}\nNoNewPrivs:\t${Number(isWithoutNewPrivileges)}\nSeccomp:\t2\n`,
        );
      }
    }
  });

  it("do not reach past what hides the agent's data", async () => {
    const { output } = await live.sh(
      `umount ${live.root} 2>&1 || echo refused; ls -A ${live.root} | wc -l`,
    );
    assert.match(output, /refused\n0\n$/);
  });

  it("show no devices but the container's own, also if it makes some", async (t) => {
    if (isRootless) {
      t.skip("nobody makes devices in a user namespace");
      return;
    }
    // 1:5 is harmless; a disk of the machine would be as easy.
    const { output, exitCode } = await live.sh(
      `for place in /dev /tmp /dev/shm; do mknod $place/mine c 1 5 && head -c 1 $place/mine 2>&1; done; head -c 1 /dev/zero | wc -c`,
    );
    assert.equal(exitCode, 0);
    assert.equal(output.match(/Permission denied/g)?.length, 3, output);
    assert.match(output, /^1$/m);
  });

  it("of a privileged container show all devices of the machine, nothing hidden, and /sys to write", async () => {
    const { output } = await live.sh(
      "grep ' /sys ' /proc/self/mounts; grep -c ' /proc/' /proc/self/mounts; ls /dev",
      secure({ isPrivileged: true }),
    );
    const [sys = "", hidden, ...devices] = output.trim().split("\n");
    if (!isRootless) assert.match(sys, /^sysfs \/sys sysfs rw/);
    assert.equal(hidden, "0");
    if (existsSync("/dev/kmsg")) assert.ok(devices.includes("kmsg"), devices.join(" "));
    assert.ok(devices.includes("null"));
  });

  it("of a container with an unmasked /proc show all of it, and /sys only to read", async () => {
    const script = "grep -c ' /proc/' /proc/self/mounts; grep ' /sys ' /proc/self/mounts";
    const { output } = await live.sh(script, secure({ isProcMasked: false }));
    assert.match(output, /^0\n.*\bro\b/);
    const { output: masked } = await live.sh(script);
    assert.match(masked, /^[1-9]/);
  });
});

// The call's number, what it is called with, and how it is said to have ended.
const calls = `
const { createRequire } = require("node:module");
const koffi = createRequire(process.env.SOURCE)("koffi");
const syscall = koffi.load(null).func("long syscall(long number, long a, long b, long c, long d)");
for (const [name, number, ...args] of JSON.parse(process.env.CALLS)) {
  const [a = 0, b = 0, c = 0, d = 0] = args;
  const result = syscall(number, a, b, c, d);
  console.log(name, Number(result) < 0 ? koffi.errno() : "ok");
}
`;

const EPERM = 1;
const ENOSYS = 38;

describe("system calls of a container", {
  skip: cannotRun || (process.arch !== "x64" && "numbers are of x64"),
}, () => {
  let live: LiveRuntime;
  before(async () => {
    live = await LiveRuntime.start();
  });
  after(() => live[Symbol.asyncDispose]());

  type Call = readonly [name: string, number: number, ...args: readonly number[]];

  async function answers(
    security: Partial<ContainerSecurity>,
    list: readonly Call[],
  ): Promise<Readonly<Record<string, string>>> {
    const { output } = await live.sh('exec "$NODE" -e "$SCRIPT"', {
      ...secure(security),
      env: [
        ["PATH", "/usr/bin:/bin"],
        ["NODE", process.execPath],
        ["SOURCE", import.meta.filename],
        ["SCRIPT", calls],
        ["CALLS", JSON.stringify(list)],
      ],
    });
    const pairs = output
      .trim()
      .split("\n")
      .map((line) => line.split(" "));
    return Object.fromEntries(pairs) as Readonly<Record<string, string>>;
  }

  const CLONE_NEWUSER = 0x10000000;
  const list: readonly Call[] = [
    ["unshare", 272, CLONE_NEWUSER],
    ["keyctl", 250, 0, -3, 0],
    ["bpf", 321, 0, 0, 0],
    ["ptrace", 101, 0],
    ["vsock", 41, 40, 1, 0],
    ["inet", 41, 2, 1, 0],
    ["clone3", 435, 0, 0],
    ["newer", 900],
  ];

  it("that no ordinary program needs are refused by the default filter", async () => {
    const found = await answers({ seccomp: "default" }, list);
    for (const name of ["unshare", "keyctl", "bpf", "vsock"])
      assert.equal(found[name], String(EPERM), name);
    assert.equal(found["clone3"], String(ENOSYS));
    assert.equal(found["newer"], String(ENOSYS));
    // PTRACE_TRACEME
    assert.equal(found["ptrace"], "ok");
    assert.equal(found["inet"], "ok");
  });

  it("are the kernel's own business without a filter", async () => {
    const found = await answers({ seccomp: "unconfined" }, list);
    assert.notEqual(found["clone3"], String(ENOSYS));
    assert.equal(found["ptrace"], "ok");
    assert.equal(found["newer"], String(ENOSYS));
    const { output } = await live.sh("grep ^Seccomp: /proc/self/status", secure({}));
    assert.equal(output, "Seccomp:\t0\n");
  });

  it("are judged by a profile of the node", async () => {
    const profile = {
      defaultAction: "SCMP_ACT_ALLOW",
      syscalls: [
        { names: ["mkdir", "mkdirat"], action: "SCMP_ACT_ERRNO", errnoRet: 28 },
        { names: ["sethostname"], action: "SCMP_ACT_KILL_PROCESS" },
      ],
    };
    const { output } = await live.sh("mkdir /tmp/x 2>&1; echo on; touch /tmp/y && echo made", {
      ...secure({ seccomp: { profile } }),
      user: nobody,
    });
    assert.match(output, /No space left on device\non\nmade\n$/);
    const killed = await live.sh("hostname other; echo on", secure({ seccomp: { profile } }));
    assert.match(killed.output, /on\n$/);
    assert.match(killed.output, /Bad system call/);
  });

  it("cannot be judged by a profile that is wrong: the container does not start", async () => {
    const profile = { defaultAction: "SCMP_ACT_MAYBE" };
    await assert.rejects(live.sh("true", secure({ seccomp: { profile } })), {
      name: "StartError",
      message: 'error loading seccomp filter: invalid seccomp action "SCMP_ACT_MAYBE"',
    });
  });
});
