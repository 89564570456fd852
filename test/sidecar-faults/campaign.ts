// What happens to the sidecars: sources change all the time, some of the changes are bad, and one fault after the other begins, lasts for a while, and ends.

import { setTimeout as sleep } from "node:timers/promises";
import type { Random } from "../../src/base/random.ts";
import { APP_FAULTS } from "./faulty-app.ts";
import type { FaultyScene } from "./faulty-scene.ts";
import { type Fault, type Numbers, SOURCES, type SourceName } from "./faulty-set.ts";
import { URL_FAULTS, type UrlFault } from "./faulty-url.ts";
import { until } from "./program.ts";

/** Begins something; what it returns ends it. */
type Deed = () => Promise<(() => Promise<void>) | undefined>;

interface Lasting {
  readonly end: () => Promise<void>;
  stepsLeft: number;
}

const BAD_SHARE = 0.2;
/** Between two faults. */
const MAX_PAUSE_MS = 500;
/** An address is asked once a second: it changes more seldom than the others, so that it also has nothing new at times. */
const CHANGING: readonly SourceName[] = ["vol", "vol", "vol", "obj", "obj", "obj", "url"];
const GATE_FAULTS = ["hangs", "missing", "refuses"] as const;
/** Less than a set takes, so that it strikes at each of the steps of a publish. */
const MAX_LEFT_PAGES = 14;
const PAGE_BYTES = 4096;
/** In a row, so that each sidecar gets some, and has the time to show what it has taken. */
const BAD_ANSWERS = 4;

export class Campaign {
  readonly #scene: FaultyScene;
  readonly #random: Random;
  readonly #numbers: Record<SourceName, number> = { vol: 0, obj: 0, url: 0 };
  readonly #bad = new Map<SourceName, Fault>();
  #lasting: Lasting[] = [];
  /** What was done and when, for whoever wants to know how it came to this. */
  readonly story: string[] = [];

  constructor(scene: FaultyScene, random: Random) {
    this.#scene = scene;
    this.#random = random;
  }

  /** What the sources say. */
  get numbers(): Numbers {
    return this.#numbers;
  }

  /** Each source says something new, and good. */
  async renew(): Promise<void> {
    for (const source of SOURCES) await this.#change(source, undefined);
  }

  /** Every fault once, in any order, and changes all the time. */
  async round(): Promise<void> {
    for (const deed of this.#shuffled(this.#deeds())) {
      await this.#pass();
      const end = await deed();
      if (end !== undefined) this.#lasting.push({ end, stepsLeft: 2 + this.#under(3) });
    }
    await this.#pass();
  }

  /** All faults are over. */
  async mendAll(): Promise<void> {
    for (const { end } of this.#lasting) await end();
    this.#lasting = [];
    this.#scene.url.faults = [];
    await this.renew();
  }

  /** A change that the address serves badly, with nothing else the matter: among other faults, what was wrongly taken may never get as far as being seen. */
  async serveBadly(fault: UrlFault): Promise<void> {
    const { url } = this.#scene;
    const count = (): number => url.answers.get(fault) ?? 0;
    const enough = count() + BAD_ANSWERS;
    this.#say(`the url is ${fault}`);
    url.faults = Array.from({ length: BAD_ANSWERS }, () => fault);
    await this.#change("url", undefined);
    await until(`the url was ${fault}`, () => count() >= enough);
  }

  /** A few changes, and some time; what has lasted long enough ends. */
  async #pass(): Promise<void> {
    for (let changes = 1 + this.#under(3); changes > 0; changes--) {
      const source = this.#pick(CHANGING);
      const fault =
        this.#random.next() < BAD_SHARE ? this.#pick(["bad", "garbage"] as const) : undefined;
      await this.#change(source, fault);
      await sleep(this.#under(80));
    }
    // What is bad keeps everything else away: seldom for long.
    for (const source of this.#bad.keys()) await this.#change(source, undefined);
    await sleep(this.#under(MAX_PAUSE_MS));
    for (const one of this.#lasting) one.stepsLeft--;
    const over = this.#lasting.filter(({ stepsLeft }) => stepsLeft <= 0);
    this.#lasting = this.#lasting.filter(({ stepsLeft }) => stepsLeft > 0);
    for (const { end } of over) await end();
    this.#look();
  }

  #deeds(): readonly Deed[] {
    const { sidecars, line } = this.#scene;
    return [
      () =>
        this.#lasts(
          "the line is cut",
          () => line.cut(),
          () => line.mend(),
        ),
      () => this.#deleteObject(),
      () => this.#spoilUrl(),
      ...GATE_FAULTS.map(
        (mode): Deed =>
          () =>
            this.#lasts(
              `the gate ${mode}`,
              () => this.#scene.setGate(mode),
              () => this.#scene.setGate("judges"),
            ),
      ),
      () => this.#fill(),
      () => this.#fill(),
      ...sidecars.flatMap(({ kind, app }, index) => [
        () => this.#kill(index),
        ...this.#shuffled(APP_FAULTS)
          .slice(0, 2)
          .map(
            (fault): Deed =>
              () =>
                this.#lasts(
                  `the app of ${kind} is ${fault}`,
                  () => app.setFault(fault),
                  () => app.setFault(undefined),
                ),
          ),
      ]),
    ];
  }

