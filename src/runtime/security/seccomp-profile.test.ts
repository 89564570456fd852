import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { capabilityNames, defaultCapabilities } from "./capabilities.ts";
import { compileFilter } from "./compile-filter.ts";
import { defaultProfile } from "./default-profile.ts";
import { type Architecture, ENOSYS, type ProfileContext, rulesOf } from "./seccomp-profile.ts";
import { syscallNumbers } from "./syscall-numbers.ts";
import { runFilter } from "./testing/run-filter.ts";

const ALLOW = 0x7fff0000;
const EPERM = 0x50001;
const context: ProfileContext = {
  architecture: "x64",
  capabilities: defaultCapabilities,
  release: "6.1.0-13-amd64",
};

/** Asks the filter of a profile about calls by name. */
function asker(profile: object, changes: Partial<ProfileContext> = {}) {
  const all = { ...context, ...changes };
  const program = compileFilter(rulesOf(profile, all));
  const architecture = all.architecture === "x64" ? 0xc000003e : 0xc00000b7;
  const numbers = syscallNumbers(all.architecture);
  return (call: string | number, ...args: readonly number[]): number => {
    const number = typeof call === "number" ? call : (numbers.get(call) ?? Number.NaN);
    const values = Array.from({ length: 6 }, (_, n) => BigInt(args[n] ?? 0));
    return runFilter(program, { number, architecture, args: values }).result;
  };
}

describe("syscallNumbers", () => {
  it("knows the numbers of both processors, each once", () => {
    for (const architecture of ["x64", "arm64"] as const) {
      const numbers = syscallNumbers(architecture);
      assert.equal(new Set(numbers.values()).size, numbers.size);
      assert.ok([...numbers.values()].every((number) => Number.isInteger(number)));
    }
    assert.equal(syscallNumbers("x64").get("openat"), 257);
    assert.equal(syscallNumbers("arm64").get("openat"), 56);
    assert.equal(syscallNumbers("arm64").has("open"), false);
    assert.equal(syscallNumbers("x64").get("clone3"), syscallNumbers("arm64").get("clone3"));
  });
});

describe("the default profile", () => {
  for (const architecture of ["x64", "arm64"] as const satisfies readonly Architecture[]) {
    it(`lets ordinary programs live on ${architecture}, and refuses what reaches past the container`, () => {
      const ask = asker(defaultProfile, { architecture });
      for (const name of [
        "read",
        "openat",
        "execve",
        "futex",
        "mmap",
        "ptrace",
        "mknodat",
        "chroot",
      ]) {
        assert.equal(ask(name), ALLOW, name);
      }
      const refused = [
        "mount",
        "umount2",
        "unshare",
        "setns",
        "bpf",
        "keyctl",
        "add_key",
        "io_uring_setup",
      ];
      for (const name of [
        ...refused,
        "init_module",
        "kexec_load",
        "perf_event_open",
        "reboot",
        "pivot_root",
      ]) {
        assert.equal(ask(name), EPERM, name);
      }
    });
  }

  it("looks at flags of clone, families of sockets and personalities", () => {
    const ask = asker(defaultProfile);
    assert.equal(ask("clone", 0x1200011), ALLOW);
    assert.equal(ask("clone", 0x10000000), EPERM);
    assert.equal(ask("clone3"), ENOSYS);
    assert.equal(ask("socket", 2), ALLOW);
    assert.equal(ask("socket", 39), ALLOW);
    assert.equal(ask("socket", 38), EPERM);
    assert.equal(ask("socket", 40), EPERM);
    assert.equal(ask("socket", 44), ALLOW);
    // The kernel looks at 32 bits of it.
    assert.equal(ask("socket", 2 ** 32 + 38), EPERM);
    assert.equal(ask("socket", 2 ** 32 + 40), EPERM);
    assert.equal(ask("personality", 0xffffffff), ALLOW);
    assert.equal(ask("personality", 0x40000), EPERM);
  });

  it("allows more with the capabilities for it", () => {
    const admin = asker(defaultProfile, { capabilities: [...defaultCapabilities, "SYS_ADMIN"] });
    assert.equal(admin("mount"), ALLOW);
    assert.equal(admin("clone", 0x10000000), ALLOW);
    assert.equal(admin("clone3"), ALLOW);
    assert.equal(admin("init_module"), EPERM);
    const none = asker(defaultProfile, { capabilities: [] });
    assert.equal(none("chroot"), EPERM);
    const all = asker(defaultProfile, { capabilities: capabilityNames });
    assert.equal(all("keyctl"), EPERM);
  });

  it("does not know calls that are newer than itself", () => {
    assert.equal(asker(defaultProfile)(1000), ENOSYS);
  });

  it("costs each call few steps", () => {
    const program = compileFilter(rulesOf(defaultProfile, context));
    assert.ok(program.length < 400, String(program.length));
    for (const number of syscallNumbers("x64").values()) {
      const { steps } = runFilter(program, { number, architecture: 0xc000003e, args: [] });
      assert.ok(steps < 25, `call ${number}: ${steps} steps`);
    }
  });
});

