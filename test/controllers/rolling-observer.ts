// Listens to everything that happens to the Deployments of one namespace and their pods, over connections of its own. Three streams
// arrive each at its own pace; a revision is for all kinds of objects, so that they can be put in one order again, and judged.

import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { request } from "node:https";
import { setTimeout as sleep } from "node:timers/promises";
import type { Deployment } from "../../src/api/types.ts";
import { jsonLines } from "../../src/client/json-lines.ts";
import { readCredentials } from "../support/driftless-server.ts";
import type { DriftlessUp } from "../up/driftless-up.ts";
import { RolloutJudge, type WatchedEvent, type WatchedKind } from "./rolling-judge.ts";

const PATHS: Readonly<Record<WatchedKind, (namespace: string) => string>> = {
  Deployment: (namespace) => `/apis/apps/v1/namespaces/${namespace}/deployments`,
  ReplicaSet: (namespace) => `/apis/apps/v1/namespaces/${namespace}/replicasets`,
  Pod: (namespace) => `/api/v1/namespaces/${namespace}/pods`,
};
/** Longer than anything takes on a busy machine; only a test that fails waits as long. */
const PATIENCE_MS = 90_000;
/** Without news; to see that it is too late. */
const LOOK_MS = 1000;
const KINDS = Object.keys(PATHS) as readonly WatchedKind[];

export class RollingObserver implements Disposable {
  readonly #up: DriftlessUp;
  readonly #namespace: string;
  readonly #events: WatchedEvent[] = [];
  readonly #streams: IncomingMessage[] = [];
  /** By kind and name, as they were last heard of. */
  readonly #objects = new Map<string, WatchedEvent["object"]>();
  #marks = 0;
  #news = Promise.withResolvers<void>();
  #failure: unknown;

  private constructor(up: DriftlessUp, namespace: string) {
    this.#up = up;
    this.#namespace = namespace;
  }

  /** Before anything is in the namespace. */
  static async open(up: DriftlessUp, namespace: string): Promise<RollingObserver> {
    const observer = new RollingObserver(up, namespace);
    for (const kind of KINDS) await observer.#open(kind);
    return observer;
  }

  get up(): DriftlessUp {
    return this.#up;
  }

  get namespace(): string {
    return this.#namespace;
  }

  deployment(name: string): Deployment | undefined {
    return this.#objects.get(`Deployment ${name}`) as Deployment | undefined;
  }

  /** Looks after each event until it does not throw. */
  async until(what: string, look: () => void): Promise<void> {
    const endMs = performance.now() + PATIENCE_MS;
    for (;;) {
      const news = this.#news.promise;
      const cause = failureOf(look);
      if (cause === undefined) return;
      if (performance.now() > endMs) throw new Error(`waited in vain for ${what}`, { cause });
      await Promise.race([news, sleep(LOOK_MS, undefined, { ref: false })]);
    }
  }

  /** Judges all that happened until now. */
  async verdict(): Promise<RolloutJudge> {
    await this.#caughtUp();
    if (this.#failure !== undefined) throw this.#failure;
    const judge = new RolloutJudge();
    for (const event of this.#events.toSorted((a, b) => revisionOf(a) - revisionOf(b))) {
      judge.see(event);
    }
    return judge;
  }

  [Symbol.dispose](): void {
    for (const stream of this.#streams) stream.destroy();
  }

  async #open(kind: WatchedKind): Promise<void> {
    const credentials = readCredentials(this.#up.directory.kubeconfig);
    const url = `${this.#up.url}${PATHS[kind](this.#namespace)}?watch=true&timeoutSeconds=36000`;
    const sent = request(url, { ...credentials, agent: false }).end();
    const [stream] = (await once(sent, "response")) as [IncomingMessage];
    if (stream.statusCode !== 200) throw new Error(`Cannot watch ${kind}: ${stream.statusCode}`);
    this.#streams.push(stream);
    this.#follow(kind, stream).catch((err: unknown) => {
      // It ends by being cut.
      if (!stream.destroyed) this.#failure = err;
    });
  }

  async #follow(kind: WatchedKind, stream: IncomingMessage): Promise<void> {
    for await (const line of jsonLines(stream)) {
      const event = { ...(line as object), kind } as WatchedEvent;
      if (!["ADDED", "MODIFIED", "DELETED"].includes(event.type)) {
        throw new Error(`the watch of ${kind} said ${JSON.stringify(line)}`);
      }
      this.#events.push(event);
      this.#objects.set(`${kind} ${event.object.metadata.name}`, event.object);
      this.#news.resolve();
      this.#news = Promise.withResolvers();
    }
  }

  /** Makes one object more of each kind: who has seen these has seen what was before them. */
  async #caughtUp(): Promise<void> {
    const name = `mark-${this.#marks++}`;
    const labels = { mark: name };
    const containers = [{ name: "main", image: "host" }];
    const never = { nodeSelector: { never: "true" }, containers };
    const template = { metadata: { labels }, spec: never };
    const empty = { replicas: 0, selector: { matchLabels: labels }, template };
    const specs = { Deployment: empty, ReplicaSet: empty, Pod: never };
    for (const kind of KINDS) {
      const path = PATHS[kind](this.#namespace);
      await this.#up.ask("POST", path, { metadata: { name }, spec: specs[kind] });
    }
    await this.until(`${name} of each kind`, () => {
      const late = KINDS.filter((kind) => !this.#objects.has(`${kind} ${name}`));
      if (late.length > 0) throw new Error(`${late.join(" and ")} did not come`);
    });
  }
}

function failureOf(look: () => void): unknown {
  try {
    look();
    return undefined;
  } catch (err) {
    return err;
  }
}

function revisionOf({ object }: WatchedEvent): number {
  return Number(object.metadata.resourceVersion);
}