  async #lasts(
    what: string,
    begin: () => Promise<void> | void,
    end: () => Promise<void> | void,
  ): Promise<() => Promise<void>> {
    this.#say(what);
    await begin();
    return async () => {
      this.#say(`no more: ${what}`);
      await end();
    };
  }

  /** The next answers: each kind of fault, and good ones in between. */
  async #spoilUrl(): Promise<undefined> {
    const { url } = this.#scene;
    url.faults = this.#shuffled(URL_FAULTS).flatMap((one) => [one, undefined]);
    this.#say(`the url is ${url.faults.join()}`);
    await Promise.resolve();
    return undefined;
  }

  async #deleteObject(): Promise<undefined> {
    this.#say("the object is deleted");
    await this.#scene.deleteObject();
    return undefined;
  }

  #fill(): Promise<() => Promise<void>> {
    const pages = this.#under(MAX_LEFT_PAGES);
    return this.#lasts(
      `the disk has ${pages} pages left`,
      () => this.#scene.fill(pages * PAGE_BYTES),
      () => this.#scene.fill(undefined),
    );
  }

  /** At some point of what a change sets off. */
  async #kill(index: number): Promise<() => Promise<void>> {
    const sidecar = this.#scene.sidecars[index];
    await this.#change(this.#pick(CHANGING), undefined);
    await sleep(this.#under(120));
    this.#say(`the sidecar with ${sidecar?.kind} is killed`);
    await sidecar?.kill();
    return async () => {
      this.#say(`the sidecar with ${sidecar?.kind} is started`);
      sidecar?.startAnew();
      await Promise.resolve();
    };
  }

  async #change(source: SourceName, fault: Fault | undefined): Promise<void> {
    const number = ++this.#numbers[source];
    this.#say(`${source} is ${number}${fault === undefined ? "" : `, ${fault}`}`);
    if (fault === undefined) this.#bad.delete(source);
    else this.#bad.set(source, fault);
    await this.#scene.setSource(source, number, fault);
    this.#look();
  }

  #look(): void {
    for (const { acks, hasFailed, kind, log } of this.#scene.sidecars) {
      acks.look();
      if (hasFailed) throw new Error(`the sidecar with ${kind} has ended: ${log.slice(-4000)}`);
    }
  }

  #shuffled<T>(all: readonly T[]): readonly T[] {
    return all
      .map((one) => ({ one, at: this.#random.next() }))
      .toSorted((a, b) => a.at - b.at)
      .map(({ one }) => one);
  }

  #pick<const T>(all: readonly T[]): T {
    return all[this.#under(all.length)] as T;
  }

  #under(limit: number): number {
    return Math.floor(this.#random.next() * limit);
  }

  #say(what: string): void {
    this.story.push(`${new Date().toISOString()} ${what}`);
  }
}
