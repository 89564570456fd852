// When pods become Ready, as a client with a watch hears of it.

import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { request } from "node:https";
import type { Pod } from "../../src/api/types.ts";
import { jsonLines } from "../../src/client/json-lines.ts";
import { type DriftlessServer, readCredentials } from "../../test/support/driftless-server.ts";

export class PodWatch implements Disposable {
  readonly #response: IncomingMessage;
  readonly #waiting = new Map<string, (atMs: number) => void>();

  private constructor(response: IncomingMessage) {
    this.#response = response;
  }

  static async open(server: DriftlessServer): Promise<PodWatch> {
    const options = { ...readCredentials(server.kubeconfig), agent: false };
    const url = `${server.url}/api/v1/namespaces/default/pods?watch=true`;
    const sent = request(url, options).end();
    const [response] = (await once(sent, "response")) as [IncomingMessage];
    const watch = new PodWatch(response);
    // It ends by being cut.
    watch.#follow().catch(() => undefined);
    return watch;
  }

  /** The moment (performance.now) at which it is heard of. Ask before it is made. */
  ready(name: string): Promise<number> {
    return new Promise((resolve) => this.#waiting.set(name, resolve));
  }

  [Symbol.dispose](): void {
    this.#response.destroy();
  }

  async #follow(): Promise<void> {
    for await (const line of jsonLines(this.#response)) {
      const atMs = performance.now();
      const { metadata, status } = (line as unknown as { readonly object: Pod }).object;
      const { name = "" } = metadata;
      const isReady = status?.conditions?.some(
        (one) => one.type === "Ready" && one.status === "True",
      );
      if (isReady !== true) continue;
      this.#waiting.get(name)?.(atMs);
      this.#waiting.delete(name);
    }
  }
}
