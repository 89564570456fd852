// Asks a container once, in the way that its probe says, and tells of answers that are bad.

import { isAbort } from "../../base/abort.ts";
import type { Clock } from "../../base/clock.ts";
import { describe } from "../../base/errors.ts";
import type { Events } from "../../controller/event-recorder.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import { aboutContainer, podText, type Teller } from "../pods/pod-events.ts";
import { containerPort } from "./container-port.ts";
import { execCommand, probeExec } from "./exec-probe.ts";
import { probeHttp } from "./http-probe.ts";
import { httpHeaders, httpPlace } from "./http-request.ts";
import { type Outcome, ProbeError, type ProbeLimits, type ProbeTarget } from "./probe-outcome.ts";
import type { ProbeKind } from "./probe-tally.ts";
import { probeTcp } from "./tcp-probe.ts";

export interface AskParts {
  readonly runtime: Pick<Runtime, "exec">;
  readonly events: Events;
  readonly clock: Clock;
  /** "kube-probe/1.36". */
  readonly userAgent: string;
}

/** What a question came to. Undefined: it could not be asked, or its answer not be read, and that counts neither way. */
export interface Asked {
  readonly answer: "success" | "failure" | undefined;
  readonly cleanup: Promise<void> | undefined;
}

const MAX_TRIES = 3;
const DEFAULT_TIMEOUT_SECONDS = 1;

/** Rejects only when `signal` aborts. */
export async function ask(
  parts: AskParts,
  { kind, target }: { readonly kind: ProbeKind; readonly target: ProbeTarget },
  signal: AbortSignal,
): Promise<Asked> {
  const tell = aboutContainer(parts.events, target.pod, target.container.name);
  try {
    const { result, output, cleanup } = await tryThrice(parts, target, signal);
    signal.throwIfAborted();
    if (result === "warning") tell("Warning", "ProbeWarning", `${kind} probe warning: ${output}`);
    if (result === "failure") tell("Warning", "Unhealthy", `${kind} probe failed: ${output}`);
    return { answer: result === "failure" ? "failure" : "success", cleanup };
  } catch (err) {
    signal.throwIfAborted();
    tellError(tell, kind, err);
    return { answer: undefined, cleanup: undefined };
  }
}

function tellError(tell: Teller, kind: ProbeKind, err: unknown): void {
  const state = err instanceof ProbeError ? err.state : "unknown";
  const text = err instanceof ProbeError ? err.message : describe(err);
  tell("Warning", "Unhealthy", `${kind} probe errored and resulted in ${state} state: ${text}`);
}

async function tryThrice(
  parts: AskParts,
  target: ProbeTarget,
  signal: AbortSignal,
): Promise<Outcome> {
  for (let tries = 1; ; tries++) {
    try {
      return await askOnce(parts, target, signal);
    } catch (err) {
      if (tries === MAX_TRIES || isAbort(err, signal)) throw err;
    }
  }
}

async function askOnce(
  { runtime, clock, userAgent }: AskParts,
  { probe, pod, container, containerId, address }: ProbeTarget,
  signal: AbortSignal,
): Promise<Outcome> {
  const { timeoutSeconds = 0 } = probe;
  const limits: ProbeLimits = {
    ...{ clock, signal },
    timeoutSeconds: timeoutSeconds > 0 ? timeoutSeconds : DEFAULT_TIMEOUT_SECONDS,
  };
  if (probe.exec !== undefined) {
    return probeExec({ runtime, containerId, argv: execCommand(probe.exec, container) }, limits);
  }
  if (probe.httpGet !== undefined) {
    const place = httpPlace(probe.httpGet, container, address);
    return probeHttp({ place, headers: httpHeaders(probe.httpGet.httpHeaders, userAgent) }, limits);
  }
  if (probe.tcpSocket !== undefined) {
    const { host = "", port } = probe.tcpSocket;
    const number = containerPort(port, container);
    return probeTcp({ host: host === "" ? address : host, port: number }, limits);
  }
  if (probe.grpc !== undefined) {
    // Few pods have one, and what it needs is large.
    const { probeGrpc } = await import("./grpc-probe.ts");
    return probeGrpc({ action: probe.grpc, host: address, userAgent }, limits);
  }
  throw new Error(`missing probe handler for ${podText(pod)}:${container.name}`);
}
