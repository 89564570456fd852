// All ConfigViews of a server as a watch brings them, and whoever waits for one of them: woken by its event, not by a clock.

import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { request } from "node:https";
import { createInterface } from "node:readline";
import type { ConfigUse, ConfigView } from "../../src/api/types.ts";
import { type DriftlessServer, readCredentials } from "../support/driftless-server.ts";

/** Longer than anything takes on a busy machine; only a test that fails waits as long. */
const PATIENCE_MS = 90_000;

export class ViewWatch implements Disposable {
  /** By the pod's name. */
  readonly views: Map<string, ConfigView> = new Map<string, ConfigView>();
  readonly #answer: IncomingMessage;
  readonly #waiting = new Set<() => void>();
  #failure: Error | undefined;

  private constructor(answer: IncomingMessage) {
    this.#answer = answer;
    const lines = createInterface({ input: answer });
    lines.on("line", (line) => this.#take(JSON.parse(line) as Change));
    lines.once("close", () => {
      this.#failure = new Error("the watch of views has ended");
      this.#wake();
    });
    answer.on("error", () => undefined); // Its end is what matters.
  }

  static async start(server: DriftlessServer): Promise<ViewWatch> {
    const sent = request(`${server.url}/apis/driftless.dev/v1/configviews?watch=true`, {
      ...readCredentials(server.kubeconfig),
      agent: false,
    });
    sent.end();
    const [answer] = (await once(sent, "response")) as [IncomingMessage];
    if (answer.statusCode !== 200) throw new Error(`the server says ${answer.statusCode}`);
    return new ViewWatch(answer);
  }

  uses(pod: string): readonly ConfigUse[] {
    return this.views.get(pod)?.uses ?? [];
  }

  /** The first thing that is found, looked for with every event. */
  async until<T>(what: string, find: () => T | undefined): Promise<T> {
    const limit = performance.now() + PATIENCE_MS;
    for (;;) {
      const found = find();
      if (found !== undefined) return found;
      if (this.#failure) throw this.#failure;
      const isNews = await this.news(limit - performance.now());
      if (!isNews)
        throw new Error(`waited in vain for ${what}; ${JSON.stringify([...this.views])}`);
    }
  }

  /** With the next event, or false when the time is over. */
  async news(withinMs: number): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const wake = (): void => resolve(true);
    const limit = setTimeout(() => resolve(false), Math.max(0, withinMs));
    this.#waiting.add(wake);
    try {
      return await promise;
    } finally {
      clearTimeout(limit);
      this.#waiting.delete(wake);
    }
  }

  [Symbol.dispose](): void {
    this.#answer.destroy();
  }

  #take({ type, object }: Change): void {
    const { name = "" } = object.metadata;
    if (type === "DELETED") this.views.delete(name);
    else this.views.set(name, object);
    this.#wake();
  }

  #wake(): void {
    for (const wake of this.#waiting) wake();
  }
}

interface Change {
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  readonly object: ConfigView;
}

/** By the view alone. */
export function saysInSync({ wanted, onDisk, drift }: ConfigUse): boolean {
  return wanted !== undefined && wanted.hash === onDisk?.hash && drift === undefined;
}