describe("rulesOf", () => {
  const base = { defaultAction: "SCMP_ACT_ALLOW" };

  it("reads a profile that refuses a few calls", () => {
    const syscalls = [{ names: ["mkdir", "no_such_call"], action: "SCMP_ACT_ERRNO", errnoRet: 2 }];
    const ask = asker({ ...base, syscalls });
    assert.equal(ask("mkdir"), 0x50002);
    assert.equal(ask("rmdir"), ALLOW);
    assert.equal(ask(1000), ALLOW);
  });

  it("takes several conditions on one argument as alternatives", () => {
    const args = [1, 2].map((value) => ({ index: 0, op: "SCMP_CMP_EQ", value }));
    const ask = asker({ ...base, syscalls: [{ names: ["close"], action: "SCMP_ACT_KILL", args }] });
    assert.deepEqual(
      [1, 2, 3].map((fd) => ask("close", fd)),
      [0, 0, ALLOW],
    );
  });

  it("compares with numbers that JSON cannot hold exactly", () => {
    const args = [
      { index: 0, op: "SCMP_CMP_EQ", value: JSON.parse("18446744073709551615") as number },
    ];
    const rules = rulesOf(
      { ...base, syscalls: [{ names: ["close"], action: "SCMP_ACT_TRAP", args }] },
      context,
    );
    assert.equal(rules.bySyscall.get(3)?.[0]?.conditions[0]?.value, 0xffffffffffffffffn);
  });

  it("leaves out what is for other kernels, processors and capabilities", () => {
    const entry = (rest: object) => ({ names: ["mkdir"], action: "SCMP_ACT_ERRNO", ...rest });
    const isUsed = (rest: object): boolean =>
      rulesOf({ ...base, syscalls: [entry(rest)] }, context).bySyscall.size === 1;
    assert.equal(
      isUsed({ includes: { caps: ["CAP_CHOWN"], arches: ["amd64"], minKernel: "5.10" } }),
      true,
    );
    assert.equal(isUsed({ includes: { caps: ["CAP_SYS_ADMIN"] } }), false);
    assert.equal(isUsed({ includes: { arches: ["arm64"] } }), false);
    assert.equal(isUsed({ includes: { minKernel: "6.2" } }), false);
    assert.equal(isUsed({ excludes: { caps: ["CAP_CHOWN"] } }), false);
    assert.equal(isUsed({ excludes: { arches: ["amd64"] } }), false);
    assert.equal(isUsed({ excludes: { caps: ["CAP_SYS_ADMIN"], arches: ["arm64"] } }), true);
  });

  const wrong: readonly (readonly [profile: object, message: string])[] = [
    [{}, "invalid seccomp action undefined"],
    [{ defaultAction: "SCMP_ACT_NOTIFY" }, 'invalid seccomp action "SCMP_ACT_NOTIFY"'],
    [{ ...base, syscalls: {} }, "invalid seccomp profile: syscalls must be a list of objects"],
    [
      {
        ...base,
        syscalls: [{ names: ["read"], action: "SCMP_ACT_TRAP", args: [{ index: 0, op: "X" }] }],
      },
      'invalid seccomp operator "X"',
    ],
    [
      {
        ...base,
        syscalls: [
          { names: ["read"], action: "SCMP_ACT_TRAP", args: [{ index: 6, op: "SCMP_CMP_EQ" }] },
        ],
      },
      "invalid seccomp argument index 6",
    ],
  ];
  for (const [profile, message] of wrong) {
    it(`refuses with a sentence: ${message}`, () => {
      assert.throws(() => rulesOf(profile, context), { message });
    });
  }
});
