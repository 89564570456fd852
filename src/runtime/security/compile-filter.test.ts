import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { compileFilter, encodeFilter } from "./compile-filter.ts";
import {
  type Comparison,
  type Condition,
  ENOSYS,
  isPermissive,
  KILL_PROCESS,
  type Rule,
  type Rules,
} from "./seccomp-profile.ts";
import { runFilter } from "./testing/run-filter.ts";

const X64 = 0xc000003e;
const ALLOW = 0x7fff0000;
const EPERM = 0x50001;

/** What the rules say, read as they are written. */
function expected({ defaultResult, bySyscall }: Rules, number: number, args: readonly bigint[]) {
  const isNewer = number > Math.max(...bySyscall.keys());
  if (number >= 0x40000000) return ENOSYS;
  const rules = bySyscall.get(number) ?? [];
  const found = rules.find(({ conditions }) =>
    conditions.every((condition) => holds(condition, args[condition.index] ?? 0n)),
  );
  const isUnknown = isNewer && bySyscall.size > 0 && !isPermissive({ defaultResult } as Rules);
  return found?.result ?? (isUnknown ? ENOSYS : defaultResult);
}

function holds({ comparison, value, valueTwo }: Condition, arg: bigint): boolean {
  switch (comparison) {
    case "EQ":
      return arg === value;
    case "NE":
      return arg !== value;
    case "LT":
      return arg < value;
    case "LE":
      return arg <= value;
    case "GT":
      return arg > value;
    case "GE":
      return arg >= value;
    case "MASKED_EQ":
      return (arg & value) === valueTwo;
  }
}

// Few values, near each other and near the border between the halves: conditions are often just met or just missed.
const values = fc.oneof(
  fc.constantFrom(0n, 1n, 2n, 0xffffffffn, 0x100000000n, 0x100000001n, 0x200000000n),
  fc.bigInt({ min: 0n, max: 0xffffffffffffffffn }),
);
const conditions: fc.Arbitrary<Condition> = fc.record({
  index: fc.integer({ min: 0, max: 5 }),
  comparison: fc.constantFrom<Comparison>("EQ", "NE", "LT", "LE", "GT", "GE", "MASKED_EQ"),
  value: values,
  valueTwo: values,
});
const results = fc.constantFrom(ALLOW, EPERM, 0x50026, 0x7ffc0000, KILL_PROCESS, 0);
const rule: fc.Arbitrary<Rule> = fc.record({
  conditions: fc.array(conditions, { maxLength: 4 }),
  result: results,
});
const anyRules: fc.Arbitrary<Rules> = fc.record({
  architecture: fc.constant("x64" as const),
  defaultResult: results,
  bySyscall: fc
    .array(
      fc.tuple(fc.integer({ min: 0, max: 60 }), fc.array(rule, { minLength: 1, maxLength: 4 })),
      { maxLength: 60 },
    )
    .map((entries) => new Map(entries)),
});

describe("compileFilter", () => {
  it("answers every call as the rules say, for any rules", () => {
    fc.assert(
      fc.property(
        anyRules,
        fc.array(
          fc.tuple(
            fc.integer({ min: 0, max: 63 }),
            fc.array(values, { minLength: 6, maxLength: 6 }),
          ),
          {
            minLength: 1,
            maxLength: 30,
          },
        ),
        (rules, calls) => {
          const program = compileFilter(rules);
          for (const [number, args] of calls) {
            const { result } = runFilter(program, { number, architecture: X64, args });
            assert.equal(result, expected(rules, number, args), `call ${number} (${args.join()})`);
          }
        },
      ),
      { numRuns: 500 },
    );
  });

  it("reaches every part of a program that is longer than a short jump", () => {
    const many = Array.from({ length: 12 }, (_, n): Rule => {
      const condition = {
        index: n % 6,
        comparison: "GT",
        value: BigInt(n) << 30n,
        valueTwo: 0n,
      } as const;
      return { conditions: [condition, { ...condition, index: (n + 1) % 6 }], result: 0x50000 | n };
    });
    const bySyscall = new Map(Array.from({ length: 20 }, (_, n) => [n, many] as const));
    const rules: Rules = { architecture: "x64", defaultResult: ALLOW, bySyscall };
    const program = compileFilter(rules);
    assert.ok(program.length > 1000);
    for (let number = 0; number < 22; number++) {
      const args = Array.from({ length: 6 }, (_, n) => BigInt(n * number) << 28n);
      const { result } = runFilter(program, { number, architecture: X64, args });
      assert.equal(result, expected(rules, number, args));
    }
  });

  it("kills programs of another processor, and has no calls of those with 32-bit pointers", () => {
    const rules: Rules = { architecture: "x64", defaultResult: ALLOW, bySyscall: new Map() };
    const program = compileFilter(rules);
    const call = (number: number, architecture: number) =>
      runFilter(program, { number, architecture, args: [] }).result;
    assert.equal(call(1, X64), ALLOW);
    assert.equal(call(1, 0x40000003), KILL_PROCESS);
    assert.equal(call(0x40000001, X64), ENOSYS);
  });

  it("refuses a profile that the kernel would not take", () => {
    const condition = { index: 0, comparison: "EQ", value: 1n, valueTwo: 0n } as const;
    const rules = Array.from({ length: 100 }, (_, n) => ({
      conditions: [condition],
      result: 0x50000 | n,
    }));
    const bySyscall = new Map(Array.from({ length: 20 }, (_, n) => [n, rules] as const));
    assert.throws(() => compileFilter({ architecture: "x64", defaultResult: ALLOW, bySyscall }), {
      message: /^the seccomp profile is too large: \d+ instructions, the kernel takes 4096$/,
    });
  });
});

describe("encodeFilter", () => {
  it("writes eight bytes for each instruction", () => {
    const bytes = encodeFilter([{ code: 0x35, ifTrue: 1, ifFalse: 2, operand: 0xc000003e }]);
    assert.deepEqual([...bytes], [0x35, 0, 1, 2, 0x3e, 0, 0, 0xc0]);
  });
});
