// What the flags of `driftless run` say, as data. Everything that is wrong with them is found here, before anything is started.

import { constants } from "node:os";
import { basename, resolve } from "node:path";
import type { ChangeAction } from "../supervisor/program.ts";
import type { ReadySpec } from "../supervisor/readiness.ts";
import { SNAPSHOT } from "../supervisor/snapshot-files.ts";
import { words } from "../supervisor/words.ts";
import { type ListenAddress, parseListen } from "./listen-address.ts";
import { MisuseError } from "./misuse-error.ts";

export interface RunFlags {
  readonly watch?: readonly string[];
  readonly envFrom?: readonly string[];
  readonly onChange: string;
  readonly gate?: string;
  readonly gateTimeout: string;
  readonly ready?: string;
  readonly readyTimeout: string;
  readonly grace?: string;
  readonly stopSignal: string;
  readonly overlap?: boolean;
  readonly restart?: boolean;
  readonly startTimeout?: string;
  readonly minWait: string;
  readonly maxWait: string;
  readonly snapshotDir?: string;
  readonly listen?: string;
  readonly kubeconfig?: string;
  readonly namespace?: string;
  readonly logLevel: string;
}

export type EnvironmentSpec =
  | { readonly type: "directory"; readonly path: string; readonly isOptional: boolean }
  | {
      readonly type: "object";
      readonly kind: "ConfigMap" | "Secret";
      readonly name: string;
      readonly isOptional: boolean;
    };

export interface RunSpec {
  readonly watch: readonly string[];
  readonly envFrom: readonly EnvironmentSpec[];
  readonly onChange: ChangeAction;
  readonly gate: readonly string[] | undefined;
  readonly gateTimeoutMs: number;
  readonly ready: ReadySpec | undefined;
  readonly readyTimeoutMs: number;
  readonly graceMs: number;
  readonly endGraceMs: number | undefined;
  readonly stopSignal: NodeJS.Signals;
  readonly overlaps: boolean;
  readonly revives: boolean;
  readonly startTimeoutMs: number | undefined;
  readonly minWaitMs: number;
  readonly maxWaitMs: number;
  /** The program, or something that is run for it, reads copies. */
  readonly usesSnapshots: boolean;
  readonly listen: ListenAddress | undefined;
}

const GRACE_MS = 10_000;
const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** Throws MisuseError with what would be right. */
export function runSpecOf(flags: RunFlags, command: readonly string[]): RunSpec {
  const onChange = changeOf(flags.onChange);
  const gate = flags.gate === undefined ? undefined : wordsOf("--gate", flags.gate);
  const ready = flags.ready === undefined ? undefined : readyOf(flags.ready);
  const graceMs = flags.grace === undefined ? undefined : msOf("--grace", flags.grace);
  const spec = {
    watch: [...new Set((flags.watch ?? []).map((path) => resolve(path)))],
    envFrom: (flags.envFrom ?? []).map(environmentOf),
    onChange,
    gate,
    gateTimeoutMs: msOf("--gate-timeout", flags.gateTimeout),
    ready,
    readyTimeoutMs: msOf("--ready-timeout", flags.readyTimeout),
    graceMs: graceMs ?? GRACE_MS,
    endGraceMs: graceMs,
    stopSignal: signalOf("--stop-signal", flags.stopSignal),
    overlaps: flags.overlap === true,
    revives: flags.restart === true,
    startTimeoutMs:
      flags.startTimeout === undefined ? undefined : msOf("--start-timeout", flags.startTimeout),
    minWaitMs: msOf("--min-wait", flags.minWait),
    maxWaitMs: msOf("--max-wait", flags.maxWait),
    usesSnapshots: flags.snapshotDir !== undefined || mentions(command, gate, onChange, ready),
    listen: flags.listen === undefined ? undefined : parseListen(flags.listen),
  };
  checkTogether(spec);
  return spec;
}

