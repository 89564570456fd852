// Rules become a program for the kernel's packet filter, which runs for every system call. So that each costs little, the calls are
// a sorted list of ranges with the same answer, and the program is a binary tree over it: about eight comparisons.
//
// Code is put together of blocks. A block never falls through its end and never jumps out of itself, so blocks can be stacked.

import {
  type Condition,
  ENOSYS,
  isPermissive,
  KILL_PROCESS,
  type Rule,
  type Rules,
} from "./seccomp-profile.ts";

/** struct sock_filter: what to do, where to go on if it holds and if not (counted from the next instruction), and the operand. */
export interface Instruction {
  readonly code: number;
  readonly ifTrue: number;
  readonly ifFalse: number;
  readonly operand: number;
}

export const LOAD = 0x20;
export const AND = 0x54;
export const JUMP = 0x05;
export const JUMP_EQ = 0x15;
export const JUMP_GT = 0x25;
export const JUMP_GE = 0x35;
export const RETURN = 0x06;

// Offsets in struct seccomp_data.
const NUMBER = 0;
const ARCHITECTURE = 4;
const ARGUMENTS = 16;

/** AUDIT_ARCH_X86_64 and AUDIT_ARCH_AARCH64 */
const audited: Readonly<Record<Rules["architecture"], number>> = {
  x64: 0xc000_003e,
  arm64: 0xc000_00b7,
};
/** Calls of programs with 32-bit pointers on x86-64 have this bit. */
const X32 = 0x4000_0000;
const maxInstructions = 4096;
const farthest = 255;

type Block = readonly Instruction[];

/** From the number on, up to the next range's. */
interface Range {
  readonly first: number;
  readonly block: Block;
  /** Equal keys mean equal answers; undefined is equal to none. */
  readonly key: number | undefined;
}

/** Throws if the profile needs more than the kernel takes. */
export function compileFilter(rules: Rules): readonly Instruction[] {
  const program = [
    load(ARCHITECTURE),
    jump(JUMP_EQ, { operand: audited[rules.architecture], ifTrue: 1, ifFalse: 0 }),
    // A program of another processor calls by other numbers: none of the rules means what it says.
    ...answer(KILL_PROCESS),
    load(NUMBER),
    ...tree(rangesOf(rules)),
  ];
  if (program.length > maxInstructions) {
    throw new Error(
      `the seccomp profile is too large: ${program.length} instructions, the kernel takes ${maxInstructions}`,
    );
  }
  return program;
}

/** As the kernel takes it, on processors with the lower byte first: all that we know. */
export function encodeFilter(program: readonly Instruction[]): Uint8Array {
  const bytes = new Uint8Array(program.length * 8);
  const view = new DataView(bytes.buffer);
  for (const [n, { code, ifTrue, ifFalse, operand }] of program.entries()) {
    view.setUint16(n * 8, code, true);
    view.setUint8(n * 8 + 2, ifTrue);
    view.setUint8(n * 8 + 3, ifFalse);
    view.setUint32(n * 8 + 4, operand, true);
  }
  return bytes;
}

function rangesOf(rules: Rules): readonly Range[] {
  const { defaultResult, bySyscall } = rules;
  const unnamed = (first: number): Range => simple(first, defaultResult);
  const ranges: Range[] = [unnamed(0)];
  const numbers = [...bySyscall.keys()].sort((a, b) => a - b);
  for (const number of numbers) {
    if (ranges.at(-1)?.first === number) {
      ranges.pop();
    }
    ranges.push(ranged(number, bySyscall.get(number) ?? [], defaultResult), unnamed(number + 1));
  }
  if (!isPermissive(rules) && numbers.length > 0) {
    // Newer than the profile: programs ask whether the kernel has it, and take "not permitted" for a failure.
    ranges.push(simple(ranges.pop()?.first ?? 0, ENOSYS));
  }
  ranges.push(simple(X32, ENOSYS));
  return merged(ranges);
}

function simple(first: number, result: number): Range {
  return { first, block: answer(result), key: result };
}

function ranged(first: number, rules: readonly Rule[], defaultResult: number): Range {
  const decided = rules.findIndex(({ conditions }) => conditions.length === 0);
  const conditional = decided < 0 ? rules : rules.slice(0, decided);
  const otherwise = rules[decided]?.result ?? defaultResult;
  if (conditional.every(({ result }) => result === otherwise)) {
    return simple(first, otherwise);
  }
  return {
    first,
    block: [...conditional.flatMap(ruleBlock), ...answer(otherwise)],
    key: undefined,
  };
}

