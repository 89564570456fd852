import { deepEqual, equal, match, notEqual } from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { rmSync } from "node:fs";
import { describe, it, type TestContext } from "node:test";
import { createMetrics, type Metrics } from "../../base/metrics.ts";
import { CaptureLogger } from "../../base/testing/capture-logger.ts";
import { FakeClock } from "../../base/testing/fake-clock.ts";
import { tempDir } from "../../base/testing/temp-dir.ts";
import { CertificateRenewer } from "./certificate-renewer.ts";
import { type Credentials, loadCredentials } from "./credentials.ts";

const DAY_MS = 24 * 3600_000;
const HOUR_MS = 3600_000;
const hosts = ["127.0.0.1"];

interface Running {
  readonly clock: FakeClock;
  readonly directory: string;
  readonly credentials: Credentials;
  readonly metrics: Metrics;
  readonly logger: CaptureLogger;
  /** The next that is handed on. */
  readonly renewed: Promise<Credentials>;
  readonly handedOn: readonly Credentials[];
}

/** A server whose certificates were made so long ago, and its authority maybe before. */
async function running(t: TestContext, ageMs: number, authorityAgeMs = ageMs): Promise<Running> {
  const temporary = tempDir();
  const directory = temporary.join("pki");
  const clock = new FakeClock();
  const logger = new CaptureLogger();
  const metrics = createMetrics();
  await loadCredentials({ directory, hosts, nowMs: clock.now() - authorityAgeMs });
  const credentials = await loadCredentials({ directory, hosts, nowMs: clock.now() - ageMs });
  const handedOn: Credentials[] = [];
  const next = Promise.withResolvers<Credentials>();
  const renewer = new CertificateRenewer({
    directory,
    hosts,
    credentials,
    clock,
    logger,
    metrics,
    onRenewed: (given) => {
      handedOn.push(given);
      next.resolve(given);
    },
  });
  const stop = new AbortController();
  const ended = renewer.run(stop.signal);
  t.after(async () => {
    stop.abort();
    await ended;
    temporary[Symbol.dispose]();
  });
  return { clock, directory, credentials, metrics, logger, renewed: next.promise, handedOn };
}

function endOf({ certificate }: { readonly certificate: string }): number {
  return new X509Certificate(certificate).validToDate.getTime();
}

describe("CertificateRenewer", () => {
  it("renews the server's and the admin's certificate when 30 days are left", async (t) => {
    const { clock, credentials, renewed, handedOn } = await running(t, 334 * DAY_MS);
    await clock.step(23 * HOUR_MS);
    equal(handedOn.length, 0);
    await clock.step(HOUR_MS);
    const next = await renewed;
    for (const name of ["server", "admin"] as const) {
      notEqual(next[name].certificate, credentials[name].certificate);
      equal(endOf(next[name]), clock.now() + 365 * DAY_MS);
    }
    equal(next.authority.certificate, credentials.authority.certificate);
  });

  it("hands on what somebody replaced", async (t) => {
    const { clock, directory, credentials, renewed } = await running(t, 0);
    rmSync(`${directory}/server.crt`);
    await clock.step(HOUR_MS);
    const next = await renewed;
    notEqual(next.server.certificate, credentials.server.certificate);
    equal(next.admin.certificate, credentials.admin.certificate);
  });

  it("says when each certificate ends", async (t) => {
    const { clock, credentials, metrics } = await running(t, 0);
    await clock.step(0);
    const text = await metrics.text();
    for (const name of ["authority", "server", "admin"] as const) {
      const seconds = endOf(credentials[name]) / 1000;
      match(
        text,
        new RegExp(`driftless_certificate_expiry_seconds\\{certificate="${name}"\\} ${seconds}`),
      );
    }
  });

  it("warns once a day in the last year of the authority", async (t) => {
    const { clock, logger } = await running(t, 0, 3284 * DAY_MS);
    const warnings = (): number =>
      logger.records.filter(({ message }) => message.startsWith("the certificate authority ends"))
        .length;
    await clock.step(0);
    equal(warnings(), 0);
    await clock.step(DAY_MS);
    equal(warnings(), 1);
    await clock.step(23 * HOUR_MS);
    equal(warnings(), 1);
    await clock.step(HOUR_MS);
    equal(warnings(), 2);
  });

  it("keeps running when the key of the authority is missing, and says so", async (t) => {
    const { clock, directory, logger, handedOn } = await running(t, 336 * DAY_MS);
    rmSync(`${directory}/ca.key`);
    await clock.step(2 * HOUR_MS);
    const failures = logger.records.filter(({ level }) => level === "error");
    deepEqual(
      failures.map(({ message }) => message),
      ["cannot renew the certificates", "cannot renew the certificates"],
    );
    match(String(failures[0]?.fields["err"]), /ca\.key is missing\. Put it back/);
    equal(handedOn.length, 0);
  });
});
