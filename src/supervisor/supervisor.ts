// Keeps one program running with the newest configuration that is good. A single loop: look how things stand, decide (decide.ts), do that one
// thing, look again. Whatever happens meanwhile changes how things stand, and wakes the loop.

import { Backoff } from "../base/backoff.ts";
import { describe } from "../base/errors.ts";
import { Alarm } from "./alarm.ts";
import { Announcer, whyNot } from "./announcer.ts";
import { Copies } from "./copies.ts";
import { decide, type Situation, type Step } from "./decide.ts";
import { DirectoryWords } from "./directory-words.ts";
import { exitCodeOf } from "./exit-code.ts";
import { FirstWait } from "./first-wait.ts";
import { newOneStays } from "./hand-over.ts";
import { Mootable } from "./mootable.ts";
import { neverStarted } from "./never-started.ts";
import type { RunningChild } from "./program.ts";
import { Refusals } from "./refusals.ts";
import { Requests } from "./requests.ts";
import type { RefusalReason, StartReason } from "./run-metrics.ts";
import { mixed, type Settings } from "./settings.ts";
import { SnapshotError } from "./snapshot-files.ts";
import type { SupervisorOptions } from "./supervisor-options.ts";
import { Trial } from "./trial.ts";
import { WantedSettings } from "./wanted-settings.ts";

const REVIVALS = { baseMs: 500, factor: 2, maxMs: 60_000, jitter: 0.2, resetAfterMs: 60_000 };

/** Said already. */
const REFUSED_CODE = 1;

export class Supervisor {
  readonly #options: SupervisorOptions;
  readonly #wanted: WantedSettings;
  readonly #words: DirectoryWords;
  readonly #announcer: Announcer;
  readonly #revivals: Backoff;
  readonly #refusals: Refusals;
  readonly #requests: Requests;
  readonly #alarm: Alarm;
  readonly #copies: Copies;
  #child: RunningChild | undefined;
  /** During a hand-over: the one that comes. */
  #next: RunningChild | undefined;
  /** The last one that came was sent away for a newer version. */
  #hasGivenUp = false;
  #applied: Settings | undefined;
  /** Telling it of something else has not failed, or it was told since. */
  #isSure = true;
  #good: Settings | undefined;
  #trial: Trial | undefined;
  /** Of a program that ended by itself. */
  #revival: { isDue: boolean } | undefined;
  /** The program is on its way out, for another one. */
  #isStopping = false;
  /** Until there is a program. */
  readonly #firstWait: FirstWait;
  readonly #mootable = new Mootable();

  constructor(options: SupervisorOptions) {
    const { clock, random, words } = options;
    this.#options = options;
    this.#alarm = new Alarm(clock);
    this.#requests = new Requests(options);
    this.#words = new DirectoryWords(words);
    this.#announcer = new Announcer({ ...options, words: this.#words });
    this.#revivals = new Backoff({ ...REVIVALS, clock, random });
    this.#refusals = new Refusals({ clock, random });
    this.#copies = new Copies({
      ...{ program: options.program, refusals: this.#refusals },
      ...{ announcer: this.#announcer, alarm: this.#alarm },
    });
    const ring = (): void => this.#ring();
    this.#wanted = new WantedSettings({ ...options, onChange: ring });
    this.#firstWait = new FirstWait({ ...options, wanted: this.#wanted, onOver: ring });
  }

