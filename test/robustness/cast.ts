// Who takes part in a run: which views are watched, over which connections, and who writes what.

import type { Random } from "../../src/base/random.ts";
import { type Key, type KindName, type View, viewText } from "./record.ts";
import { selectorTexts } from "./selectors.ts";
import { chance, pick, type Shared } from "./shared.ts";
import {
  Http1Transport,
  Http2Transport,
  type Transport,
  type TransportOptions,
} from "./transport.ts";
import { WatchClient } from "./watch-client.ts";

export const kinds: readonly KindName[] = ["configmaps", "secrets", "leases"];
/** Its objects are large, and slow readers watch it. */
export const HEAVY = "heavy";
export const namespaces: readonly string[] = ["r0", "r1", "r2", "r3"];
const names: readonly string[] = Array.from({ length: 8 }, (_, i) => `o${i}`);

export function lightKeys(): Key[] {
  return kinds.flatMap((kind) =>
    namespaces.flatMap((namespace) => names.map((name) => `${kind}/${namespace}/${name}`)),
  );
}

/** Everybody writes these at the same time. */
export function hotKeys(): Key[] {
  return kinds.map((kind) => `${kind}/r0/o0`);
}

export function heavyKeys(): Key[] {
  return ["h0", "h1", "h2"].map((name) => `configmaps/${HEAVY}/${name}`);
}

/** A view by chance. */
export function someView(random: Random): View {
  const kind = pick(random, kinds);
  const selector = chance(random, 0.5) ? { selector: pick(random, selectorTexts) } : {};
  const scope = random.next();
  // Large objects are for few.
  if (scope < 0.3 && kind !== "configmaps") return { kind, ...selector };
  const namespace = pick(random, namespaces);
  if (scope < 0.9) return { kind, namespace, ...selector };
  return { kind, namespace, name: pick(random, names), ...selector };
}

export interface Connections extends Disposable {
  readonly http1: Transport;
  readonly http2: readonly Transport[];
  /** For the one with this number: a third have a connection of their own, the others share some. */
  for(index: number): Transport;
}

export function connectionsTo(address: TransportOptions): Connections {
  const http1 = new Http1Transport(address);
  const http2 = Array.from({ length: 4 }, () => new Http2Transport(address));
  return {
    http1,
    http2,
    for: (index) => (index % 3 === 0 ? http1 : (http2[index % http2.length] ?? http1)),
    [Symbol.dispose]() {
      for (const transport of [http1, ...http2]) transport[Symbol.dispose]();
    },
  };
}

/** Watches all of a kind without a break: what they saw is what writes without an answer are judged by. */
export function auditors(shared: Shared, { http1 }: Connections): WatchClient[] {
  return kinds.map(
    (kind) =>
      new WatchClient({
        shared,
        transport: http1,
        name: `auditor of ${kind}`,
        view: { kind },
        isFickle: false,
        isCurious: false,
      }),
  );
}

export function watchers(shared: Shared, connections: Connections, count: number): WatchClient[] {
  const random = shared.randomForNext();
  return Array.from({ length: count }, (_, i) => {
    const view = someView(random);
    return new WatchClient({
      shared,
      transport: connections.for(i),
      name: `watcher ${i} of ${viewText(view)}`,
      view,
      isFickle: chance(random, 0.25),
      isCurious: chance(random, 0.05),
    });
  });
}

/** On connections of their own and on a shared one. */
export function slowReaders(
  shared: Shared,
  { http1, http2 }: Connections,
  pausedUntil: Promise<void>,
): WatchClient[] {
  return [http1, http1, http2[0] ?? http1].map(
    (transport, i) =>
      new WatchClient({
        shared,
        transport,
        name: `slow reader ${i}`,
        view: { kind: "configmaps", namespace: HEAVY },
        isFickle: false,
        isCurious: false,
        pausedUntil,
      }),
  );
}
