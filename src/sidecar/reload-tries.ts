// The ways of telling that a composition names, as things that can be tried.

import { closeSync, openSync, readdirSync, readFileSync, utimesSync } from "node:fs";
import { basename } from "node:path";
import { isAbort } from "../base/abort.ts";
import type { Clock } from "../base/clock.ts";
import { describe, isErrno } from "../base/errors.ts";
import { byCommand } from "../reload/by-command.ts";
import { byHttp } from "../reload/by-http.ts";
import { bySignal, whyDeaf } from "../reload/by-signal.ts";
import type { ReloadTry } from "../reload/reload-action.ts";
import type { ReloadActionSpec } from "./compose-model.ts";
import { confirmedReload } from "./drop-ins/confirm-reload.ts";
import type { ReloadEnd } from "./report/observer.ts";
import { authorizationOf } from "./sources/http-auth.ts";

const CONFIRM_MS = 30_000;

export interface TryNeeds {
  readonly clock: Clock;
  /** The file system with a directory for each process. */
  readonly procfs: string;
  /** Never told: ourselves. */
  readonly pid: number;
  /** After each try. Must not throw. */
  readonly onEnd?: ((end: ReloadEnd) => void) | undefined;
}

export function reloadTry(action: ReloadActionSpec, needs: TryNeeds): ReloadTry {
  const { clock, onEnd } = needs;
  return async (signal) => {
    let status: number | undefined;
    const beganMs = clock.monotonicMs();
    const end = (isGood: boolean): void => {
      const seconds = (clock.monotonicMs() - beganMs) / 1000;
      onEnd?.({ action, isGood, status, seconds, atMs: clock.now() });
    };
    try {
      await tryOf(action, needs, (one) => (status = one))(signal);
    } catch (err) {
      if (!isAbort(err, signal)) end(false);
      throw err;
    }
    end(true);
  };
}

function tryOf(
  spec: ReloadActionSpec,
  needs: TryNeeds,
  onStatus: (status: number) => void,
): ReloadTry {
  const { clock } = needs;
  switch (spec.type) {
    case "signal": {
      const tell = bySignal({
        signal: spec.signal,
        send: (number, name) => sent(pidsOf(spec.target, needs), { number, name }, needs),
      });
      const { runtimeInfoUrl: url, timeoutMs = CONFIRM_MS } = spec;
      return url === undefined ? tell : confirmedReload({ url, tell, timeoutMs, clock });
    }
    case "http":
      return byHttp({
        ...{ method: spec.method, url: spec.url, timeoutMs: spec.timeoutMs, clock },
        ...{ body: spec.body, expectedStatus: spec.expectedStatus, onStatus },
        trustsAnyCertificate: spec.skipsTlsVerify,
        headers: async () => {
          const authorization = await authorizationOf(spec.auth);
          const headers = Object.fromEntries(spec.headers);
          return authorization === undefined
            ? headers
            : { ...headers, Authorization: authorization };
        },
      });
    case "command":
      return byCommand({ argv: spec.argv, timeoutMs: spec.timeoutMs, clock });
    case "touch":
      return async (signal) => {
        signal.throwIfAborted();
        touch(spec.path, clock.now());
        await Promise.resolve();
      };
  }
}

/** What it does, for people; nothing that may be secret. */
export function reloadText(spec: ReloadActionSpec): string {
  switch (spec.type) {
    case "signal": {
      const { target } = spec;
      const whom =
        "pidFile" in target ? `the process in ${target.pidFile}` : `"${target.processName}"`;
      return `${spec.signal} to ${whom}`;
    }
    case "http": {
      const { protocol, host, pathname } = new URL(spec.url);
      return `${spec.method} ${protocol}//${host}${pathname}`;
    }
    case "command":
      return `command "${spec.argv[0] ?? ""}"`;
    case "touch":
      return `touch ${spec.path}`;
  }
}

/** Throws with why there is nobody. */
function pidsOf(
  target: Extract<ReloadActionSpec, { type: "signal" }>["target"],
  needs: TryNeeds,
): readonly number[] {
  if ("pidFile" in target) {
    const pid = pidIn(target.pidFile);
    // A stale file, or somebody's joke: SIGUSR1 opens a debugger in us.
    if (pid === needs.pid) throw new Error(`process ${pid} in ${target.pidFile}: it is our own`);
    return [pid];
  }
  const found = processesNamed(target.processName, needs);
  if (found.length === 0) throw new Error(`no process is called "${target.processName}"`);
  return found;
}

function pidIn(file: string): number {
  let text: string;
  try {
    text = readFileSync(file).toString().trim();
  } catch (err) {
    throw new Error(`the pid file cannot be read: ${describe(err)}`, { cause: err });
  }
  if (!/^[1-9]\d{0,9}$/.test(text)) throw new Error(`there is no process id in ${file}`);
  return Number(text);
}

/** Those that have no parent of the same name: a server is told, and not its workers. */
function processesNamed(name: string, { procfs, pid: self }: TryNeeds): readonly number[] {
  const parents = new Map<number, number>();
  for (const entry of readdirSync(procfs)) {
    const pid = /^\d+$/.test(entry) ? Number(entry) : self;
    if (pid === self) continue;
    const parent = parentIfNamed(`${procfs}/${entry}`, name);
    if (parent !== undefined) parents.set(pid, parent);
  }
  return [...parents].filter(([, parent]) => !parents.has(parent)).map(([pid]) => pid);
}

/** By the name that the kernel has, which is cut to 15 bytes and can be changed, or by its program or first argument. */
function parentIfNamed(directory: string, name: string): number | undefined {
  try {
    const status = readFileSync(`${directory}/status`).toString();
    if (/^State:\s+[ZX]/m.test(status)) return undefined;
    const [first = ""] = readFileSync(`${directory}/cmdline`).toString().split("\0");
    const short = /^Name:\s+(.*)$/m.exec(status)?.[1];
    if (short !== name && basename(first) !== name && first !== name) return undefined;
    return Number(/^PPid:\s+(\d+)$/m.exec(status)?.[1]);
  } catch {
    return undefined; // It has ended meanwhile.
  }
}

/** Why not; undefined if each of them was told. */
function sent(
  pids: readonly number[],
  { number, name }: { readonly number: number; readonly name: string },
  { procfs }: TryNeeds,
): string | undefined {
  for (const pid of pids) {
    try {
      const deaf = whyDeaf(readFileSync(`${procfs}/${pid}/status`).toString(), number, name);
      if (deaf !== undefined) return `${deaf} (process ${pid})`;
      process.kill(pid, number);
    } catch (err) {
      if (isErrno(err, "ENOENT", "ESRCH")) return `process ${pid} is gone`;
      if (isErrno(err, "EPERM")) return `process ${pid} is not ours to signal`;
      throw err;
    }
  }
  return undefined;
}

function touch(path: string, nowMs: number): void {
  try {
    utimesSync(path, nowMs / 1000, nowMs / 1000);
  } catch (err) {
    if (!isErrno(err, "ENOENT")) throw err;
    closeSync(openSync(path, "a"));
  }
}
