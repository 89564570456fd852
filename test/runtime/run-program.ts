// Programs run in a container of a LiveRuntime, to their end.

import { once } from "node:events";
import type { Readable } from "node:stream";
import type { ExecSession, ExecSpec, Runtime } from "../../src/runtime/runtime.ts";

export interface Ran {
  readonly exitCode: number;
  readonly signal: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

export interface ProgramOptions {
  readonly stdin?: string;
  readonly hasTty?: boolean;
}

export function execSpec(
  argv: readonly string[],
  { stdin, hasTty }: ProgramOptions = {},
): ExecSpec {
  return { argv, hasStdin: stdin !== undefined, hasTty: hasTty === true };
}

/** All that is written to the stream, kept up to date. */
export class Heard {
  text = "";
  readonly #waiting: { readonly pattern: RegExp; readonly resolve: () => void }[] = [];

  constructor(stream: Readable | undefined) {
    stream?.on("data", (data: Buffer) => {
      this.text += data.toString();
      for (const { pattern, resolve } of this.#waiting) {
        if (pattern.test(this.text)) resolve();
      }
    });
  }

  /** Settles when it was written. */
  until(pattern: RegExp): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push({ pattern, resolve });
    if (pattern.test(this.text)) resolve();
    return promise;
  }
}

export async function finished(session: ExecSession): Promise<Ran> {
  const stdout = new Heard(session.stdout);
  const stderr = new Heard(session.stderr);
  const read = [session.stdout, session.stderr].map(untilRead);
  const { exitCode, signal } = await session.ended;
  await Promise.all(read);
  return { exitCode, signal, stdout: stdout.text, stderr: stderr.text };
}

/** Also if it was cut off. */
async function untilRead(stream: Readable | undefined): Promise<void> {
  if (stream !== undefined && !stream.closed) await once(stream, "close").catch(() => undefined);
}

export async function runProgram(
  where: { readonly runtime: Runtime; readonly id: string },
  argv: readonly string[],
  options: ProgramOptions = {},
): Promise<Ran> {
  const session = await where.runtime.exec(where.id, execSpec(argv, options));
  if (options.stdin !== undefined) session.stdin?.end(options.stdin);
  return finished(session);
}
