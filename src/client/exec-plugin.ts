// Logs in by running a program, as client.authentication.k8s.io describes it: the program gets an ExecCredential in
// KUBERNETES_EXEC_INFO and prints one with a status. What it gave is kept until it expires or the server refuses it, and
// however many requests wait, the program runs once.

import { spawn } from "node:child_process";
import type { Clock } from "../base/clock.ts";

export interface ExecConfig {
  /** For messages: the file and the user. */
  readonly where: string;
  readonly apiVersion: string;
  readonly command: string;
  readonly args: readonly string[];
  /** All of the environment, what the kubeconfig adds included. */
  readonly env: Readonly<Record<string, string>>;
  readonly installHint: string;
  /** What it is told about the server, if it wants to know. */
  readonly cluster?: Readonly<Record<string, unknown>>;
}

export interface ExecCredentials {
  readonly token?: string;
  readonly certificate?: string;
  readonly key?: string;
}

/** A program that asks somebody on the telephone takes a while; one that hangs does not come back. */
const RUN_MS = 60_000;
/** Tokens are small; whatever prints more is not a credential plug-in. */
const MAX_OUTPUT_BYTES = 1024 * 1024;
const MAX_COMPLAINT_CHARS = 2000;
/** Of clocks and networks: it is renewed before the server calls it expired. */
const EARLY_MS = 10_000;

interface Kept {
  readonly credentials: ExecCredentials;
  readonly expiresMs: number;
}

export class ExecPlugin {
  readonly #config: ExecConfig;
  readonly #clock: Clock;
  #kept: Kept | undefined;
  #running: Promise<Kept> | undefined;

  constructor({ config, clock }: { readonly config: ExecConfig; readonly clock: Clock }) {
    this.#config = config;
    this.#clock = clock;
  }

  async credentials(signal: AbortSignal): Promise<ExecCredentials> {
    signal.throwIfAborted();
    if (this.#kept !== undefined && this.#clock.now() < this.#kept.expiresMs - EARLY_MS) {
      return this.#kept.credentials;
    }
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
    });
    this.#kept = await this.#running;
    return this.#kept.credentials;
  }

  /** Forgets what the server did not take. True if it was what we have now, or we have something else by now. */
  refused(token: string | undefined): boolean {
    if (this.#kept?.credentials.token === token) this.#kept = undefined;
    return true;
  }

  async #run(): Promise<Kept> {
    const config = this.#config;
    const { where, command, installHint } = config;
    let output: string;
    try {
      output = await runProgram(config, this.#clock);
    } catch (err) {
      const isMissing = (err as NodeJS.ErrnoException).code === "ENOENT";
      const hint = isMissing && installHint !== "" ? `. ${installHint}` : "";
      const how = isMissing ? "there is no such program" : (err as Error).message;
      throw new Error(`Cannot log in with ${command} (${where}): ${how}${hint}`, { cause: err });
    }
    return keptOf(config, output);
  }
}

function runProgram(config: ExecConfig, clock: Clock): Promise<string> {
  const { apiVersion, command, args, env, cluster } = config;
  const info = {
    kind: "ExecCredential",
    apiVersion,
    spec: { interactive: false, ...(cluster !== undefined && { cluster }) },
  };
  const child = spawn(command, args, {
    env: { ...env, KUBERNETES_EXEC_INFO: JSON.stringify(info) },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  let complaint = "";
  return new Promise((resolve, reject) => {
    const giveUp = (how: string): void => {
      child.kill("SIGKILL");
      reject(new Error(how));
    };
    const timer = clock.schedule(RUN_MS, () => giveUp(`it did not end within ${RUN_MS / 1000} s`));
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      output += text;
      if (output.length > MAX_OUTPUT_BYTES)
        giveUp(`it printed more than ${MAX_OUTPUT_BYTES} bytes`);
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      complaint = (complaint + text).slice(-MAX_COMPLAINT_CHARS);
    });
    child.once("error", reject);
    child.once("close", (code, signal) => {
      timer[Symbol.dispose]();
      if (code === 0) resolve(output);
      else reject(new Error(`it ended with ${code ?? signal}: ${complaint.trim()}`));
    });
  });
}

/** Nothing of the output is ever shown: it is a secret, even when it is malformed. */
function keptOf(config: ExecConfig, output: string): Kept {
  const status = statusOf(config, output);
  const text = (name: string): string | undefined => {
    const field = status[name];
    return typeof field === "string" && field !== "" ? field : undefined;
  };
  const token = text("token");
  const certificate = text("clientCertificateData");
  const key = text("clientKeyData");
  if ((certificate === undefined) !== (key === undefined)) {
    throw problem(config, "its status has only one of clientCertificateData and clientKeyData");
  }
  const shown = certificate === undefined || key === undefined ? {} : { certificate, key };
  const credentials = { ...(token !== undefined && { token }), ...shown };
  if (Object.keys(credentials).length === 0) {
    throw problem(config, "its status has neither token nor clientCertificateData");
  }
  return { credentials, expiresMs: expiryOf(config, text("expirationTimestamp")) };
}

function expiryOf(config: ExecConfig, expiry: string | undefined): number {
  const expiresMs = expiry === undefined ? Number.POSITIVE_INFINITY : Date.parse(expiry);
  if (Number.isNaN(expiresMs)) {
    throw problem(config, "its status.expirationTimestamp is not a time");
  }
  return expiresMs;
}

function statusOf(config: ExecConfig, output: string): Readonly<Record<string, unknown>> {
  const { apiVersion } = config;
  let value: unknown;
  try {
    value = JSON.parse(output);
  } catch {
    throw problem(config, "what it printed is not JSON"); // The cause would quote it.
  }
  const answer = value as {
    readonly kind?: unknown;
    readonly apiVersion?: unknown;
    readonly status?: Readonly<Record<string, unknown>> | null;
  } | null;
  if (answer?.kind !== "ExecCredential" || answer.apiVersion !== apiVersion) {
    throw problem(config, `what it printed is not an ExecCredential of ${apiVersion}`);
  }
  return answer.status ?? {};
}

function problem({ command, where }: ExecConfig, how: string): Error {
  return new Error(`Cannot log in with ${command} (${where}): ${how}`);
}
