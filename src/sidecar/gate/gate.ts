// Judges a set before anybody sees it: by JSON Schemas, then by a command that gets the set in a directory of its own. What says no rejects it; what cannot be asked
// (no such command, no answer in time, a schema that is none) fails, and is asked again.

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import type { Clock } from "../../base/clock.ts";
import { describe, isErrno } from "../../base/errors.ts";
import type { ContentCheck, Refusal } from "../../checks/check-protocol.ts";
import { CheckThread } from "../../checks/check-thread.ts";
import { formatOf, parseContent, textOf } from "../../checks/parse-content.ts";
import type { GateSpec } from "../compose-model.ts";
import type { Candidate } from "../publisher.ts";
import { writeCandidate } from "./candidate-directory.ts";
import { runGateCommand } from "./gate-command.ts";
import { hasSecrets } from "./has-secrets.ts";
import { tellingLines } from "./telling-lines.ts";

export type Verdict =
  | { readonly verdict: "passed" }
  /** `output`: the end of what the command said, for the log; undefined if there is none or it may be secret. */
  | {
      readonly verdict: "rejected" | "failed";
      readonly reason: string;
      readonly output: string | undefined;
    };

export interface GateOptions {
  readonly spec: GateSpec;
  /** Makes a private directory that goes when it is disposed. */
  readonly scratch: () => { readonly path: string } & Disposable;
  readonly clock: Clock;
}

const PASSED: Verdict = { verdict: "passed" };

export class Gate implements AsyncDisposable {
  readonly #options: GateOptions;
  readonly #thread: CheckThread;

  constructor(options: GateOptions) {
    this.#options = options;
    this.#thread = new CheckThread(options.clock, options.spec.timeoutMs);
  }

  /** Another one: what was rejected may pass now. */
  fingerprint(): string {
    const sum = createHash("sha256");
    for (const { schemaFile } of this.#options.spec.schemas) {
      try {
        sum.update(readFileSync(schemaFile));
      } catch (err) {
        sum.update(isErrno(err, "ENOENT") ? "missing" : "unreadable");
      }
      sum.update("\0");
    }
    return sum.digest("hex");
  }

  /** Rejects only with what `signal` aborted with. */
  async judge(candidate: Candidate, signal: AbortSignal): Promise<Verdict> {
    const bySchemas = await this.#judgeBySchemas(candidate);
    signal.throwIfAborted();
    return bySchemas.verdict === "passed" ? this.#judgeByCommand(candidate, signal) : bySchemas;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#thread[Symbol.asyncDispose]();
  }

  async #judgeBySchemas({ files }: Candidate): Promise<Verdict> {
    for (const { file, schemaFile } of this.#options.spec.schemas) {
      const data = files.get(file)?.data;
      if (data === undefined)
        return no("rejected", `there is no "${file}" to hold against a schema`);
      let check: ContentCheck;
      try {
        check = checkOf(file, schemaFile);
      } catch (err) {
        return no("failed", `the schema ${schemaFile} cannot be read: ${describe(err)}`);
      }
      const refusal = await this.#thread.check([check], new Map([[file, data]]));
      if (refusal !== undefined) return verdictOf(refusal, schemaFile);
    }
    return PASSED;
  }

  async #judgeByCommand(candidate: Candidate, signal: AbortSignal): Promise<Verdict> {
    const { spec, scratch, clock } = this.#options;
    if (spec.command === undefined) return PASSED;
    const { timeoutMs, command } = spec;
    let directory: ReturnType<typeof scratch>;
    try {
      directory = scratch();
    } catch (err) {
      return no("failed", `there is no room for the gate: ${describe(err)}`);
    }
    using _directory = directory;
    try {
      writeCandidate(directory.path, candidate);
    } catch (err) {
      return no("failed", `the candidate cannot be written for the gate: ${describe(err)}`);
    }
    const argv = command.map((one) => one.replaceAll("{dir}", directory.path));
    const end = await runGateCommand({ argv, timeoutMs, clock }, signal);
    if (end.result === "ok") return PASSED;
    const output = hasSecrets(candidate)
      ? undefined
      : end.output.replaceAll(directory.path, "{dir}");
    const told = tellingLines(output ?? "");
    const why = `the gate command "${command[0] ?? ""}" ${end.reason}${told === "" ? "" : `: ${told}`}`;
    return { verdict: end.result, reason: why, output: output === "" ? undefined : output };
  }
}

function checkOf(file: string, schemaFile: string): ContentCheck {
  const [schema] = parseContent(textOf(readFileSync(schemaFile)), formatOf(schemaFile) ?? "JSON");
  // The pattern of the check is the file's own name: characters that patterns know are matched by themselves, too.
  const format = formatOf(file);
  return { namespace: "", policy: "", name: schemaFile, keys: [], format, schema };
}

function verdictOf({ kind, key, detail }: Refusal, schemaFile: string): Verdict {
  switch (kind) {
    case "Format":
      return no("rejected", `"${key}" cannot be read: ${detail}`);
    case "Schema":
      return no("rejected", `"${key}" does not fulfil ${schemaFile}: ${detail}`);
    case "Unusable":
      return no("failed", `the schema ${schemaFile} cannot be used: ${detail}`);
    case "TimedOut":
    case "Crashed":
      return no("failed", `"${key}" could not be held against ${schemaFile}: ${detail}`);
  }
}

function no(verdict: "rejected" | "failed", reason: string): Verdict {
  return { verdict, reason, output: undefined };
}
