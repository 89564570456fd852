// One level: who executes, who waits, and whose turn it is. Flows take turns, one request each, so that a flow with a
// thousand requests delays the first of another by one.

import type { LevelSettings, LimitedLevel } from "./priority-level.ts";

export interface Waiter {
  readonly flow: Flow;
  readonly width: number;
  /** Called once, when it has been taken out of the queue and counted. */
  start(): void;
}

/** The requests of one user. Forgotten when it has none. */
export interface Flow {
  readonly name: string;
  seats: number;
  /** The widths of bulky answers that its client has not taken yet. */
  open: number;
  readonly waiting: Set<Waiter>;
}

/** A dozen lists of a thousand objects, or as many larger ones: tens of MiB with the usual objects. */
const MAX_OPEN_OF_FLOW = 128;

export class LevelQueue {
  readonly name: LimitedLevel;
  readonly settings: LevelSettings;
  readonly #flows = new Map<string, Flow>();
  /** Flows whose first waiter may go next, in the order of their turns. The others wait, or are at their limit. */
  readonly #turns = new Set<Flow>();
  /** Half of the level: uploads may be slow, and whoever has many of them must leave room for others. */
  readonly #maxSeatsOfFlow: number;
  #seats = 0;
  #executing = 0;
  #waiting = 0;
  /** What it has started in this turn of the event loop. */
  turnSeats = 0;

  constructor(name: LimitedLevel, settings: LevelSettings) {
    this.name = name;
    this.settings = settings;
    this.#maxSeatsOfFlow = Math.max(1, Math.floor(settings.maxSeats / 2));
  }

  get seats(): number {
    return this.#seats;
  }

  get executing(): number {
    return this.#executing;
  }

  get waiting(): number {
    return this.#waiting;
  }

  get flows(): number {
    return this.#flows.size;
  }

  /** What of its own nobody else may use, because it is not in use. */
  get reserved(): number {
    return Math.max(0, this.settings.seats - this.settings.lendable - this.#seats);
  }

  /** No request is wider than what the level can give to one flow out of its own. */
  widthOf(asked: number): number {
    return Math.max(1, Math.min(asked, this.settings.seats, this.#maxSeatsOfFlow));
  }

  isOwn(width: number): boolean {
    return this.#seats + width <= this.settings.seats;
  }

  isWithin(width: number): boolean {
    return this.#seats + width <= this.settings.maxSeats;
  }

  /** Whether a request that comes now would pass nobody. */
  isFreeFor(flowName: string, width: number): boolean {
    if (this.#turns.size > 0) return false;
    const flow = this.#flows.get(flowName);
    return flow === undefined || (flow.waiting.size === 0 && this.#mayTake(flow, width));
  }

  hasRoomFor(flowName: string): boolean {
    const waiting = this.#flows.get(flowName)?.waiting.size ?? 0;
    const { maxWaiting, maxWaitingOfFlow } = this.settings;
    return this.#waiting < maxWaiting && waiting < maxWaitingOfFlow;
  }

  start(flowName: string, width: number): Flow {
    const flow = this.#flowOf(flowName);
    this.#count(flow, width);
    return flow;
  }

  end(flow: Flow, width: number): void {
    flow.seats -= width;
    this.#seats -= width;
    this.#executing--;
    this.#settle(flow);
  }

  /** A bulky answer is on its way. */
  open(flow: Flow, width: number): void {
    flow.open += width;
  }

  /** It was taken, or nobody is there to take it. */
  close(flow: Flow, width: number): void {
    flow.open -= width;
    this.#settle(flow);
  }

  wait(flowName: string, make: (flow: Flow) => Waiter): Waiter {
    const flow = this.#flowOf(flowName);
    const waiter = make(flow);
    flow.waiting.add(waiter);
    this.#waiting++;
    this.#settle(flow);
    return waiter;
  }

  /** Leaves without having been started. */
  leave(waiter: Waiter): void {
    this.#remove(waiter);
    this.#settle(waiter.flow);
  }

  /** Whose turn it is. */
  peek(): Waiter | undefined {
    if (this.#turns.size === 0) return undefined;
    for (const flow of this.#turns) for (const waiter of flow.waiting) return waiter;
    return undefined;
  }

  /** Starts the one whose turn it is; its flow goes to the end of the line. */
  take(waiter: Waiter): void {
    this.#remove(waiter);
    this.#turns.delete(waiter.flow);
    this.#count(waiter.flow, waiter.width);
    this.#settle(waiter.flow);
    waiter.start();
  }

  #flowOf(name: string): Flow {
    const known = this.#flows.get(name);
    if (known !== undefined) return known;
    const flow: Flow = { name, seats: 0, open: 0, waiting: new Set() };
    this.#flows.set(name, flow);
    return flow;
  }

  #count(flow: Flow, width: number): void {
    flow.seats += width;
    this.#seats += width;
    this.#executing++;
  }

  #remove(waiter: Waiter): void {
    waiter.flow.waiting.delete(waiter);
    this.#waiting--;
  }

  #mayTake(flow: Flow, width: number): boolean {
    if (flow.seats === 0 && flow.open === 0) return true;
    if (width > 1 && flow.open + flow.seats + width > MAX_OPEN_OF_FLOW) return false;
    return flow.seats === 0 || flow.seats + width <= this.#maxSeatsOfFlow;
  }

  /** After a change of the flow: in the line if it has a turn to wait for, forgotten if it has nothing. */
  #settle(flow: Flow): void {
    if (flow.waiting.size === 0) {
      this.#turns.delete(flow);
      if (flow.seats === 0 && flow.open === 0) this.#flows.delete(flow.name);
      return;
    }
    const [first] = flow.waiting;
    if (first !== undefined && this.#mayTake(flow, first.width)) this.#turns.add(flow);
    else this.#turns.delete(flow);
  }
}
