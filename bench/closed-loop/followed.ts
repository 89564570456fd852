// A watch of one kind of object, as the admin of a server that is measured: everything that is there, then every change as it comes.

import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { request } from "node:https";
import type { ApiObject } from "../../src/api/object.ts";
import { jsonLines } from "../../src/client/json-lines.ts";
import { type DriftlessServer, readCredentials } from "../../test/support/driftless-server.ts";

interface Line<T> {
  readonly type: string;
  readonly object: T;
}

export class Followed<T extends ApiObject> implements Disposable {
  /** By name. */
  readonly objects: Map<string, T> = new Map();
  #events = 0;
  #onEvent: (object: T, isGone: boolean) => void = () => undefined;
  readonly #stream: IncomingMessage;

  private constructor(stream: IncomingMessage) {
    this.#stream = stream;
    void this.#follow();
  }

  /** Of a path such as "/api/v1/namespaces/default/pods". */
  static async of<T extends ApiObject>(
    { url, kubeconfig }: DriftlessServer,
    path: string,
  ): Promise<Followed<T>> {
    const credentials = readCredentials(kubeconfig);
    const query = "watch=true&timeoutSeconds=3600";
    const sent = request(`${url}${path}?${query}`, { ...credentials, agent: false });
    sent.end();
    const [stream] = (await once(sent, "response")) as [IncomingMessage];
    return new Followed(stream);
  }

  /** How many there were, those that were there when it began included. */
  get events(): number {
    return this.#events;
  }

  /** Settles when so many different objects are as they should be; each is looked at when it changes. `onOne` hears how many are. */
  until(
    count: number,
    isRight: (object: T) => boolean,
    onOne?: (n: number) => void,
  ): Promise<number> {
    const right = new Set<string>();
    const { promise, resolve } = Promise.withResolvers<number>();
    const look = (object: T, isGone: boolean): void => {
      const { name = "" } = object.metadata;
      if (isGone || !isRight(object)) right.delete(name);
      else right.add(name);
      onOne?.(right.size);
      if (right.size < count) return;
      this.#onEvent = () => undefined;
      resolve(performance.now());
    };
    this.#onEvent = look;
    for (const object of this.objects.values()) look(object, false);
    return promise;
  }

  [Symbol.dispose](): void {
    this.#stream.destroy();
  }

  async #follow(): Promise<void> {
    try {
      for await (const line of jsonLines(this.#stream)) {
        const { type, object } = line as object as Line<T>;
        const { name = "" } = object.metadata;
        this.#events++;
        if (type === "DELETED") this.objects.delete(name);
        else this.objects.set(name, object);
        this.#onEvent(object, type === "DELETED");
      }
    } catch {
      // It was disposed of.
    }
  }
}
