// Keeps a node's certificate good: asks for the next one, with a new key, when most of its life is over. The order lets a crash
// at any point do no harm: the server knows the old key until the new one is used, and it is used only once it is on disk.

import { X509Certificate } from "node:crypto";
import { isAbort, untilAborted } from "../../base/abort.ts";
import { Backoff } from "../../base/backoff.ts";
import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/logger.ts";
import type { Gauge, Metrics } from "../../base/metrics.ts";
import type { Random } from "../../base/random.ts";
import type { ApiClient } from "../../client/api-client.ts";
import { certificateRequest, newKey } from "./certificate-request.ts";
import { lifetimeOf, signedCertificate } from "./node-certificate.ts";
import type { NodeFiles } from "./node-files.ts";

export interface CertificateRenewalOptions {
  readonly files: NodeFiles;
  readonly nodeName: string;
  /** By which the port of this node is reached; empty if it has none. */
  readonly hosts: readonly string[];
  /** Speaks with the certificate that is in the files. */
  readonly client: Pick<ApiClient, "request">;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Called when there is another certificate. */
  readonly onRenewed: () => void;
}

const RENEW_PATH = "/driftless/v1/renew";
/** As the kubelet, and spread: nodes that joined together do not come together. */
const EARLIEST = 0.7;
const LATEST = 0.9;
/** Timers stand still while a machine sleeps; the life of a certificate does not. */
const LOOK_EVERY_MS = 6 * 3600_000;
/** With a clock that is far ahead every certificate looks old: the server is not asked again and again. */
const SOONEST_AGAIN_MS = 600_000;

export class CertificateRenewal {
  readonly #options: CertificateRenewalOptions;
  readonly #expiry: Gauge;
  readonly #backoff: Backoff;
  /** When the certificate is to be renewed: drawn once for each. */
  #due: { readonly certificate: string; readonly atMs: number } | undefined;
  /** Monotonic. */
  #notBeforeMs = Number.NEGATIVE_INFINITY;

  constructor(options: CertificateRenewalOptions) {
    this.#options = options;
    const { clock, random, metrics } = options;
    const pauses = { baseMs: 2000, factor: 2, maxMs: 600_000, jitter: 0.5 };
    this.#backoff = new Backoff({ ...pauses, resetAfterMs: LOOK_EVERY_MS, clock, random });
    this.#expiry = metrics.gauge({
      name: "driftless_node_certificate_expiry_seconds",
      help: "When the certificate of this node ends, in seconds since 1970.",
    });
  }

  run(signal: AbortSignal): Promise<void> {
    return untilAborted(signal, () => this.#live(signal));
  }

  async #live(signal: AbortSignal): Promise<void> {
    const { clock, logger, nodeName } = this.#options;
    for (;;) {
      signal.throwIfAborted();
      try {
        const waitMs = this.#waitMs();
        if (waitMs > 0) await clock.sleep(Math.min(waitMs, LOOK_EVERY_MS), signal);
        else await this.#renew(signal);
      } catch (err) {
        if (isAbort(err, signal)) throw err;
        const waitMs = this.#backoff.nextMs();
        logger.error("cannot renew the certificate of this node", { err, node: nodeName, waitMs });
        await clock.sleep(waitMs, signal);
      }
    }
  }

  #waitMs(): number {
    const { clock, random, files } = this.#options;
    const { certificate } = heldIn(files);
    if (this.#due?.certificate !== certificate) {
      const { startMs, endMs } = lifetimeOf(certificate);
      const share = EARLIEST + (LATEST - EARLIEST) * random.next();
      const atMs = this.#hasHosts(certificate) ? startMs + share * (endMs - startMs) : 0;
      this.#due = { certificate, atMs };
      this.#expiry.set(endMs / 1000);
    }
    return Math.max(this.#due.atMs - clock.now(), this.#notBeforeMs - clock.monotonicMs());
  }

  #hasHosts(certificate: string): boolean {
    const held = new X509Certificate(certificate);
    return this.#options.hosts.every((host) => held.checkHost(host) !== undefined);
  }

  async #renew(signal: AbortSignal): Promise<void> {
    const { files, nodeName, hosts, client, clock, logger, onRenewed } = this.#options;
    const key = await newKey();
    const body = { nodeName, csr: await certificateRequest(key), hosts };
    const answer = await client.request({ method: "POST", path: RENEW_PATH, body, signal });
    const certificate = signedCertificate(answer, { key, nodeName });
    files.renew({ key, certificate });
    onRenewed();
    this.#backoff.reset();
    this.#notBeforeMs = clock.monotonicMs() + SOONEST_AGAIN_MS;
    const until = new Date(lifetimeOf(certificate).endMs).toISOString();
    logger.info("renewed the certificate of this node", { node: nodeName, until });
  }
}

function heldIn(files: NodeFiles): { readonly certificate: string } {
  const identity = files.identity();
  if (identity === undefined) throw new Error(`Cannot find the identity in ${files.directory}`);
  return identity;
}
