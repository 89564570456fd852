// The tunnels that nodes have opened to this server, one for each. A node that comes again, after a cut that this end has not
// seen yet or from a machine that took its place, is where it came from last: the newest tunnel wins.

import type { Duplex } from "node:stream";
import type { Clock } from "../../base/clock.ts";
import type { Gauge, Metrics } from "../../base/metrics.ts";
import { Tunnel } from "../../streams/tunnel.ts";

export interface TunnelsOptions {
  readonly clock: Clock;
  readonly metrics: Metrics;
}

export class Tunnels {
  readonly #clock: Clock;
  readonly #gauge: Gauge;
  readonly #byNode = new Map<string, Tunnel>();

  constructor({ clock, metrics }: TunnelsOptions) {
    this.#clock = clock;
    this.#gauge = metrics.gauge({
      name: "driftless_apiserver_node_tunnels",
      help: "Nodes that have a tunnel to this server.",
    });
  }

  /** Undefined if the node has none here. */
  get(nodeName: string): Tunnel | undefined {
    const found = this.#byNode.get(nodeName);
    return found?.isOpen === true ? found : undefined;
  }

  /** The connection is the node's tunnel from now on. */
  add(nodeName: string, socket: Duplex): Tunnel {
    const before = this.#byNode.get(nodeName);
    const tunnel = Tunnel.over(socket, { clock: this.#clock });
    this.#byNode.set(nodeName, tunnel);
    before?.close();
    this.#count();
    void tunnel.closed.then(() => {
      if (this.#byNode.get(nodeName) === tunnel) this.#byNode.delete(nodeName);
      this.#count();
    });
    return tunnel;
  }

  closeAll(): void {
    for (const tunnel of this.#byNode.values()) tunnel.close();
  }

  #count(): void {
    this.#gauge.set(this.#byNode.size);
  }
}
