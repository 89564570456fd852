// What a drop-in makes of another program's variables or flags: a Compose, and how the sidecar is to run besides.

import type { LogLevel } from "../../base/logger.ts";
import type { Compose } from "../compose-model.ts";

export type ProgramName = "k8s-sidecar" | "configmap-reload" | "prometheus-config-reloader";

export interface DropIn {
  readonly compose: Compose;
  readonly options: DropInOptions;
  /** For the log at the start: what was asked for and is done otherwise, or not at all. */
  readonly notes: readonly string[];
  /** Arguments that are the sidecar's own (--dry-run, --state-dir DIR …): they are for its own parser, and count for more. */
  readonly rest: readonly string[];
}

export interface DropInOptions {
  readonly program: ProgramName;
  /** Ends after the first publish and reload, as --once. */
  readonly isOnce: boolean;
  /** With `isOnce`: after so many tries of the reload it ends well all the same. Undefined: it has to succeed. */
  readonly onceTries: number | undefined;
  /** The file is used if it is there; if not, and if undefined: as everywhere, ~/.kube/config or the pod's account. */
  readonly kubeconfig: string | undefined;
  /** The certificate of the API server is not looked at. */
  readonly skipsApiTlsVerify: boolean;
  readonly listen: ListenOptions | undefined;
  readonly log: LogOptions;
}

export interface ListenOptions {
  /** Undefined: all addresses, IPv6 too where there is any. */
  readonly host: string | undefined;
  readonly port: number;
  /** A port that is taken is said, and everything else goes on: several k8s-sidecars in one pod have the same by default. */
  readonly isOptional: boolean;
  readonly metricsPath: string;
  readonly health: HealthEndpoint | undefined;
}

/** Besides /livez and /readyz. */
interface HealthEndpoint {
  readonly path: string;
  /** "ready": 503 until the first version is live. "up": always 200. */
  readonly is: "ready" | "up";
  /** What is answered with 200. */
  readonly text: string;
}

export interface LogOptions {
  readonly level: LogLevel;
  readonly format: "json" | "logfmt";
  readonly timeZone: "utc" | "local";
}

/** The program was called wrongly; the message has a line for each mistake. */
export class DropInError extends Error {
  override readonly name = "DropInError";
}
