// Programs and clients of a FakeRuntime's containers: they do what a test says, and keep what they were given.

import { PassThrough, Writable } from "node:stream";
import type {
  Attachment,
  ContainerStatus,
  ExecSession,
  ExecSpec,
  TerminalSize,
} from "../runtime.ts";

/** How a program ends, and what it says before. */
export interface FakeProgram {
  readonly exitCode?: number;
  readonly stdout?: string;
  readonly stderr?: string;
}

/** Throws an ExecError if the program does not start. A promise that does not settle is a program that runs until it is ended. */
export type FakeExecHandler = (
  spec: ExecSpec,
  container: ContainerStatus,
) => FakeProgram | Promise<FakeProgram>;

/** All that was written to it, as text. */
class Collected extends Writable {
  text = "";

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.text += chunk.toString();
    done();
  }
}

export class FakeExecSession implements ExecSession {
  readonly containerId: string;
  readonly container: string;
  readonly spec: ExecSpec;
  readonly sizes: TerminalSize[] = [];
  readonly stdin: Collected | undefined;
  readonly stdout: PassThrough = new PassThrough();
  readonly stderr: PassThrough | undefined;
  /** It was ended before it had ended by itself. */
  isCut = false;
  readonly #ended =
    Promise.withResolvers<Readonly<{ exitCode: number; signal: number | undefined }>>();
  #isOver = false;

  constructor({ id, name }: ContainerStatus, spec: ExecSpec) {
    this.containerId = id;
    this.container = name;
    this.spec = spec;
    this.stdin = spec.hasStdin ? new Collected() : undefined;
    this.stderr = spec.hasTty ? undefined : new PassThrough();
  }

  get ended(): ExecSession["ended"] {
    return this.#ended.promise;
  }

  resize(size: TerminalSize): void {
    if (this.spec.hasTty) this.sizes.push(size);
  }

  end({ exitCode = 0, stdout = "", stderr = "" }: FakeProgram, signal?: number): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.stdout.end(this.stderr ? stdout : stdout + stderr);
    this.stderr?.end(stderr);
    this.#ended.resolve({ exitCode, signal });
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.isCut ||= !this.#isOver;
    this.end({ exitCode: 137 }, 9);
    return Promise.resolve();
  }
}

export class FakeAttachment implements Attachment {
  readonly containerId: string;
  readonly container: string;
  readonly hasTty: boolean;
  readonly sizes: TerminalSize[] = [];
  readonly stdin: Collected | undefined;
  /** A test writes into it what the container says. */
  readonly stdout: PassThrough = new PassThrough();
  readonly stderr: PassThrough | undefined;

  constructor({ id, name, hasTty, stdin }: ContainerStatus) {
    this.containerId = id;
    this.container = name;
    this.hasTty = hasTty;
    this.stdin = stdin === "none" ? undefined : new Collected();
    this.stderr = hasTty ? undefined : new PassThrough();
  }

  resize(size: TerminalSize): void {
    if (this.hasTty) this.sizes.push(size);
  }

  [Symbol.dispose](): void {
    this.stdout.end();
    this.stderr?.end();
  }
}
