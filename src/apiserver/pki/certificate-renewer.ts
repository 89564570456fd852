// Keeps the certificates of a running server good, for years: looks every hour, and hands on what loadCredentials made
// anew. It also finds files that somebody replaced.

import { X509Certificate } from "node:crypto";
import { isAbort } from "../../base/abort.ts";
import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/logger.ts";
import type { Gauge, Metrics } from "../../base/metrics.ts";
import { type Credentials, loadCredentials } from "./credentials.ts";
import { DAY_MS } from "./issue.ts";

export interface CertificateRenewerOptions {
  readonly directory: string;
  readonly hosts: readonly string[];
  /** Those that the server started with. */
  readonly credentials: Credentials;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Called with all of them when any is new. If it throws, it is called again an hour later. */
  onRenewed(credentials: Credentials): void;
}

const LOOK_EVERY_MS = 3600_000;
/** From here on what is issued lives shorter than it should, because it cannot outlive the authority. */
const WARN_MS = 365 * DAY_MS;

export class CertificateRenewer {
  readonly #options: CertificateRenewerOptions;
  readonly #expiry: Gauge<"certificate">;
  #current: Credentials;
  #warnedMs = Number.NEGATIVE_INFINITY;

  constructor(options: CertificateRenewerOptions) {
    this.#options = options;
    this.#current = options.credentials;
    this.#expiry = options.metrics.gauge({
      name: "driftless_certificate_expiry_seconds",
      help: "When a certificate ends, in seconds since 1970.",
      labels: ["certificate"],
    });
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock, logger } = this.#options;
    while (!signal.aborted) {
      this.#watchAuthority();
      this.#report();
      try {
        await clock.sleep(LOOK_EVERY_MS, signal);
        await this.#renew();
      } catch (err) {
        if (isAbort(err, signal)) return;
        logger.error("cannot renew the certificates", { err }); // The next round tries again.
      }
    }
  }

  async #renew(): Promise<void> {
    const { directory, hosts, clock, logger } = this.#options;
    const next = await loadCredentials({ directory, hosts, nowMs: clock.now() });
    const renewed = (["server", "admin", "nodeClient", "controllers"] as const).filter(
      (name) => next[name]?.certificate !== this.#current[name]?.certificate,
    );
    if (renewed.length === 0) return;
    this.#options.onRenewed(next);
    this.#current = next;
    for (const certificate of renewed) {
      const until = endOf(next[certificate]?.certificate ?? "");
      logger.info("renewed a certificate", { certificate, until: until.toISOString() });
    }
  }

  #report(): void {
    for (const certificate of ["authority", "server", "admin"] as const) {
      const endMs = endOf(this.#current[certificate].certificate).getTime();
      this.#expiry.set(endMs / 1000, { certificate });
    }
  }

  /** Once a day in its last year: it takes a person, and time, to replace it everywhere. */
  #watchAuthority(): void {
    const { clock, logger } = this.#options;
    const end = endOf(this.#current.authority.certificate);
    const now = clock.now();
    if (end.getTime() - now > WARN_MS || now - this.#warnedMs < DAY_MS) return;
    this.#warnedMs = now;
    logger.warn(
      "the certificate authority ends: plan a new one, which every user and node has to be given",
      { until: end.toISOString(), days: Math.floor((end.getTime() - now) / DAY_MS) },
    );
  }
}

function endOf(certificate: string): Date {
  return new X509Certificate(certificate).validToDate;
}
