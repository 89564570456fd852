// The lease of a node, renewed as a kubelet does it: an update of what the last one brought back.

import { performance } from "node:perf_hooks";
import { LEASES } from "./flood-names.ts";
import { Http2Connection, type Identity } from "./http2-connection.ts";

export class NodeLease {
  readonly #name: string;
  readonly #connection: Http2Connection;
  #last: Promise<number> = Promise.resolve(200);
  #resourceVersion = "";

  constructor(name: string, identity: Identity) {
    this.#name = name;
    this.#connection = new Http2Connection(identity);
  }

  /** The status of the update. One after the other: who is late makes the next one late too. */
  renew(): Promise<number> {
    this.#last = this.#renewAfter(this.#last);
    return this.#last;
  }

  close(): void {
    this.#connection.close();
  }

  async #renewAfter(last: Promise<number>): Promise<number> {
    await last.catch(() => 0);
    if (this.#resourceVersion === "") await this.#send("GET", "");
    const lease = {
      metadata: {
        name: this.#name,
        namespace: "kube-node-lease",
        resourceVersion: this.#resourceVersion,
      },
      spec: {
        holderIdentity: this.#name,
        leaseDurationSeconds: 40,
        renewTime: microTime(performance.timeOrigin + performance.now()),
      },
    };
    return this.#send("PUT", JSON.stringify(lease));
  }

  /** The next update builds on the answer. */
  async #send(method: string, body: string): Promise<number> {
    const path = `${LEASES}/${this.#name}`;
    const { status, text } = await this.#connection.exchange({ method, path, body });
    this.#resourceVersion = /"resourceVersion":"(\d+)"/.exec(text)?.[1] ?? "";
    return status;
  }
}

function microTime(ms: number): string {
  return new Date(ms).toISOString().replace("Z", "000Z");
}
