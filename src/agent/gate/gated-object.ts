// One object and the gate before it: what the server has (wanted), what pods get (admitted), and why they differ (held).
//
//   wanted ──no gate──────────────────────────────► admitted        in the turn in which it came
//     │  └──paused──► held ──nothing admitted yet──► search ──► an earlier one is admitted
//     └──chosen──► policies confirmed, checks in the thread ──refused──► held ──nothing admitted yet──► search …
//                                                          └──passed──► noted on disk ──► admitted
//
// `judge` is level-triggered: it looks at how everything stands and may be called whenever something has changed. What takes time is done one
// piece after the other, and `judge` is called again after each. What has been admitted stays until something newer is, whatever policies come.

import type { Clock } from "../../base/clock.ts";
import { describe } from "../../base/errors.ts";
import type { Refusal } from "../../checks/check-protocol.ts";
import type { ContentChecker } from "../../checks/check-thread.ts";
import type { ConfigObject, ObjectReference } from "../objects/config-object.ts";
import { isSameVersion } from "../objects/object-news.ts";
import type { ObjectStage } from "../views/view-sources.ts";
import type { AdmittedNotes } from "./admitted-notes.ts";
import { Arrival } from "./arrival.ts";
import { contentOf, type Gate, gateOf } from "./gate.ts";
import { GateError, pauseText, refusalText } from "./gate-error.ts";
import type { PastContents } from "./past-contents.ts";
import type { Policies } from "./policies.ts";

export interface GateParts {
  readonly policies: Policies;
  readonly checker: ContentChecker;
  readonly past: PastContents;
  readonly notes: AdmittedNotes;
  readonly clock: Clock;
}

export interface Held {
  readonly reason: "GateRejected" | "RolloutHeld";
  readonly message: string;
  readonly sinceMs: number;
  /** Of what is held back. */
  readonly version: string | undefined;
  readonly refusal: Refusal | undefined;
}

/** Who has it. Nothing here may throw. */
export interface GatedObjectOwner {
  readonly parts: GateParts;
  /** Ends what is under way. */
  readonly signal: AbortSignal;
  /** Pods get another content than before, or none; the first time always. */
  admitted(of: GatedObject, isAnother: boolean): void;
  /** Another content is held back, or for another reason. */
  held(of: GatedObject, held: Held): void;
  /** Anything that `stage` says is another. */
  stageChanged(of: GatedObject): void;
}

interface Verdict {
  readonly refusal: Refusal | undefined;
  /** Monotonic. A thread that failed may do better another time: seldom, and ever more seldom. */
  readonly retryAtMs: number;
  readonly tries: number;
}

const PASSED: Verdict = { refusal: undefined, retryAtMs: Number.POSITIVE_INFINITY, tries: 0 };
/** Of one object: its contents that are in use, and those of its history. */
const MAX_VERDICTS = 64;
const RETRY_MS = 60_000;
const MAX_RETRY_MS = 3_600_000;
/** Before everything that was heard of. */
const FROM_HISTORY = 0;

export class GatedObject {
  readonly reference: ObjectReference;
  readonly #owner: GatedObjectOwner;
  #heard = FROM_HISTORY;
  #wanted: Arrival | undefined;
  #admitted: Arrival | undefined;
  #held: Held | undefined;
  /** Of the last one that there was. */
  #labels: ConfigObject["labels"] = {};
  #admittedUid: string | undefined;
  /** What was heard of up to here has been held against all policies that came before it. */
  #confirmed = FROM_HISTORY;
  /** By content and checks. */
  readonly #verdicts = new Map<string, Verdict>();
  #work: { readonly done: Promise<void> } | undefined;
  /** What was searched for last, and why it was not found. */
  #search: { readonly name: string; failure: string } | undefined;

  constructor(reference: ObjectReference, owner: GatedObjectOwner) {
    this.reference = reference;
    this.#owner = owner;
  }

  /** "unknown" if nothing was let through yet. */
  get current(): ConfigObject | "unknown" | undefined {
    return this.#admitted === undefined ? "unknown" : this.#admitted.object;
  }

  get wanted(): ConfigObject | undefined {
    return this.#wanted?.object;
  }

  get held(): Held | undefined {
    return this.#held;
  }

  get stage(): ObjectStage | undefined {
    if (this.#wanted === undefined) return undefined;
    const held = this.#held && {
      reason: this.#held.reason,
      message: this.#held.message,
      sinceMs: this.#held.sinceMs,
    };
    return {
      wanted: this.#wanted.object?.asVersion,
      seenAtMs: this.#wanted.atMs,
      admitted: this.#admitted?.object?.asVersion,
      admittedAtMs: this.#admitted?.atMs,
      held,
    };
  }

