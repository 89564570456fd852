// How fast pods are driven out of nodes that are gone. One node that fails is one node; many at once are more likely a broken
// network, and then moving their pods would make things worse. So per zone:
//
//   normal    fewer than 55 % of the nodes (or at most two) are gone    one node in ten seconds
//   partial   more are gone                                              one in a hundred seconds, in small zones none
//   full      all are gone                                               one in ten seconds: another zone can take the pods
//
// and if all zones are full, nobody is driven out at all: it is we who are cut off.

import type { Clock } from "../../base/clock.ts";
import { type NodeObject, readyStatus } from "./node-objects.ts";

type ZoneState = "normal" | "partial" | "full";

const NORMAL_PER_SECOND = 0.1;
const REDUCED_PER_SECOND = 0.01;
/** Above this many nodes a zone is large. */
const LARGE_ZONE = 50;
const UNHEALTHY_SHARE = 0.55;
const EXCLUDED = "node.kubernetes.io/exclude-disruption";

interface Zone {
  /** By name: whether each is ready. */
  readonly nodes: Map<string, boolean>;
  ready: number;
  /** When the next one may be driven out. */
  nextMs: number;
}

export class Zones {
  readonly #clock: Clock;
  readonly #zones = new Map<string, Zone>();
  /** Where each node that counts is. */
  readonly #zoneOf = new Map<string, string>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** To be told of every version of each node. True if other nodes fare otherwise now. */
  saw(node: NodeObject): boolean {
    const { name = "", labels } = node.metadata;
    const zone = this.#zone(zoneOf(node));
    const before = this.#situation(zone);
    this.#drop(name);
    if (labels?.[EXCLUDED] === undefined) {
      const isReady = readyStatus(node) === "True";
      this.#zoneOf.set(name, zoneOf(node));
      zone.nodes.set(name, isReady);
      if (isReady) zone.ready++;
    }
    return this.#situation(zone) !== before;
  }

  /** It is gone for good. True if other nodes fare otherwise now. */
  forget(node: NodeObject): boolean {
    const zone = this.#zone(zoneOf(node));
    const before = this.#situation(zone);
    this.#drop(node.metadata.name ?? "");
    return this.#situation(zone) !== before;
  }

  /** There are nodes, and none is ready. */
  get isAllGone(): boolean {
    if (this.#zoneOf.size === 0) return false;
    for (const { nodes, ready } of this.#zones.values()) {
      if (zoneState(nodes.size, ready) !== "full" && nodes.size > 0) return false;
    }
    return true;
  }

  /**
   * 0: it is this node's turn, and the next one of its zone waits. Otherwise after how long to ask again, Infinity if its situation
   * must change first.
   */
  takeTurn(node: NodeObject): number {
    const zone = this.#zone(zoneOf(node));
    const perSecond = this.isAllGone ? 0 : ratePerSecond(zone);
    if (perSecond === 0) return Number.POSITIVE_INFINITY;
    const nowMs = this.#clock.monotonicMs();
    if (zone.nextMs > nowMs) return zone.nextMs - nowMs;
    zone.nextMs = nowMs + 1000 / perSecond;
    return 0;
  }

  /** The turn was not used. */
  returnTurn(node: NodeObject): void {
    this.#zone(zoneOf(node)).nextMs = this.#clock.monotonicMs();
  }

  #drop(name: string): void {
    const zone = this.#zones.get(this.#zoneOf.get(name) ?? "none");
    if (zone?.nodes.get(name) === true) zone.ready--;
    zone?.nodes.delete(name);
    this.#zoneOf.delete(name);
  }

  #situation({ nodes, ready }: Zone): string {
    return `${zoneState(nodes.size, ready)} ${this.isAllGone}`;
  }

  #zone(name: string): Zone {
    const zone = this.#zones.get(name) ?? { nodes: new Map(), ready: 0, nextMs: 0 };
    this.#zones.set(name, zone);
    return zone;
  }
}

export function zoneState(nodes: number, ready: number): ZoneState {
  const gone = nodes - ready;
  if (gone > 0 && ready === 0) return "full";
  return gone > 2 && gone / nodes >= UNHEALTHY_SHARE ? "partial" : "normal";
}

function ratePerSecond({ nodes, ready }: Zone): number {
  if (zoneState(nodes.size, ready) !== "partial") return NORMAL_PER_SECOND;
  return nodes.size > LARGE_ZONE ? REDUCED_PER_SECOND : 0;
}

function zoneOf({ metadata: { labels } }: NodeObject): string {
  const zone =
    labels?.["failure-domain.beta.kubernetes.io/zone"] ??
    labels?.["topology.kubernetes.io/zone"] ??
    "";
  const region =
    labels?.["failure-domain.beta.kubernetes.io/region"] ??
    labels?.["topology.kubernetes.io/region"] ??
    "";
  return `${region}/${zone}`;
}
