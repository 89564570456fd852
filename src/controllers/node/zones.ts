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

  /** Those that somebody is in, or was just now. */
  get size(): number {
    return this.#zones.size;
  }

  /** To be told of every version of each node. True if other nodes fare otherwise now. */
  saw(node: NodeObject): boolean {
    return this.#changes(node, () => {
      const { name = "", labels } = node.metadata;
      this.#drop(name);
      if (labels?.[EXCLUDED] !== undefined) return;
      const isReady = readyStatus(node) === "True";
      const zone = this.#zone(zoneOf(node));
      this.#zoneOf.set(name, zoneOf(node));
      zone.nodes.set(name, isReady);
      if (isReady) zone.ready++;
    });
  }

  /** It is gone for good. True if other nodes fare otherwise now. */
  forget(node: NodeObject): boolean {
    return this.#changes(node, () => this.#drop(node.metadata.name ?? ""));
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

  /** Where it was and where it is: whether others there fare otherwise afterwards. */
  #changes(node: NodeObject, change: () => void): boolean {
    const names = [this.#zoneOf.get(node.metadata.name ?? "") ?? zoneOf(node), zoneOf(node)];
    const situation = (): string =>
      [...names.map((name) => this.#stateOf(name)), this.isAllGone].join(" ");
    const before = situation();
    change();
    for (const name of names) {
      const zone = this.#zone(name);
      const isIdle = zone.nodes.size === 0 && zone.nextMs <= this.#clock.monotonicMs();
      if (isIdle) this.#zones.delete(name);
    }
    return situation() !== before;
  }

  #stateOf(name: string): ZoneState {
    const zone = this.#zones.get(name);
    return zone === undefined ? "normal" : zoneState(zone.nodes.size, zone.ready);
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
