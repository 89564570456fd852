// What is known of the program from the command line: how it is started, checked before, asked after, and told of changes. Here settings become
// environments and arguments.

import { readFileSync } from "node:fs";
import type { Clock } from "../base/clock.ts";
import { byCommand } from "../reload/by-command.ts";
import { bySignal, whyDeaf } from "../reload/by-signal.ts";
import type { ReloadTry } from "../reload/reload-action.ts";
import type { ChildSpec, ExitStatus, StopOptions } from "./child.ts";
import { type ReadySpec, readyTry } from "./readiness.ts";
import type { Settings } from "./settings.ts";
import { SNAPSHOT, type SnapshotFiles } from "./snapshot-files.ts";

/** What the supervisor needs of a child. */
export interface RunningChild {
  readonly pid: number;
  readonly status: ExitStatus | undefined;
  readonly ended: Promise<ExitStatus>;
  send(signal: NodeJS.Signals): boolean;
  stop(options: StopOptions): Promise<ExitStatus>;
}

export type ChangeAction =
  | { readonly type: "restart" }
  | { readonly type: "signal"; readonly signal: NodeJS.Signals }
  | { readonly type: "exec"; readonly argv: readonly string[] };

export interface ProgramOptions {
  readonly argv: readonly string[];
  /** Ours; live variables win over it. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly gate: readonly string[] | undefined;
  readonly gateTimeoutMs: number;
  readonly ready: ReadySpec | undefined;
  readonly onChange: ChangeAction;
  readonly isLeader: boolean;
  /** Undefined: the program reads the watched directories themselves. */
  readonly snapshots: SnapshotFiles | undefined;
  readonly startChild: (spec: ChildSpec) => Promise<RunningChild>;
  readonly clock: Clock;
}

const TELL_MS = 30_000;

export class Program {
  readonly #options: ProgramOptions;

  constructor(options: ProgramOptions) {
    this.#options = options;
  }

  get ownsFiles(): boolean {
    return this.#options.snapshots !== undefined;
  }

  get hasGate(): boolean {
    return this.#options.gate !== undefined;
  }

  get onChange(): "restart" | "tell" {
    return this.#options.onChange.type === "restart" ? "restart" : "tell";
  }

  /** Makes the program's copies, if it has any, be of this version. */
  publish(settings: Settings): void {
    this.#options.snapshots?.publish(settings);
  }

  start(settings: Settings): Promise<RunningChild> {
    const { argv, isLeader, startChild } = this.#options;
    const env = this.#environment(settings);
    return startChild({ argv: this.#placed(argv), env, isLeader });
  }

  /** Settles when nothing speaks against these settings. Throws what does. */
  async judge(settings: Settings, signal: AbortSignal): Promise<void> {
    const { gate, gateTimeoutMs: timeoutMs, snapshots, clock } = this.#options;
    if (gate === undefined) return;
    using copy = snapshots?.candidate(settings);
    const argv = this.#placed(gate, copy?.path);
    const env = this.#environment(settings, copy?.path);
    await byCommand({ argv, env, timeoutMs, showsOutput: true, clock })(signal);
  }

  /** Undefined if nobody has said how to find out. */
  readiness(settings: Settings, { pid }: RunningChild): ReloadTry | undefined {
    const { ready, clock } = this.#options;
    if (ready === undefined) return undefined;
    const env = { ...this.#environment(settings), DRIFTLESS_CHILD_PID: String(pid) };
    const spec = ready.type === "exec" ? { ...ready, argv: this.#placed(ready.argv) } : ready;
    return readyTry(spec, { env, clock });
  }

  /** Of other files; throws if it could not be told. */
  async tell(settings: Settings, child: RunningChild, signal: AbortSignal): Promise<void> {
    const { onChange, clock } = this.#options;
    switch (onChange.type) {
      case "restart":
        return;
      case "signal":
        return bySignal({
          signal: onChange.signal,
          send: (number, name) => sent(child, number, name as NodeJS.Signals),
        })(signal);
      case "exec": {
        const env = { ...this.#environment(settings), DRIFTLESS_CHILD_PID: String(child.pid) };
        const argv = this.#placed(onChange.argv);
        return byCommand({ argv, env, timeoutMs: TELL_MS, showsOutput: true, clock })(signal);
      }
    }
  }

  #environment({ variables }: Settings, copy?: string): Record<string, string> {
    const { env, snapshots } = this.#options;
    const inherited = Object.entries(env).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value] as const],
    );
    const own = snapshots === undefined ? [] : [["DRIFTLESS_SNAPSHOT", copy ?? snapshots.live]];
    return Object.fromEntries([...inherited, ...variables, ...own]) as Record<string, string>;
  }

  #placed(argv: readonly string[], copy?: string): readonly string[] {
    const { snapshots } = this.#options;
    if (snapshots === undefined) return argv;
    return argv.map((word) => word.replaceAll(SNAPSHOT, copy ?? snapshots.live));
  }
}

/** A program that has just begun has no handlers yet, and would die of what is meant to make it read its files. */
function sent(child: RunningChild, number: number, name: NodeJS.Signals): string | undefined {
  let status: string;
  try {
    status = readFileSync(`/proc/${child.pid}/status`, "utf8");
  } catch {
    return "it has ended";
  }
  const deaf = whyDeaf(status, number, name);
  if (deaf !== undefined) return deaf;
  return child.send(name) ? undefined : "it has ended";
}
