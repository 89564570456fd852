import { deepEqual, equal, match, notEqual } from "node:assert/strict";
import { before, describe, it, type TestContext } from "node:test";
import type { JsonValue } from "../../api/json.ts";
import { createMetrics, type Metrics } from "../../base/metrics.ts";
import { CaptureLogger } from "../../base/testing/capture-logger.ts";
import { FakeClock } from "../../base/testing/fake-clock.ts";
import { tempDir } from "../../base/testing/temp-dir.ts";
import type { ApiRequest } from "../../client/api-client.ts";
import { CertificateRenewal } from "./certificate-renewal.ts";
import { certificateRequest, newKey } from "./certificate-request.ts";
import { NodeFiles } from "./node-files.ts";
import { TestAuthority } from "./testing/test-authority.ts";

const DAY_MS = 24 * 3600_000;
const LIFE_MS = 100 * DAY_MS;

interface Asked {
  readonly nodeName: string;
  readonly csr: string;
}

describe("CertificateRenewal", () => {
  let authority: TestAuthority;
  let first: { readonly key: string; readonly certificate: string };
  before(async () => {
    authority = await TestAuthority.make();
    const key = await newKey();
    const startMs = new FakeClock().now();
    const span = { startMs, endMs: startMs + LIFE_MS };
    const csr = await certificateRequest(key);
    const certificate = await authority.sign({ csr, nodeName: "n1", ...span });
    first = { key, certificate: `${certificate}\n` };
  });

  class Running {
    readonly clock = new FakeClock();
    readonly logger = new CaptureLogger();
    readonly metrics: Metrics = createMetrics();
    readonly files: NodeFiles;
    readonly askedAtMs: number[] = [];
    /** What the next requests are answered with, before a certificate. */
    readonly answers: (Error | JsonValue)[] = [];
    readonly #waiting = new Set<() => void>();
    #done = 0;

    constructor(t: TestContext, chance: number) {
      const directory = tempDir();
      this.files = new NodeFiles({ dataDir: directory.path });
      t.after(() => directory[Symbol.dispose]());
      const { clock, logger, metrics, files } = this;
      const random = { next: () => chance, uint32: () => 0 };
      const client = { request: (asked: ApiRequest) => this.#answer(asked.body as Asked) };
      const parts = { clock, random, logger, metrics, hosts: [], onRenewed: () => undefined };
      const renewal = new CertificateRenewal({ files, nodeName: "n1", client, ...parts });
      const stop = new AbortController();
      this.start = async () => {
        await files.joiningKey(async () => first.key);
        files.becomeMember({ ...first, server: "https://s", authority: "-" });
        const ended = renewal.run(stop.signal);
        t.after(async () => {
          stop.abort();
          await ended;
          equal(clock.waiting, 0);
        });
      };
    }

    readonly start: () => Promise<void>;

    /** Steps, and waits until as many requests were answered in all, with what follows from it. */
    async stepUntilAnswered(ms: number, count: number): Promise<void> {
      await this.clock.step(ms);
      while (this.#done < count) await new Promise<void>((resolve) => this.#waiting.add(resolve));
      await this.clock.step(0);
    }

    async #answer({ nodeName, csr }: Asked): Promise<JsonValue> {
      this.askedAtMs.push(this.clock.monotonicMs());
      try {
        const answer = this.answers.shift();
        if (answer instanceof Error) throw answer;
        if (answer !== undefined) return answer;
        const startMs = this.clock.now();
        const span = { startMs, endMs: startMs + LIFE_MS };
        return { certificate: await authority.sign({ csr, nodeName, ...span }) };
      } finally {
        this.#done++;
        for (const resolve of this.#waiting) resolve();
        this.#waiting.clear();
      }
    }
  }

  for (const [chance, day] of [
    [0, 70],
    [0.5, 80],
  ] as const) {
    it(`renews with a new key on day ${day} of 100, if that is what was drawn`, async (t) => {
      const running = new Running(t, chance);
      await running.start();
      await running.clock.step(day * DAY_MS - 1);
      deepEqual(running.askedAtMs, []);
      await running.stepUntilAnswered(1, 1);
      const held = running.files.identity();
      notEqual(held?.key, first.key);
      notEqual(held?.certificate, first.certificate);
      await running.stepUntilAnswered(day * DAY_MS, 2);
      equal(running.askedAtMs.length, 2);
    });
  }

  it("tries again with pauses that grow, keeps what it has, and tells why", async (t) => {
    const running = new Running(t, 0);
    await running.start();
    running.answers.push(new Error("Cannot reach the server"), new Error("away"));
    await running.stepUntilAnswered(70 * DAY_MS, 1);
    deepEqual(running.files.identity(), first);
    await running.stepUntilAnswered(2000, 2);
    await running.stepUntilAnswered(4000, 3);
    deepEqual(
      running.askedAtMs.map((ms) => ms - 70 * DAY_MS),
      [0, 2000, 6000],
    );
    notEqual(running.files.identity()?.key, first.key);
    equal(running.logger.records[0]?.message, "cannot renew the certificate of this node");
  });

  it("takes no certificate for another key or node", async (t) => {
    const running = new Running(t, 0);
    await running.start();
    const span = { startMs: 0, endMs: LIFE_MS };
    const csr = await certificateRequest(await newKey());
    const foreign = await authority.sign({ csr, nodeName: "n1", ...span });
    running.answers.push({ certificate: foreign }, { certificate: "nonsense" }, null);
    await running.stepUntilAnswered(70 * DAY_MS, 1);
    await running.stepUntilAnswered(2000, 2);
    await running.stepUntilAnswered(4000, 3);
    deepEqual(running.files.identity(), first);
    match(String(running.logger.records[0]?.fields["err"]), /not a certificate of the node "n1"/);
  });

  it("says when the certificate ends", async (t) => {
    const running = new Running(t, 0);
    await running.start();
    const endS = (running.clock.now() + LIFE_MS) / 1000;
    match(
      await running.metrics.text(),
      new RegExp(`^driftless_node_certificate_expiry_seconds ${endS}$`, "m"),
    );
  });
});
