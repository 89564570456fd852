// What the launcher of a session says on its way, through a pipe whose writing end it opens itself: its end is the program's start.

import { Socket } from "node:net";
import { type ProcessIdentity, pipe } from "../../mounts/process-calls.ts";
import { type OpenFile, openFile } from "../../mounts/system-calls.ts";
import { ExecError } from "../runtime.ts";
import type { ExecReport } from "./exec-instructions.ts";
import { pathTo } from "./exec-streams.ts";

/** In the words of other runtimes. */
export function execFailure(
  reason: string,
  options: ConstructorParameters<typeof ExecError>[1] = {},
): ExecError {
  return new ExecError(
    `OCI runtime exec failed: exec failed: unable to start container process: ${reason}: unknown`,
    options,
  );
}

export class ExecReports implements Disposable {
  readonly path: string;
  readonly #socket: Socket;
  /** Ours, until the launcher has its own: without any the pipe would be at its end. */
  readonly #writer: OpenFile;
  readonly #launcher: PromiseWithResolvers<ProcessIdentity> = Promise.withResolvers();
  readonly #started: PromiseWithResolvers<void> = Promise.withResolvers();
  #text = "";
  #isWriterOpen = true;

  constructor() {
    const { reader, writer } = pipe();
    this.#writer = openFile(writer);
    this.path = pathTo(writer);
    this.#socket = new Socket({ fd: reader, readable: true, writable: false });
    this.#socket.on("data", (data: Buffer) => this.#read(data));
    this.#socket.on("error", () => undefined);
    this.#socket.on("close", () => this.#started.resolve());
    // Either is waited for, and fails if the other one does.
    this.#launcher.promise.catch(() => undefined);
    this.#started.promise.catch(() => undefined);
  }

  /** The launcher has opened all that it needs. */
  get launcher(): Promise<ProcessIdentity> {
    return this.#launcher.promise;
  }

  get started(): Promise<void> {
    return this.#started.promise;
  }

  /**
   * The launcher, or the program that it became, has ended. A short program can have done so before its reports are read: only
   * who has said nothing when all is read has failed.
   */
  ended(reason: () => string): void {
    this.#closeWriter();
    this.#socket.once("close", () => this.#launcher.reject(execFailure(reason())));
  }

  /** Does nothing after the program has started. */
  fail(reason: string, exitCode?: number): void {
    const err = execFailure(reason, exitCode === undefined ? {} : { exitCode });
    this.#launcher.reject(err);
    this.#started.reject(err);
  }

  #read(data: Buffer): void {
    this.#text += data.toString();
    const lines = this.#text.split("\n");
    this.#text = lines.pop() ?? "";
    for (const line of lines) {
      const report = JSON.parse(line) as ExecReport;
      if ("launcher" in report) {
        this.#closeWriter();
        this.#launcher.resolve(report.launcher);
      } else {
        this.fail(report.failure, report.exitCode);
      }
    }
  }

  #closeWriter(): void {
    if (this.#isWriterOpen) {
      this.#isWriterOpen = false;
      this.#writer[Symbol.dispose]();
    }
  }

  [Symbol.dispose](): void {
    this.#closeWriter();
    this.#socket.destroy();
  }
}
