// A Node process that was started with --inspect, asked from outside what it holds on to.

import assert from "node:assert/strict";
import { once } from "node:events";
import { WebSocket } from "ws";

interface Answer {
  readonly id?: number;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: unknown;
}

export class Inspected {
  readonly #socket: WebSocket;
  #lastId = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
  }

  /** By what it has printed. */
  static async of(lines: readonly string[]): Promise<Inspected> {
    const [, url] = /Debugger listening on (ws:\S+)/.exec(lines.join("\n")) ?? [];
    assert.ok(url, "it has not said where it listens");
    const socket = new WebSocket(url);
    await once(socket, "open");
    return new Inspected(socket);
  }

  /** After everything was collected that nobody holds. */
  async usage(): Promise<Readonly<Record<"heap" | "timers" | "handles", number>>> {
    // What is let go by one collection may hold what only the next one finds.
    for (let round = 0; round < 3; round++) await this.#ask("HeapProfiler.collectGarbage");
    const { usedSize } = await this.#ask("Runtime.getHeapUsage");
    const { result } = await this.#ask("Runtime.evaluate", {
      expression: "JSON.stringify(process.getActiveResourcesInfo())",
    });
    const { value } = result as { readonly value: string };
    const resources = JSON.parse(value) as readonly string[];
    const timers = resources.filter((name) => name === "Timeout").length;
    return { heap: Number(usedSize), timers, handles: resources.length - timers };
  }

  close(): void {
    this.#socket.terminate();
  }

  #ask(method: string, params: object = {}): Promise<Readonly<Record<string, unknown>>> {
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      const onMessage = (data: Buffer): void => {
        const answer = JSON.parse(data.toString()) as Answer;
        if (answer.id !== id) return;
        this.#socket.off("message", onMessage);
        if (answer.result === undefined) reject(new Error(JSON.stringify(answer.error)));
        else resolve(answer.result);
      };
      this.#socket.on("message", onMessage);
      this.#socket.send(JSON.stringify({ id, method, params }));
    });
  }
}
