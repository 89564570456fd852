// Says in $DRIFTLESS_ACK what the sidecar has seen, applied and refused, in the form of @driftless/config, so that the node's agent can put it into the pod's
// ConfigView.

import { createHash } from "node:crypto";
import { renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/logger.ts";

export interface AcknowledgementOptions {
  readonly directory: string;
  /** Of the output. */
  readonly path: string;
  readonly pid: number;
  readonly clock: Clock;
  readonly logger: Logger;
}

interface Mark {
  readonly version: string;
  readonly at: string;
}

interface Refused {
  readonly version: string | null;
  readonly stage: string;
  readonly reason: string;
  readonly at: string;
}

const MAX_REASON_LENGTH = 1000;
/** The limit of all common file systems, in bytes. */
const MAX_NAME_BYTES = 255;

/** Versions are content versions: SHA-256 over paths and bytes. Never throws: an acknowledgement that cannot be written hurts nobody. */
export class Acknowledgement {
  readonly #options: AcknowledgementOptions;
  #noticed: Mark | null = null;
  #applied: Mark | null = null;
  #rejected: Refused | null = null;
  #written = "";
  #hasFailed = false;

  constructor(options: AcknowledgementOptions) {
    this.#options = options;
  }

  notice(version: string): void {
    if (version !== this.#noticed?.version) this.#noticed = { version, at: this.#now() };
    this.#write();
  }

  apply(version: string): void {
    if (version !== this.#applied?.version) this.#applied = { version, at: this.#now() };
    this.#write();
  }

  /** Undefined: no refusal stands. */
  refuse(refusal: Pick<Refused, "version" | "stage" | "reason"> | undefined): void {
    const before = this.#rejected;
    if (refusal === undefined) this.#rejected = null;
    else if (before?.version !== refusal.version || before.reason !== refusal.reason) {
      const reason = refusal.reason.slice(0, MAX_REASON_LENGTH);
      this.#rejected = { ...refusal, reason, at: this.#now() };
    }
    this.#write();
  }

  #now(): string {
    return new Date(this.#options.clock.now()).toISOString();
  }

  #write(): void {
    const { directory, path, pid, logger } = this.#options;
    const content = JSON.stringify({
      ...{ path, pid },
      noticed: this.#noticed,
      applied: this.#applied,
      rejected: this.#rejected,
    });
    if (content === this.#written) return;
    const temporary = join(directory, `.driftless-ack.${pid}.tmp`);
    try {
      // Others write here, too: a link that one of them left there is not followed.
      rmSync(temporary, { force: true });
      writeFileSync(temporary, `${content}\n`, { mode: 0o644, flag: "wx" });
      renameSync(temporary, join(directory, nameOf(path, pid)));
      this.#written = content;
      this.#hasFailed = false;
    } catch (err) {
      if (!this.#hasFailed) logger.warn("acknowledgement cannot be written", { directory, err });
      this.#hasFailed = true;
    }
  }
}

function nameOf(path: string, pid: number): string {
  const name = `${encodeURIComponent(path.toWellFormed())}.${pid}.json`;
  if (name.length <= MAX_NAME_BYTES) return name;
  return `${createHash("sha256").update(path).digest("hex")}.${pid}.json`;
}
