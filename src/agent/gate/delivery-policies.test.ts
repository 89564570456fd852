import { deepEqual, equal, ok } from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "node:test";
import { StatusError } from "../../api/status-error.ts";
import { CaptureLogger } from "../../base/testing/capture-logger.ts";
import { FakeClock } from "../../base/testing/fake-clock.ts";
import { ApiClient } from "../../client/api-client.ts";
import { halfRandom } from "../../client/testing/fake-client.ts";
import type { ObjectKind } from "../objects/config-object.ts";
import { DeliveryPolicies } from "./delivery-policies.ts";
import { PolicyServer } from "./testing/policy-server.ts";

const selector = { matchLabels: { app: "x" } };

describe("DeliveryPolicies", () => {
  let server: PolicyServer;
  let clock: FakeClock;
  let policies: DeliveryPolicies;
  let heard: (string | undefined)[];
  let stop: AbortController;
  let running: Promise<void>;

  beforeEach(() => {
    server = new PolicyServer();
    clock = new FakeClock();
    const logger = new CaptureLogger();
    const random = halfRandom;
    const connection = { server: "https://fake", isInsecure: false, namespace: "default" };
    const parts = { connection, clock, timeoutMs: 60_000, random, transport: server };
    policies = new DeliveryPolicies({ client: new ApiClient(parts), clock, random, logger });
    heard = [];
    policies.onChange((namespace) => heard.push(namespace));
    stop = new AbortController();
    running = Promise.resolve();
  });

  afterEach(async () => {
    stop.abort();
    await running;
  });

  const begin = async (): Promise<void> => {
    running = policies.run(stop.signal);
    await clock.step(0);
  };
  const choosing = (
    labels: Readonly<Record<string, string>> = { app: "x" },
    { kind = "ConfigMap", namespace = "default" }: { kind?: ObjectKind; namespace?: string } = {},
  ): readonly string[] | undefined =>
    policies.choosing({ kind, namespace, labels })?.map(({ name }) => name);

  it("are not known before the server has told of all", async () => {
    server.put("b", { selector });
    server.put("a", { selector: {} });
    equal(choosing(), undefined);
    await begin();
    deepEqual(choosing(), ["a", "b"]);
    deepEqual(heard, [undefined]);
  });

  it("choose by namespace, kind and labels", async () => {
    server.put("maps", { selector, kinds: ["ConfigMap"] });
    server.put("secrets", { selector, kinds: ["Secret"] });
    await begin();
    deepEqual(choosing(), ["maps"]);
    deepEqual(choosing({ app: "x" }, { kind: "Secret" }), ["secrets"]);
    deepEqual(choosing({ app: "y" }), []);
    deepEqual(choosing({ app: "x" }, { namespace: "other" }), []);
  });

  it("are others when they change, and none when they are deleted", async () => {
    await begin();
    server.put("a", { selector, checks: [{ name: "c", format: "JSON" }] });
    await clock.step(0);
    const [first] =
      policies.choosing({ kind: "ConfigMap", namespace: "default", labels: { app: "x" } }) ?? [];
    deepEqual(first?.checks, [
      { namespace: "default", policy: "a", name: "c", keys: [], format: "JSON", schema: undefined },
    ]);
    server.put("a", { selector });
    await clock.step(0);
    const [second] =
      policies.choosing({ kind: "ConfigMap", namespace: "default", labels: { app: "x" } }) ?? [];
    ok(first?.fingerprint !== second?.fingerprint);
    server.remove("a");
    await clock.step(0);
    deepEqual(choosing(), []);
    deepEqual(heard, [undefined, "default", "default", "default"]);
  });

  it("are paused since the moment that the server noted", async () => {
    const note = { "driftless.dev/paused-at": "2026-01-02T03:04:05.678Z" };
    server.put("a", { selector, rollout: { paused: true } }, note);
    server.put("b", { selector, rollout: { paused: true } });
    server.put("c", { selector, rollout: { paused: false } }, note);
    await begin();
    const found = policies.choosing({
      kind: "ConfigMap",
      namespace: "default",
      labels: { app: "x" },
    });
    deepEqual(
      found?.map(({ pausedAtMs }) => pausedAtMs),
      [Date.UTC(2026, 0, 2, 3, 4, 5, 678), 0, undefined],
    );
  });

  it("are none on a server that has no such kind", async () => {
    server.forgetKind();
    await begin();
    deepEqual(choosing(), []);
    deepEqual(heard, [undefined]);
    await policies.confirm("default", stop.signal);
  });

  it("are confirmed when those are known that the watch is late with, and go not backwards when it comes", async () => {
    await begin();
    server.holdWatches();
    server.put("a", { selector });
    server.put("a", { selector, rollout: { paused: true } });
    deepEqual(choosing(), []);
    await policies.confirm("default", stop.signal);
    const pauses = (): readonly (number | undefined)[] | undefined =>
      policies
        .choosing({ kind: "ConfigMap", namespace: "default", labels: { app: "x" } })
        ?.map(({ pausedAtMs }) => pausedAtMs);
    deepEqual(pauses(), [0]);
    heard.length = 0;
    server.letWatchesGoOn();
    await clock.step(0);
    deepEqual(pauses(), [0]);
    deepEqual(heard, []);
  });

  it("stay deleted when an answer comes late that still has them", async () => {
    server.put("a", { selector });
    await begin();
    const onTheWay = Promise.withResolvers<void>();
    server.onTheWay = onTheWay.promise;
    const confirming = policies.confirm("default", stop.signal);
    await clock.step(0);
    server.remove("a");
    await clock.step(0);
    deepEqual(choosing(), []);
    onTheWay.resolve();
    await confirming;
    deepEqual(choosing(), []);
  });

  it("are none when they came and went while the watch was late and ended", async () => {
    await begin();
    server.holdWatches();
    server.put("a", { selector });
    await policies.confirm("default", stop.signal);
    deepEqual(choosing(), ["a"]);
    server.remove("a");
    server.cutWatches();
    await clock.step(60_000);
    deepEqual(choosing(), []);
  });

  it("are asked for once by many, and once more by those who come meanwhile", async () => {
    await begin();
    const first = policies.confirm("default", stop.signal);
    const others = Array.from({ length: 50 }, () => policies.confirm("default", stop.signal));
    await Promise.all([first, ...others]);
    equal(server.lists, 2);
  });

  it("are left to the watch when the server does not answer three times", async () => {
    await begin();
    server.refusal = new StatusError({ code: 500, reason: "InternalError", message: "no" });
    const confirming = policies.confirm("default", stop.signal);
    await clock.step(10_000);
    await confirming;
  });
});
