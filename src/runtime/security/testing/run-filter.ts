// The kernel's packet filter, as far as our programs use it: what it would answer for a system call.

import {
  AND,
  type Instruction,
  JUMP,
  JUMP_EQ,
  JUMP_GE,
  JUMP_GT,
  LOAD,
  RETURN,
} from "../compile-filter.ts";

export interface SystemCallData {
  readonly number: number;
  /** AUDIT_ARCH_… */
  readonly architecture: number;
  readonly args: readonly bigint[];
}

export interface Answer {
  readonly result: number;
  /** How many instructions were run. */
  readonly steps: number;
}

type Step = (of: { readonly accumulator: number; readonly instruction: Instruction }) => {
  readonly accumulator?: number;
  readonly skip?: number;
};

function test(holds: (accumulator: number, operand: number) => boolean): Step {
  return ({ accumulator, instruction: { operand, ifTrue, ifFalse } }) => {
    if (Math.max(ifTrue, ifFalse) > 255 || Math.min(ifTrue, ifFalse) < 0) {
      throw new Error("A jump does not fit into a byte");
    }
    return { skip: holds(accumulator, operand) ? ifTrue : ifFalse };
  };
}

const steps: ReadonlyMap<number, Step> = new Map<number, Step>([
  [
    AND,
    ({ accumulator, instruction }) => ({ accumulator: (accumulator & instruction.operand) >>> 0 }),
  ],
  [JUMP, ({ instruction }) => ({ skip: instruction.operand })],
  [JUMP_EQ, test((a, b) => a === b)],
  [JUMP_GT, test((a, b) => a > b)],
  [JUMP_GE, test((a, b) => a >= b)],
]);

/** Throws where the kernel would refuse to load the program. */
export function runFilter(program: readonly Instruction[], data: SystemCallData): Answer {
  const memory = new DataView(new ArrayBuffer(64));
  memory.setUint32(0, data.number, true);
  memory.setUint32(4, data.architecture, true);
  for (const [n, value] of data.args.entries()) memory.setBigUint64(16 + 8 * n, value, true);
  let accumulator = 0;
  let count = 0;
  for (let at = 0; ; at++) {
    const instruction = program[at];
    if (!instruction) throw new Error(`The program leaves itself at ${at}`);
    const { code, operand } = instruction;
    count++;
    if (code === RETURN) return { result: operand, steps: count };
    const loaded: Step = () => ({ accumulator: memory.getUint32(operand, true) });
    const step = code === LOAD ? loaded : steps.get(code);
    if (!step) throw new Error(`There is no instruction ${code}`);
    const next = step({ accumulator, instruction });
    accumulator = next.accumulator ?? accumulator;
    at += next.skip ?? 0;
  }
}
