// A log keeper inside the test: keeps what containers write in memory, by container.

import { constants, openSync } from "node:fs";
import { Socket } from "node:net";
import type { LogKeeper } from "../../src/runtime/logs/log-keeper.ts";

export type RuntimeLogKeeper = Pick<LogKeeper, "follow" | "takeTerminal" | "attach" | "finished">;

interface Output {
  text: string;
  readonly sockets: readonly Socket[];
  readonly ended: Promise<unknown>;
}

export class CollectedOutput implements RuntimeLogKeeper {
  readonly #outputs = new Map<string, Output>();

  follow(of: Parameters<LogKeeper["follow"]>[0]): Promise<void> {
    const sockets = [of.stdoutFifo, of.stderrFifo].map(
      (path) =>
        new Socket({
          fd: openSync(path, constants.O_RDONLY | constants.O_NONBLOCK),
          readable: true,
        }),
    );
    const ended = Promise.all(
      sockets.map((socket) => new Promise((resolve) => socket.on("close", resolve))),
    );
    const output = { text: this.of(of.id), sockets, ended };
    for (const socket of sockets) {
      // The end of a pipe that nobody has opened yet is not announced; a test that ends early must not wait for it.
      socket.unref();
      socket.on("data", (data) => {
        output.text += data.toString();
      });
    }
    this.#outputs.set(of.id, output);
    return Promise.resolve();
  }

  takeTerminal(): Promise<never> {
    return Promise.reject(new Error("terminals need the real log keeper"));
  }

  attach(): Promise<never> {
    return Promise.reject(new Error("attaching needs the real log keeper"));
  }

  async finished(id: string): Promise<void> {
    const output = this.#outputs.get(id);
    if (output && output.text !== "") {
      // From here on it is waited for, if by nobody else then by this.
      for (const socket of output.sockets) socket.ref();
      await output.ended;
    }
  }

  of(id: string): string {
    return this.#outputs.get(id)?.text ?? "";
  }
}