  /** The server has this. The same again is nothing new. */
  observe(object: ConfigObject | undefined): void {
    const before = this.#wanted;
    if (before !== undefined && isSameVersion(before.object, object)) return;
    const atMs = this.#owner.parts.clock.now();
    this.#wanted = new Arrival(object, { order: ++this.#heard, atMs, before });
    if (object !== undefined) this.#labels = object.labels;
    const admitted = this.#admitted;
    this.judge();
    if (this.#admitted === admitted) this.#owner.stageChanged(this);
  }

  judge(): void {
    const wanted = this.#wanted;
    const gate = this.#gate(wanted?.object?.labels ?? this.#labels);
    if (wanted === undefined || gate === "unknown") return;
    const { notes } = this.#owner.parts;
    if (gate === undefined) {
      notes.drop(this.reference);
      this.#admit(wanted.object, wanted.order);
      return;
    }
    if (wanted.object === undefined) this.#judgeAbsence(wanted, gate);
    else this.#judgeContent(wanted.object, wanted.order, gate);
    const version = this.#admitted?.object?.version;
    if (version !== undefined) void notes.put(this.reference, version);
    else if (this.#admitted !== undefined) notes.drop(this.reference);
  }

  /** What pods get, when that is clear. Undefined: nothing, since there is no such object. Throws GateError, or when the signal aborts. */
  async read(signal: AbortSignal): Promise<ConfigObject | undefined> {
    if (!this.#hasContent && this.#held !== undefined && this.#work === undefined) {
      // It was not there when it was searched for; it may be now.
      this.#search = undefined;
      this.judge();
    }
    for (let round = 0; this.#work !== undefined; round++) {
      // While contents come faster than they can be checked, the last good one has to do.
      if (round > 0 && this.#admitted !== undefined) break;
      await orAborted(this.#work.done, signal);
    }
    const { current } = this;
    if (current === "unknown" || (current === undefined && this.#held !== undefined)) {
      throw new GateError(this.reference, this.#why());
    }
    return current;
  }

  get #hasContent(): boolean {
    return this.#admitted?.object !== undefined;
  }

  #gate(labels: ConfigObject["labels"]): Gate | "unknown" | undefined {
    const { kind, namespace } = this.reference;
    const policies = this.#owner.parts.policies.choosing({ kind, namespace, labels });
    return policies === undefined ? "unknown" : gateOf(policies);
  }

  #judgeAbsence(wanted: Arrival, { paused }: Gate): void {
    if (paused !== undefined && this.#hasContent) this.#hold(undefined, pauseHold(paused.policy));
    else this.#admit(undefined, wanted.order);
  }

  #judgeContent(object: ConfigObject, order: number, gate: Gate): void {
    const { version } = object;
    const last = this.#admitted === undefined ? this.#note : this.#admitted.object?.version;
    // (1) Pods have it, or had it when the agent ended: nothing new goes out.
    if (version === last) {
      this.#admit(object, order);
      return;
    }
    // (2) Whatever it is, it waits.
    if (gate.paused !== undefined) {
      this.#holdBack(object, gate, pauseHold(gate.paused.policy));
      return;
    }
    // (3) The thread says.
    const verdict = gate.checks.length === 0 ? PASSED : this.#verdict(verdictName(object, gate));
    if (verdict?.refusal !== undefined) {
      this.#holdBack(object, gate, refusalHold(verdict.refusal));
    }
    // (4) Noted first, or an agent that dies now would go back to an older one.
    else if (verdict === undefined || this.#confirmed < order || this.#note !== version) {
      this.#start(() => this.#check(object, order, gate));
    } else this.#admit(object, order);
  }

  get #note(): string | undefined {
    return this.#owner.parts.notes.get(this.reference);
  }

  #admit(object: ConfigObject | undefined, order: number): void {
    const before = this.#admitted;
    const wasHeld = this.#held !== undefined;
    if (order === this.#wanted?.order) this.#held = undefined;
    if (before !== undefined && isSameVersion(before.object, object)) {
      if (wasHeld && this.#held === undefined) this.#owner.stageChanged(this);
      return;
    }
    const atMs = this.#owner.parts.clock.now();
    this.#admitted = new Arrival(object, { order, atMs, before });
    const uid = this.#admittedUid;
    const isAnother = uid !== undefined && object !== undefined && uid !== object.uid;
    if (object !== undefined) this.#admittedUid = object.uid;
    this.#owner.admitted(this, isAnother);
  }

  #holdBack(object: ConfigObject, gate: Gate, why: Omit<Held, "sinceMs" | "version">): void {
    this.#hold(object.version, why);
    if (!this.#hasContent) this.#searchFor(object, gate);
  }

  #hold(version: string | undefined, why: Omit<Held, "sinceMs" | "version">): void {
    const before = this.#held;
    const isSame = before?.reason === why.reason && before.version === version;
    if (isSame && before.message === why.message) return;
    const sinceMs = isSame ? before.sinceMs : this.#owner.parts.clock.now();
    this.#held = { ...why, version, sinceMs };
    if (!isSame) this.#owner.held(this, this.#held);
    this.#owner.stageChanged(this);
  }

  /** One piece of work at a time; whatever was to be begun meanwhile is begun by `judge` afterwards, if it still is to be done. */
  #start(work: () => Promise<void>): void {
    if (this.#work !== undefined || this.#owner.signal.aborted) return;
    const done = work().finally(() => {
      this.#work = undefined;
      if (!this.#owner.signal.aborted) this.judge();
    });
    this.#work = { done };
  }

  async #check(object: ConfigObject, order: number, gate: Gate): Promise<void> {
    const { policies } = this.#owner.parts;
    const [refusal] = await Promise.all([
      this.#verdictOn(object, gate),
      policies.confirm(this.reference.namespace, this.#owner.signal),
    ]);
    this.#confirmed = order;
    if (refusal !== undefined || !this.#isStill(gate, object.labels)) return;
    await this.#owner.parts.notes.put(this.reference, object.version);
    // Newer content may have come meanwhile: this one is let through all the same, or none would be while they come fast.
    const isNewer = order > (this.#admitted?.order ?? FROM_HISTORY);
    if (isNewer && this.#isStill(gate, object.labels)) this.#admit(object, order);
  }

  #isStill(gate: Gate, labels: ConfigObject["labels"]): boolean {
    const now = this.#gate(labels);
    if (now === "unknown" || now === undefined) return false;
    return now.fingerprint === gate.fingerprint && now.paused?.atMs === gate.paused?.atMs;
  }

  /** Asks the thread, unless it has said already. */
  async #verdictOn(object: ConfigObject, gate: Gate): Promise<Refusal | undefined> {
    if (gate.checks.length === 0) return undefined;
    const name = verdictName(object, gate);
    const known = this.#verdict(name);
    if (known !== undefined) return known.refusal;
    const { checker, clock } = this.#owner.parts;
    const refusal = await checker.check(gate.checks, contentOf(object));
    const tries = (this.#verdicts.get(name)?.tries ?? 0) + 1;
    const mayPass = refusal?.kind === "TimedOut" || refusal?.kind === "Crashed";
    const pauseMs = Math.min(RETRY_MS * 2 ** (tries - 1), MAX_RETRY_MS);
    const retryAtMs = mayPass ? clock.monotonicMs() + pauseMs : Number.POSITIVE_INFINITY;
    this.#verdicts.delete(name);
    this.#verdicts.set(name, { refusal, retryAtMs, tries });
    const [oldest] = this.#verdicts.keys();
    if (this.#verdicts.size > MAX_VERDICTS && oldest !== undefined) this.#verdicts.delete(oldest);
    return refusal;
  }

  #verdict(name: string): Verdict | undefined {
    const verdict = this.#verdicts.get(name);
    const isOver = (verdict?.retryAtMs ?? 0) <= this.#owner.parts.clock.monotonicMs();
    return isOver ? undefined : verdict;
  }

  #searchFor(object: ConfigObject, gate: Gate): void {
    const name = `search ${verdictName(object, gate)} ${gate.paused?.atMs}`;
    if (this.#search?.name === name) return;
    this.#start(async () => {
      const search = { name, failure: "" };
      this.#search = search;
      try {
        const found = await this.#find(object, gate);
        if (found === undefined || this.#hasContent || !this.#isStill(gate, object.labels)) return;
        const isWanted = found === this.#wanted?.object;
        this.#admit(found, isWanted ? this.#heard : FROM_HISTORY);
      } catch (err) {
        search.failure = `; its history cannot be read: ${describe(err)}`;
      }
    });
  }

  /**
   * What pods of this node had last; else the newest content that passes, and if deliveries are paused, of those that were there before the
   * pause.
   */
  async #find(object: ConfigObject, gate: Gate): Promise<ConfigObject | undefined> {
    const { past } = this.#owner.parts;
    const contents = await past.of(this.reference, this.#owner.signal);
    const note = this.#note;
    const noted = contents.find((one) => one.object.version === note)?.object;
    if (noted !== undefined) return noted;
    for (const { object: one, changedAtMs } of contents) {
      const isHeld = gate.paused !== undefined && changedAtMs > gate.paused.atMs;
      if (isHeld || one.uid !== object.uid) continue;
      if ((await this.#verdictOn(one, gate)) !== undefined) continue;
      return one.version === object.version ? object : one;
    }
    return undefined;
  }

  #why(): string {
    if (this.#held !== undefined) return `${this.#held.message}${this.#search?.failure ?? ""}`;
    return "it is not known yet which delivery policies there are";
  }
}

function verdictName({ version }: ConfigObject, { fingerprint }: Gate): string {
  return `${version} ${fingerprint}`;
}

function pauseHold(policy: string): Omit<Held, "sinceMs" | "version"> {
  return { reason: "RolloutHeld", message: pauseText(policy), refusal: undefined };
}

function refusalHold(refusal: Refusal): Omit<Held, "sinceMs" | "version"> {
  return { reason: "GateRejected", message: refusalText(refusal), refusal };
}

async function orAborted(done: Promise<void>, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const { promise, reject } = Promise.withResolvers<never>();
  const aborted = (): void => reject(signal.reason as Error);
  signal.addEventListener("abort", aborted, { once: true });
  try {
    await Promise.race([done, promise]);
  } finally {
    signal.removeEventListener("abort", aborted);
  }
}