function merged(ranges: readonly Range[]): readonly Range[] {
  return ranges.filter(({ key }, n) => n === 0 || key === undefined || key !== ranges[n - 1]?.key);
}

/** The number is loaded; afterwards it is not any more. */
function tree(ranges: readonly Range[]): Block {
  const half = ranges.length >> 1;
  const middle = ranges[half];
  if (half === 0 || middle === undefined) {
    return ranges[0]?.block ?? [];
  }
  const below = tree(ranges.slice(0, half));
  const above = tree(ranges.slice(half));
  const test = (ifTrue: number, ifFalse: number): Instruction =>
    jump(JUMP_GE, { operand: middle.first, ifTrue, ifFalse });
  return below.length <= farthest
    ? [test(below.length, 0), ...below, ...above]
    : [
        test(0, 1),
        { code: JUMP, ifTrue: 0, ifFalse: 0, operand: below.length },
        ...below,
        ...above,
      ];
}

/** Where a condition leads: on to the next one, or to its end. */
const HOLDS = -1;
const FAILS = -2;

/** Unlike other blocks it is left at its end if a condition fails. */
function ruleBlock({ conditions, result }: Rule): Block {
  const tests = conditions.map(conditionCode);
  const code = [...tests.flat(), ...answer(result)];
  let at = 0;
  return tests
    .flatMap((test) => {
      const end = at + test.length;
      return test.map((instruction) => {
        at++;
        const to = (target: number): number => {
          if (target === HOLDS) return end - at;
          return target === FAILS ? code.length - at : target;
        };
        const { ifTrue, ifFalse } = instruction;
        return { ...instruction, ifTrue: to(ifTrue), ifFalse: to(ifFalse) };
      });
    })
    .concat(answer(result));
}

/** The kernel compares 32 bits at once: first the upper half, then, if that leaves it open, the lower one. */
function conditionCode({ index, comparison, value, valueTwo }: Condition): Block {
  const offset = ARGUMENTS + 8 * index;
  const halves = (of: bigint): readonly [upper: number, lower: number] => [
    Number(of >> 32n),
    Number(of & 0xffff_ffffn),
  ];
  const [upper, lower] = halves(value);
  const loadUpper = load(offset + 4);
  const loadLower = load(offset);
  const test = (code: number, operand: number, ifTrue: number, ifFalse: number): Instruction =>
    jump(code, { operand, ifTrue, ifFalse });
  const ordered = (code: number, whenMore: number, whenLess: number): Block => [
    loadUpper,
    test(JUMP_GT, upper, whenMore, 0),
    test(JUMP_EQ, upper, 0, whenLess),
    loadLower,
    test(code, lower, whenMore, whenLess),
  ];
  switch (comparison) {
    case "EQ":
      return [
        loadUpper,
        test(JUMP_EQ, upper, 0, FAILS),
        loadLower,
        test(JUMP_EQ, lower, HOLDS, FAILS),
      ];
    case "NE":
      return [
        loadUpper,
        test(JUMP_EQ, upper, 0, HOLDS),
        loadLower,
        test(JUMP_EQ, lower, FAILS, HOLDS),
      ];
    case "GT":
      return ordered(JUMP_GT, HOLDS, FAILS);
    case "GE":
      return ordered(JUMP_GE, HOLDS, FAILS);
    case "LE":
      return ordered(JUMP_GT, FAILS, HOLDS);
    case "LT":
      return ordered(JUMP_GE, FAILS, HOLDS);
    case "MASKED_EQ": {
      const [upperTwo, lowerTwo] = halves(valueTwo);
      return [
        loadUpper,
        { code: AND, ifTrue: 0, ifFalse: 0, operand: upper },
        test(JUMP_EQ, upperTwo, 0, FAILS),
        loadLower,
        { code: AND, ifTrue: 0, ifFalse: 0, operand: lower },
        test(JUMP_EQ, lowerTwo, HOLDS, FAILS),
      ];
    }
  }
}

function load(offset: number): Instruction {
  return { code: LOAD, ifTrue: 0, ifFalse: 0, operand: offset };
}

function answer(result: number): Block {
  return [{ code: RETURN, ifTrue: 0, ifFalse: 0, operand: result }];
}

function jump(code: number, rest: Omit<Instruction, "code">): Instruction {
  return { code, ...rest };
}
