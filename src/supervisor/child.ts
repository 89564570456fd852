// The program that is looked after. Without a terminal it leads a process group, so that what it leaves behind can be ended with it. With one it
// stays in our group, the one in the foreground: the keyboard's signals and the window's size reach it from the kernel, as if nobody stood between.

import { type ChildProcess, spawn } from "node:child_process";
import type { Clock } from "../base/clock.ts";
import { groupLives, sendGroup } from "./process-group.ts";

export interface ExitStatus {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface ChildSpec {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** In a group of its own. */
  readonly isLeader: boolean;
}

export interface StopOptions {
  readonly signal: NodeJS.Signals;
  readonly graceMs: number;
  readonly clock: Clock;
}

/** Nobody listens for what goes wrong with a signal: whether it arrived is what `send` returns. */
const ignored = (): void => undefined;
/** As long as what is left of a group lives, and not much longer. */
const FIRST_LOOK_MS = 5;
const MAX_LOOK_MS = 100;
/** What was killed is gone at once, or hangs in the kernel: then nobody can do more. */
const KILLED_MS = 2_000;

export class Child {
  /** Never rejects. Undefined fields: it could not be started. */
  readonly ended: Promise<ExitStatus>;
  readonly #process: ChildProcess;
  readonly #isLeader: boolean;
  #status: ExitStatus | undefined;
  #stopped: Promise<ExitStatus> | undefined;

  /** It runs when this returns. Throws what the system says if it cannot. */
  static async start(spec: ChildSpec): Promise<Child> {
    const [command = "", ...args] = spec.argv;
    const started = spawn(command, args, {
      env: { ...spec.env },
      stdio: "inherit",
      detached: spec.isLeader,
    });
    const child = new Child(started, spec.isLeader);
    await new Promise((resolve, reject) => {
      started.once("spawn", resolve);
      started.once("error", reject);
    });
    return child;
  }

  private constructor(started: ChildProcess, isLeader: boolean) {
    this.#process = started;
    this.#isLeader = isLeader;
    // Programs may become somebody else, whom we may not send anything.
    started.on("error", ignored);
    this.ended = new Promise((resolve) => {
      started.once("exit", (code, signal) => {
        this.#status = { code, signal };
        resolve(this.#status);
      });
    });
  }

  get pid(): number {
    return this.#process.pid ?? 0;
  }

  /** Undefined while it runs. */
  get status(): ExitStatus | undefined {
    return this.#status;
  }

  /** Returns whether it was there to get it. What kills it kills its group. */
  send(signal: NodeJS.Signals): boolean {
    if (signal === "SIGKILL" && this.#isLeader) return sendGroup(this.pid, signal);
    return this.#status === undefined && this.#process.kill(signal);
  }

  /**
   * Settles when it and what is left of its group are gone: asked first, killed when the grace is over. Soon after its end at the latest, and once: when
   * nobody is left of the group, its number may become somebody else's.
   */
  stop(options: StopOptions): Promise<ExitStatus> {
    this.#stopped ??= this.#stop(options);
    return this.#stopped;
  }

  async #stop({ signal, graceMs, clock }: StopOptions): Promise<ExitStatus> {
    const untilMs = clock.monotonicMs() + graceMs;
    this.send(signal);
    const killer = clock.schedule(graceMs, () => this.send("SIGKILL"));
    const status = await this.ended;
    killer[Symbol.dispose]();
    if (!this.#isLeader) return status;
    sendGroup(this.pid, "SIGTERM");
    await this.#groupGone(untilMs, clock);
    sendGroup(this.pid, "SIGKILL");
    await this.#groupGone(clock.monotonicMs() + KILLED_MS, clock);
    return status;
  }

  async #groupGone(untilMs: number, clock: Clock): Promise<void> {
    for (let pauseMs = FIRST_LOOK_MS; groupLives(this.pid); pauseMs *= 2) {
      const leftMs = untilMs - clock.monotonicMs();
      if (leftMs <= 0) return;
      await clock.sleep(Math.min(pauseMs, leftMs, MAX_LOOK_MS));
    }
  }
}
