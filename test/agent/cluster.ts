// A server and a node for tests that look at what pods see. Everything is asked as an admin would ask it.

import { setTimeout as sleep } from "node:timers/promises";
import type { ConfigMap, Container, Event, Pod, PodSpec, Secret } from "../../src/api/types.ts";
import { DriftlessNode, type NodeOptions } from "../support/driftless-node.ts";
import { DriftlessServer, type ServerOptions } from "../support/driftless-server.ts";

/** Longer than anything takes on a busy machine; only a test that fails waits as long. */
const PATIENCE_MS = 60_000;
const core = "/api/v1/namespaces/default";

export type PodParts = Omit<PodSpec, "containers"> & {
  readonly containers?: PodSpec["containers"];
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
};

export class Cluster implements AsyncDisposable {
  /** May be replaced by one that has the same data, and is disposed of with the rest. */
  server: DriftlessServer;
  readonly node: DriftlessNode;

  private constructor(server: DriftlessServer, node: DriftlessNode) {
    this.server = server;
    this.node = node;
  }

  static async start(
    options: { readonly server?: ServerOptions; readonly node?: Omit<NodeOptions, "server"> } = {},
  ): Promise<Cluster> {
    const server = await DriftlessServer.start(options.server ?? { flags: ["--store", "memory"] });
    try {
      return new Cluster(server, await DriftlessNode.start({ server, ...options.node }));
    } catch (err) {
      await server[Symbol.asyncDispose]();
      throw err;
    }
  }

  /** With a server that somebody else has started; it is disposed of with the rest. The node may have a way of its own to it. */
  static async of(server: DriftlessServer, node: NodeOptions): Promise<Cluster> {
    return new Cluster(server, await DriftlessNode.start({ server, ...node }));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.node[Symbol.asyncDispose]();
    await this.server[Symbol.asyncDispose]();
  }

  /** Throws what the server said if it is not what was hoped for. */
  async ask<T>(method: string, path: string, body?: object, contentType?: string): Promise<T> {
    const headers = contentType === undefined ? {} : { "content-type": contentType };
    const { status, text } = await this.server.fetch(method, path, body, headers);
    if (status >= 300) throw new Error(`${method} ${path}: ${text}`);
    return JSON.parse(text) as T;
  }

  makeConfigMap(name: string, content: Partial<Omit<ConfigMap, "metadata">>): Promise<ConfigMap> {
    return this.ask("POST", `${core}/configmaps`, { metadata: { name }, ...content });
  }

  makeSecret(name: string, content: Partial<Omit<Secret, "metadata">>): Promise<Secret> {
    return this.ask("POST", `${core}/secrets`, { metadata: { name }, ...content });
  }

  /** A merge patch of `configmaps/app`, `pods/web` and so on. */
  change(what: string, patch: object): Promise<unknown> {
    return this.ask("PATCH", `${core}/${what}`, patch, "application/merge-patch+json");
  }

  delete(what: string): Promise<unknown> {
    return this.ask("DELETE", `${core}/${what}`);
  }

  /** On the node, with one container that sleeps unless the parts say otherwise. */
  makePod(name: string, parts: PodParts): Promise<Pod> {
    const { labels, annotations, containers, ...spec } = parts;
    return this.ask("POST", `${core}/pods`, {
      metadata: { name, labels, annotations },
      spec: {
        nodeName: this.node.name,
        automountServiceAccountToken: false,
        terminationGracePeriodSeconds: 1,
        containers: containers ?? [sleeper()],
        ...spec,
      },
    });
  }

  pod(name: string): Promise<Pod> {
    return this.ask("GET", `${core}/pods/${name}`);
  }

  async runningPod(name: string, parts: PodParts): Promise<Pod> {
    await this.makePod(name, parts);
    return this.podIn(name, "Running");
  }

  podIn(name: string, phase: string): Promise<Pod> {
    return this.podWhere(name, `the phase ${phase}`, (pod) => pod.status?.phase === phase);
  }

  podWhere(name: string, what: string, is: (pod: Pod) => boolean): Promise<Pod> {
    return this.eventually(`the pod ${name} with ${what}`, async () => {
      const pod = await this.pod(name);
      if (!is(pod)) throw new Error(`it is ${JSON.stringify(pod.status)}`);
      return pod;
    });
  }

  async podGone(name: string): Promise<void> {
    await this.eventually(`the pod ${name} gone`, async () => {
      const { status } = await this.server.fetch("GET", `${core}/pods/${name}`);
      if (status !== 404) throw new Error(`the server says ${status}`);
    });
  }

  async events(podName: string): Promise<readonly Event[]> {
    const selector = encodeURIComponent(`involvedObject.name=${podName}`);
    const list = await this.ask<{ readonly items: readonly Event[] }>(
      "GET",
      `${core}/events?fieldSelector=${selector}`,
    );
    return list.items;
  }

  /** Tries until it does not throw; then the last reason is told. */
  async eventually<T>(what: string, attempt: () => T | Promise<T>): Promise<T> {
    const until = performance.now() + PATIENCE_MS;
    for (;;) {
      try {
        return await attempt();
      } catch (cause) {
        if (performance.now() > until) {
          const log = this.node.log.slice(-4000);
          throw new Error(`waited in vain for ${what}; the node's log ends with ${log}`, { cause });
        }
      }
      await sleep(20);
    }
  }
}

/** A container that does nothing until it is told to end. */
export function sleeper(parts: Partial<Container> = {}): Container {
  return {
    name: "main",
    image: "host",
    // PID 1 heeds no signal that it has no handler for.
    command: ["sh", "-c", "trap 'exit 0' TERM; sleep infinity & wait"],
    resources: {},
    ...parts,
  };
}