function checkTogether({
  watch,
  usesSnapshots,
  overlaps,
  ready,
  minWaitMs,
  maxWaitMs,
}: RunSpec): void {
  if (overlaps && ready === undefined) {
    throw new MisuseError("--overlap needs --ready: the old one ends when the new one is ready");
  }
  if (usesSnapshots && watch.length === 0) {
    throw new MisuseError(`${SNAPSHOT} and --snapshot-dir need --watch: it is copies of those`);
  }
  if (usesSnapshots && new Set(watch.map((path) => basename(path))).size < watch.length) {
    throw new MisuseError(
      `${SNAPSHOT} has a directory for each --watch, by the last part of its path: two of them are the same`,
    );
  }
  if (maxWaitMs < minWaitMs) {
    throw new MisuseError("--max-wait must not be shorter than --min-wait");
  }
}

function mentions(
  command: readonly string[],
  gate: readonly string[] | undefined,
  onChange: ChangeAction,
  ready: ReadySpec | undefined,
): boolean {
  const all = [
    ...command,
    ...(gate ?? []),
    ...(onChange.type === "exec" ? onChange.argv : []),
    ...(ready?.type === "exec" ? ready.argv : []),
  ];
  return all.some((word) => word.includes(SNAPSHOT));
}

function environmentOf(text: string): EnvironmentSpec {
  const isOptional = text.endsWith("?");
  const place = isOptional ? text.slice(0, -1) : text;
  const [, kind, name] = /^(configmaps?|cm|secrets?)\/([a-z0-9.-]+)$/i.exec(place) ?? [];
  if (kind !== undefined && name !== undefined) {
    const isSecret = kind.toLowerCase().startsWith("secret");
    return { type: "object", kind: isSecret ? "Secret" : "ConfigMap", name, isOptional };
  }
  // A directory of that name would be ./configmap/…
  if (place === "" || /^(configmaps?|cm|secrets?)\//i.test(place)) {
    throw new MisuseError(
      `--env-from ${text}: must be a directory, configmap/NAME or secret/NAME; a directory of such a name is ./${place}`,
    );
  }
  return { type: "directory", path: resolve(place), isOptional };
}

function changeOf(text: string): ChangeAction {
  if (text === "restart") return { type: "restart" };
  const [, type, rest = ""] = /^(signal|exec):(.*)$/s.exec(text) ?? [];
  if (type === "signal") return { type, signal: signalOf("--on-change signal:", rest) };
  if (type === "exec") return { type, argv: wordsOf("--on-change exec:", rest) };
  throw new MisuseError(`--on-change ${text}: must be restart, signal:HUP or exec:COMMAND`);
}

function readyOf(text: string): ReadySpec {
  if (/^https?:\/\//.test(text) && URL.canParse(text)) return { type: "http", url: text };
  const [, command] = /^exec:(.*)$/s.exec(text) ?? [];
  if (command !== undefined) return { type: "exec", argv: wordsOf("--ready exec:", command) };
  const [, host = "127.0.0.1", port] = /^tcp:(?:(.+):)?(\d{1,5})$/.exec(text) ?? [];
  if (Number(port) > 0 && Number(port) <= 65_535) return { type: "tcp", host, port: Number(port) };
  throw new MisuseError(`--ready ${text}: must be http://HOST:PORT/PATH, tcp:PORT or exec:COMMAND`);
}

function signalOf(flag: string, text: string): NodeJS.Signals {
  const name = text.toUpperCase().startsWith("SIG")
    ? text.toUpperCase()
    : `SIG${text.toUpperCase()}`;
  if (Object.hasOwn(constants.signals, name)) return name as NodeJS.Signals;
  throw new MisuseError(`${flag} ${text}: is not a signal; say HUP, USR1, TERM …`);
}

function wordsOf(flag: string, text: string): readonly string[] {
  try {
    return words(text);
  } catch (err) {
    throw new MisuseError(`${flag} ${(err as Error).message}`);
  }
}

function msOf(flag: string, text: string): number {
  const [, digits = "", unit = ""] = /^(\d{1,9})(ms|s|m|h)$/.exec(text) ?? [];
  const ms = Number(digits) * (UNITS[unit] ?? Number.NaN);
  if (digits !== "" && ms >= 0) return ms;
  throw new MisuseError(`${flag} ${text}: must be a number and a unit, such as 200ms, 10s or 5m`);
}