  /** Why the program is not known to do its work; undefined if it does. */
  get problem(): string | undefined {
    if (this.#child === undefined) {
      const [problem = "not started yet"] = this.#wanted.problems;
      const version = this.#wanted.current?.version ?? "";
      return this.#refusals.isRefused(version) ? "the first version was refused" : problem;
    }
    if (this.#child.status !== undefined) return "the program has ended";
    if (this.#trial === undefined || this.#trial.state === "ready") return undefined;
    return this.#trial.reason === "" ? "not ready yet" : `not ready: ${this.#trial.reason}`;
  }

  /** Sets the gauges to how things stand. */
  count(): void {
    const { isUp, isReady, isCurrent } = this.#options.metrics;
    const { version } = this.#wanted.current ?? {};
    isUp.set(Number(this.#childState() === "running"));
    isReady.set(Number(this.problem === undefined));
    isCurrent.set(
      Number(version !== undefined && this.#applied?.version === version && this.#isSure),
    );
  }

  /** A signal that we got. `reaches`: the kernel has given it to the program as well. */
  forward(signal: NodeJS.Signals, { reaches = false }: { readonly reaches?: boolean } = {}): void {
    const { graceMs, endGraceMs } = this.#options;
    const request = this.#requests.take(signal, this.#whoDecides());
    if (!reaches) {
      this.#child?.send(signal);
      this.#next?.send(signal);
    }
    if (request === "hold") this.#alarm.after(graceMs, () => this.#requests.release());
    if (request === "end" && endGraceMs !== undefined)
      this.#alarm.after(endGraceMs, () => this.#kill());
    this.#ring();
  }

  /** Returns the exit code: the program's own. Aborting `signal` is asking it to end. */
  async run(signal: AbortSignal): Promise<number> {
    const stop = new AbortController();
    const onAbort = (): void => this.forward("SIGTERM");
    signal.addEventListener("abort", onAbort, { once: true });
    const followed = this.#wanted.run(stop.signal);
    this.#firstWait.start();
    try {
      this.#wanted.look();
      return await this.#untilEnd();
    } catch (err) {
      // A fault of ours: nobody would look after them.
      for (const child of [this.#child, this.#next])
        if (child !== undefined) await this.#stop(child);
      throw err;
    } finally {
      signal.removeEventListener("abort", onAbort);
      stop.abort();
      this.#dropTrial();
      this.#firstWait[Symbol.dispose]();
      this.#alarm[Symbol.dispose]();
      await followed;
    }
  }

  async #untilEnd(): Promise<number> {
    for (;;) {
      this.#alarm.reset();
      this.#look();
      const step = decide(this.#situation());
      if (step === "end") return this.#end();
      if (step === "wait" && this.#isHopeless()) return REFUSED_CODE;
      if (step === "wait") await this.#alarm.pause();
      else await this.#do(step);
    }
  }

  /** Nothing was started, and there is nothing to follow that could change that, or no time left for it. */
  #isHopeless(): boolean {
    const { environment, directories } = this.#options;
    if (this.#child !== undefined) return false;
    if (this.#firstWait.isOver) return true;
    if (environment.length + directories.length > 0) return false;
    return this.#refusals.isRefused(this.#wanted.current?.version ?? "");
  }

  #ring(): void {
    this.#mootable.check();
    this.#alarm.ring();
  }

  #look(): void {
    const wanted = this.#wanted.current;
    if (wanted !== undefined) this.#words.notice(wanted);
    if (this.#refusals.wanted(wanted?.version)) this.#words.relent();
    if (this.#copies.areWrong && this.#childState() === "running")
      this.#copies.restore(this.#applied);
  }

  #situation(): Situation {
    const { program, revives } = this.#options;
    const wanted = this.#wanted.current;
    return {
      child: this.#childState(),
      hasEndedWell: this.#child?.status?.code === 0,
      applied: this.#applied,
      isSure: this.#isSure,
      wanted,
      good: this.#good,
      refused: this.#refusals.keeps(wanted?.version) ? wanted?.version : undefined,
      trial: this.#trial?.state ?? "none",
      isEnding: this.#requests.endSignal !== undefined,
      isHeld: this.#requests.isHeld,
      revives,
      onChange: program.onChange,
      ownsFiles: program.ownsFiles,
    };
  }

  #childState(): Situation["child"] {
    if (this.#child === undefined) return "never";
    return this.#child.status === undefined ? "running" : "ended";
  }

  #whoDecides(): "never" | "between" | "running" {
    if (this.#child === undefined) return "never";
    const isUp = this.#child.status === undefined && !this.#isStopping;
    return isUp || this.#next !== undefined ? "running" : "between";
  }

  async #do(step: Exclude<Step, "end" | "wait">): Promise<void> {
    const wanted = this.#wanted.current;
    switch (step) {
      case "start":
        return wanted && this.#startAnew(wanted);
      case "restart":
        return wanted && this.#restart(wanted);
      case "tell":
        return wanted && this.#tell(wanted);
      case "adopt":
        return this.#adopt();
      case "report":
        return this.#report();
      case "back":
        return this.#goBack();
      case "revive":
        return this.#revive();
    }
  }

  #end(): number {
    const code = this.#exitCode();
    this.#announcer.ended(code, this.#child);
    return code;
  }

  async #startAnew(settings: Settings): Promise<void> {
    const reason = this.#child === undefined ? "first" : "change";
    if (await this.#prepare(settings)) await this.#start(settings, reason);
  }

  #adopt(): void {
    const applied = this.#applied;
    this.#good = applied;
    this.#dropTrial();
    if (applied === undefined) return;
    this.#announcer.ready(applied);
    if (this.#refusals.relent(applied.version)) this.#words.relent();
  }

  #report(): void {
    this.#announcer.late(this.#applied, this.#trial?.reason);
    this.#trial?.report();
  }

  /** Gate first, then the copies. Says whether this version may be used now; if not, that is known by then. */
  async #prepare(settings: Settings): Promise<boolean> {
    const { program } = this.#options;
    const before = this.#childState();
    // What has ended or has to end needs nothing, and what is not wanted any more needs no judgement.
    const isMoot = (): boolean =>
      this.#childState() !== before ||
      (before === "running" && this.#requests.isHeld) ||
      this.#isPassed(settings);
    try {
      const isThrough = await this.#mootable.unless(isMoot, (signal) =>
        program.judge(settings, signal),
      );
      if (!isThrough || isMoot()) return false;
    } catch (err) {
      if (err instanceof SnapshotError) this.#copies.postpone(settings, err);
      else this.#refuse(settings, "gate", describe(err));
      return false;
    }
    // Before its copies are others', which it has never seen.
    await this.#trial?.lastTry();
    if (isMoot()) return false;
    if (this.#trial?.state === "ready") this.#adopt();
    return this.#copies.publish(settings);
  }

  #isPassed({ version }: Settings): boolean {
    return this.#requests.endSignal !== undefined || this.#wanted.current?.version !== version;
  }

  /** Never throws: a program that cannot be started has ended, as a shell would say it. */
  async #start(settings: Settings, reason: StartReason): Promise<void> {
    const { program } = this.#options;
    this.#dropTrial();
    this.#revival = undefined;
    // What one that ended by itself has left behind would be in the way.
    if (this.#child !== undefined) await this.#stop(this.#child);
    if (this.#requests.endSignal !== undefined) return;
    this.#applied = settings;
    this.#isSure = true;
    this.#announcer.starting(reason);
    this.#firstWait[Symbol.dispose]();
    try {
      this.#child = await program.start(settings);
      this.#announcer.started(settings, this.#child, reason);
      void this.#child.ended.then(() => this.#ring());
    } catch (err) {
      this.#announcer.cannotStart(err);
      this.#child = neverStarted(err);
    }
    this.#trial = this.#newTrial(settings, this.#child);
    // It came before this one had a number.
    if (this.#requests.ending.aborted) this.#child.send(this.#requests.endSignal ?? "SIGTERM");
  }

  async #restart(settings: Settings): Promise<void> {
    if (!(await this.#prepare(settings))) return;
    this.#announcer.restarting(this.#applied, settings);
    if (this.#options.overlaps) await this.#handOver(settings);
    else await this.#replace(settings, "change");
  }

  async #replace(settings: Settings, reason: StartReason): Promise<void> {
    this.#dropTrial();
    this.#isStopping = true;
    if (this.#child !== undefined) await this.#stop(this.#child);
    this.#isStopping = false;
    if (this.#requests.endSignal !== undefined) return;
    const newest = this.#wanted.current;
    // Ending may take long. A gate may too: what is through it already is up sooner.
    const isOld = reason === "change" && newest?.version !== settings.version;
    const isBetter =
      isOld && newest && !this.#options.program.hasGate && this.#copies.publish(newest);
    await this.#start(isBetter ? newest : settings, reason);
  }

  async #tell(settings: Settings): Promise<void> {
    const { program } = this.#options;
    const child = this.#child;
    if (!(await this.#prepare(settings)) || child === undefined) return;
    const isMoot = (): boolean =>
      this.#requests.endSignal !== undefined || child.status !== undefined;
    try {
      const tell = (signal: AbortSignal): Promise<void> => program.tell(settings, child, signal);
      if (!(await this.#mootable.unless(isMoot, tell))) return;
    } catch (err) {
      const delayMs = this.#refusals.postpone(settings.version);
      this.#announcer.cannotTell(err, delayMs);
      this.#isSure = false;
      this.#alarm.after(delayMs, () => this.#refusals.resume(settings.version));
      return;
    }
    this.#announcer.told(this.#applied, settings);
    this.#refusals.succeeded();
    this.#applied = settings;
    this.#isSure = true;
    this.#dropTrial();
    this.#trial = this.#newTrial(settings, child);
  }

  async #goBack(): Promise<void> {
    const { program } = this.#options;
    const [failed, good] = [this.#applied, this.#good];
    if (failed === undefined || good === undefined) return;
    if (!this.#refusals.isRefused(failed.version)) {
      const why = whyNot(this.#child ?? { status: undefined }, this.#trial?.reason ?? "");
      this.#refuse(failed, "not-ready", why);
    }
    // Files that are not ours stay as they are.
    const target = program.ownsFiles ? good : mixed(good, failed);
    if (this.#copies.publish(target)) await this.#replace(target, "back");
    else await this.#alarm.pause();
  }

  async #revive(): Promise<void> {
    if (this.#applied === undefined || this.#child === undefined) return;
    if (this.#revival === undefined) {
      await this.#stop(this.#child);
      const delayMs = Math.round(this.#revivals.nextMs());
      this.#announcer.reviving(this.#exitCode(), delayMs);
      const revival = { isDue: false };
      this.#revival = revival;
      this.#alarm.after(delayMs, () => {
        revival.isDue = true;
      });
    }
    if (!this.#revival.isDue || !this.#copies.publish(this.#applied)) await this.#alarm.pause();
    else await this.#start(this.#applied, "crash");
  }

  /** New one first; the old one ends when the new one is ready, and stays if that does not happen. */
  async #handOver(settings: Settings): Promise<void> {
    const old = this.#child;
    if (old === undefined) return;
    this.#announcer.starting("change");
    let next: RunningChild;
    try {
      next = await this.#options.program.start(settings);
    } catch (err) {
      this.#refuse(settings, "not-started", describe(err));
      this.#copies.restore(this.#applied);
      return;
    }
    this.#announcer.startedBeside(settings, next);
    this.#next = next;
    if (this.#requests.endSignal !== undefined) next.send(this.#requests.endSignal);
    void next.ended.then(() => this.#ring());
    const trial = this.#newTrial(settings, next);
    // What is newer is worth giving this one up for, but not again and again: it would never end.
    const isMoot = (): boolean =>
      this.#requests.endSignal !== undefined || (!this.#hasGivenUp && this.#isPassed(settings));
    if (await newOneStays({ old, next, trial, alarm: this.#alarm, isMoot })) {
      await this.#stop(old);
      this.#dropTrial();
      [this.#child, this.#applied, this.#isSure] = [next, settings, true];
      this.#trial = trial;
      this.#hasGivenUp = false;
    } else {
      this.#hasGivenUp = this.#isPassed(settings);
      await this.#sendAway(next, { settings, trial });
    }
    // Until here signals went to both.
    this.#next = undefined;
  }

  /** The old one stays. */
  async #sendAway(
    next: RunningChild,
    { settings, trial }: { readonly settings: Settings; readonly trial: Trial },
  ): Promise<void> {
    trial[Symbol.dispose]();
    if (!this.#isPassed(settings)) this.#refuse(settings, "not-ready", whyNot(next, trial.reason));
    this.#copies.restore(this.#applied);
    await this.#stop(next);
  }

  #newTrial(settings: Settings, child: RunningChild): Trial {
    const { program, readyTimeoutMs, clock } = this.#options;
    const trial = new Trial({
      isReady: program.readiness(settings, child),
      timeoutMs: readyTimeoutMs,
      onChange: () => this.#ring(),
      clock,
    });
    void trial.run(this.#requests.ending);
    // Who has ended can show nothing any more.
    void child.ended.then(() => trial[Symbol.dispose]());
    return trial;
  }

  #dropTrial(): void {
    this.#trial?.[Symbol.dispose]();
    this.#trial = undefined;
  }

  async #stop(child: RunningChild): Promise<void> {
    const { stopSignal: signal, graceMs, clock } = this.#options;
    await child.stop({ signal, graceMs, clock });
  }

  #kill(): void {
    this.#child?.send("SIGKILL");
    this.#next?.send("SIGKILL");
  }

  #refuse(settings: Settings, reason: RefusalReason, why: string): void {
    this.#refusals.refuse(settings.version);
    const hasOne = this.#child !== undefined;
    this.#announcer.refused(settings, { good: this.#good, reason, why, hasOne });
  }

  #exitCode(): number {
    const status = this.#child?.status ?? { code: null, signal: this.#requests.endSignal ?? null };
    return exitCodeOf(status);
  }
}
