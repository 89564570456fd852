import { deepEqual, equal, match, ok } from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { describe, it } from "node:test";
import type { Refusal } from "../../checks/check-protocol.ts";
import { ConfigObject, referenceKey } from "../objects/config-object.ts";
import type { ChangeDetectionStrategy } from "../objects/create-object-manager.ts";
import { named, testPod } from "../objects/testing/test-pods.ts";
import { GateHarness } from "./testing/gate-harness.ts";
import { TestPolicies } from "./testing/test-policies.ts";

const app = named("app");
const labels = { app: "x" };
const json = { labels, checks: [{ name: "json", format: "JSON" as const }] };
const good = (value: string) => ({ labels, data: { a: JSON.stringify(value) } });
const bad = { labels, data: { a: "hunter2{" } };
const pod = (uid = "p1") => testPod({ uid, configMaps: ["app"] });

const strategies: readonly ChangeDetectionStrategy[] = ["Watch", "Cache", "Get"];

for (const strategy of strategies) {
  describe(`GatedObjects over ${strategy}`, () => {
    it("gives what the server has while there is no policy", async () => {
      await using gate = new GateHarness(strategy);
      gate.objects.register(pod());
      equal(await gate.read(), "none");
      gate.put("app", bad);
      equal(await gate.read(), "hunter2{");
      gate.put("app", good("two"));
      equal(await gate.read(), '"two"');
      equal(gate.checker.checked, 0);
    });

    it("G8 never gives what a policy refuses, and gives what follows it", async () => {
      await using gate = new GateHarness(strategy);
      gate.policies.put("web", json);
      gate.objects.register(pod());
      gate.put("app", good("one"));
      equal(await gate.read(), '"one"');
      gate.put("app", bad);
      equal(await gate.read(), '"one"');
      const stage = gate.objects.stage(app);
      equal(stage?.held?.reason, "GateRejected");
      equal(
        stage?.held?.message,
        "refused by DeliveryPolicy web, check json, key a: line 1, column 1: a mistake in the syntax; fix the content or the policy",
      );
      ok(stage?.wanted?.version !== stage?.admitted?.version);
      gate.put("app", good("two"));
      equal(await gate.read(), '"two"');
      equal(gate.objects.stage(app)?.held, undefined);
    });

    it("G8 holds what comes while deliveries are paused", async () => {
      await using gate = new GateHarness(strategy);
      gate.objects.register(pod());
      gate.put("app", good("one"));
      equal(await gate.read(), '"one"');
      gate.policies.put("web", { labels, pausedAtMs: gate.parts.clock.now() });
      gate.put("app", good("two"));
      equal(await gate.read(), '"one"');
      equal(gate.objects.stage(app)?.held?.reason, "RolloutHeld");
      gate.policies.put("web", { labels });
      equal(await gate.read(), '"two"');
    });

    it("G8 goes on with the last good content when the agent starts again, and for a pod that is new", async () => {
      await using gate = new GateHarness(strategy);
      gate.policies.put("web", json);
      gate.objects.register(pod());
      gate.put("app", good("one"));
      gate.put("app", good("two"));
      equal(await gate.read(), '"two"');
      gate.put("app", bad);
      equal(await gate.read(), '"two"');
      await gate.restart();
      gate.objects.register(pod());
      equal(await gate.read(), '"two"');
      gate.objects.register(pod("p2"));
      equal(await gate.read("app", "p2"), '"two"');
      gate.put("app", good("three"));
      equal(await gate.read(), '"three"');
    });
  });
}

describe("GatedObjects without a policy", () => {
  it("G2 shows a change in the turn in which it is heard of, as the server told it", async () => {
    await using gate = new GateHarness();
    const seen: string[] = [];
    gate.objects.onChange(({ object, isAnother }, podUids) => {
      seen.push(`${gate.peek()} ${object?.resourceVersion} ${isAnother} ${podUids.join()}`);
    });
    gate.objects.register(pod());
    await gate.settle();
    gate.put("app", good("one"));
    await gate.settle();
    gate.parts.server.remove("app");
    gate.put("app", good("two"));
    await gate.settle();
    deepEqual(seen, [
      "none undefined false p1",
      '"one" 101 false p1',
      "none undefined false p1",
      '"two" 103 true p1',
    ]);
  });

  it("says when content was seen and let through; changes of metadata are no new content", async () => {
    await using gate = new GateHarness();
    gate.objects.register(pod());
    await gate.settle();
    gate.put("app", good("one"));
    await gate.settle();
    const first = gate.objects.stage(app);
    equal(first?.seenAtMs, gate.parts.clock.now());
    equal(first?.admittedAtMs, gate.parts.clock.now());
    await gate.parts.clock.step(1000);
    gate.put("app", { ...good("one"), labels: { other: "label" } });
    await gate.settle();
    const second = gate.objects.stage(app);
    equal(second?.seenAtMs, first?.seenAtMs);
    equal(second?.admittedAtMs, first?.admittedAtMs);
    equal(second?.wanted?.resourceVersion, "102");
  });

  it("forgets what nobody refers to any more", async () => {
    await using gate = new GateHarness();
    gate.objects.register(pod());
    gate.put("app", good("one"));
    await gate.settle();
    gate.objects.unregister("p1");
    equal(gate.objects.stage(app), undefined);
    equal(gate.peek(), "unknown");
    match(await gate.read(), /not registered/);
  });

  it("lets nothing through before it is known which policies there are", async () => {
    await using gate = new GateHarness("Watch", new TestPolicies({ isKnown: false }));
    gate.objects.register(pod());
    gate.put("app", good("one"));
    await gate.settle();
    equal(gate.peek(), "unknown");
    const reading = gate.read();
    gate.policies.becomeKnown();
    equal(await reading, '"one"');
    equal(gate.peek(), '"one"');
  });

  it("says so if that is not known in time", async () => {
    await using gate = new GateHarness("Watch", new TestPolicies({ isKnown: false }));
    gate.objects.register(pod());
    gate.put("app", good("one"));
    await gate.settle();
    const signal = new AbortController().signal;
    const reading = gate.objects.get(app, { podUid: "p1", signal }).catch(String);
    await gate.settle();
    await gate.parts.clock.step(1000);
    match(String(await reading), /not known yet which delivery policies there are/);
  });
});

describe("GatedObjects with a policy", () => {
  it("G8 peeks at the last good content, and tells when there is a better one", async () => {
    await using gate = new GateHarness();
    gate.policies.put("web", json);
    gate.objects.register(pod());
    gate.put("app", good("one"));
    await gate.settle();
    const told: string[] = [];
    gate.objects.onChange(() => told.push(gate.peek()));
    gate.put("app", bad);
    await gate.settle();
    equal(gate.peek(), '"one"');
    gate.put("app", good("two"));
    await gate.settle();
    deepEqual(told, ['"two"']);
  });

  it("is for the objects that it chooses, also when their labels change", async () => {
    await using gate = new GateHarness();
    gate.policies.put("web", json);
    gate.objects.register(pod());
    gate.put("app", { ...bad, labels: {} });
    await gate.settle();
    equal(gate.peek(), "hunter2{");
    gate.put("app", { data: { a: "worse{" }, labels });
    await gate.settle();
    equal(gate.peek(), "hunter2{", "what was let through stays");
    gate.put("app", { data: { a: "worse{" }, labels: {} });
    await gate.settle();
    equal(gate.peek(), "worse{");
  });

  it("is heeded at once when it is fixed, and when it is deleted", async () => {
    await using gate = new GateHarness();
    gate.policies.put("web", json);
    gate.policies.put("strict", {
      labels,
      checks: [{ schema: { type: "integer" }, format: "JSON" }],
    });
    gate.objects.register(pod());
    gate.put("app", { labels, data: { a: "1" } });
    await gate.settle();
    gate.put("app", good("text"));
    await gate.settle();
    equal(gate.peek(), "1");
    match(
      gate.objects.stage(app)?.held?.message ?? "",
      /DeliveryPolicy strict, check check, key a: at \/: type/,
    );
    gate.policies.put("strict", {
      labels,
      checks: [{ schema: { type: "string" }, format: "JSON" }],
    });
    await gate.settle();
    equal(gate.peek(), '"text"');
    gate.put("app", bad);
    await gate.settle();
    equal(gate.peek(), '"text"');
    gate.policies.remove("strict");
    gate.policies.remove("web");
    equal(gate.peek(), "hunter2{", "in the same turn");
  });

  it("keeps what pods have when it comes later and would refuse it", async () => {
    await using gate = new GateHarness();
    gate.objects.register(pod());
    gate.put("app", bad);
    await gate.settle();
    gate.policies.put("web", json);
    await gate.settle();
    equal(gate.peek(), "hunter2{");
    equal(gate.objects.stage(app)?.held, undefined);
    await gate.restart();
    gate.objects.register(pod());
    equal(await gate.read(), "hunter2{");
  });

  it("G8 G9 is for Secrets too, whose last good content is found again by a version that gives nothing away", async () => {
    await using gate = new GateHarness();
    const secret = (text: string) => ({
      kind: "Secret" as const,
      labels,
      data: { a: Buffer.from(text).toString("base64") },
    });
    const of = named("app", "Secret");
    const known = (): string => {
      const object = gate.objects.peek(of);
      return object instanceof ConfigObject ? (object.text("a") ?? "") : String(object);
    };
    gate.policies.put("web", json);
    gate.put("app", secret('"one"'));
    gate.put("app", secret('"two"'));
    gate.objects.register(testPod({ uid: "p1", secrets: ["app"] }));
    await gate.settle();
    equal(known(), '"two"');
    gate.put("app", secret("hunter2{"));
    await gate.restart();
    gate.objects.register(testPod({ uid: "p1", secrets: ["app"] }));
    await gate.settle();
    equal(known(), '"two"');
    ok(!readFileSync(gate.notesFile, "utf8").includes("two"));
    ok(!JSON.stringify([gate.events, gate.parts.logger.records]).includes("hunter2"));
  });

  it("checks a content once, however often its metadata changes", async () => {
    await using gate = new GateHarness();
    gate.policies.put("web", json);
    gate.objects.register(pod());
    gate.put("app", good("one"));
    await gate.settle();
    gate.put("app", { ...good("one"), labels: { ...labels, other: "label" } });
    await gate.settle();
    equal(gate.checker.checked, 1);
    equal(gate.objects.stage(app)?.admitted?.resourceVersion, "102");
  });

  it("lets contents through while newer ones come faster than they can be checked", async () => {
    await using gate = new GateHarness();
    gate.policies.put("web", json);
    gate.objects.register(pod());
    gate.put("app", good("0"));
    await gate.settle();
    const admitted: string[] = [];
    gate.objects.onChange(() => admitted.push(gate.peek()));
    let n = 0;
    gate.checker.instead = () => {
      // Before each answer there is another one.
      if (n < 5) gate.put("app", good(String(++n)));
      return undefined;
    };
    gate.put("app", good("first"));
    await gate.settle();
    await gate.settle();
    equal(admitted[0], '"first"');
    equal(admitted.at(-1), '"5"');
  });

  it("tells each pod once of each content, counts and logs it, and shows no value", async () => {
    await using gate = new GateHarness();
    gate.policies.put("web", json);
    gate.objects.register(pod());
    gate.put("app", good("one"));
    await gate.settle();
    gate.put("app", bad);
    await gate.settle();
    gate.put("app", { ...bad, labels: { ...labels, other: "label" } });
    await gate.settle();
    gate.objects.register(pod("p2"));
    await gate.read("app", "p2");
    await gate.read("app", "p2");
    deepEqual(
      gate.events.map(({ object, type, reason }) => `${object.name} ${type} ${reason}`),
      ["p1 Warning GateRejected", "p2 Warning GateRejected"],
    );
    match(
      gate.events[0]?.message ?? "",
      /^configmap\/app [0-9a-f]{10}: refused by DeliveryPolicy web/,
    );
    const text = await gate.metrics.text();
    match(text, /driftless_gate_rejections_total\{reason="Format"\} 1/);
    match(text, /driftless_gate_held_objects\{reason="GateRejected"\} 1/);
    const said = JSON.stringify([gate.events, gate.parts.logger.records]);
    ok(!said.includes("hunter2"), said);
    gate.put("app", good("two"));
    await gate.settle();
    match(await gate.metrics.text(), /driftless_gate_held_objects\{reason="GateRejected"\} 0/);
  });

  it("makes a pod wait while nothing good has ever been there, and lets it go on when it is fixed", async () => {
    await using gate = new GateHarness();
    gate.policies.put("web", json);
    gate.objects.register(pod());
    gate.put("app", bad);
    match(
      await gate.read(),
      /^GateError: content of configmap default\/app is held back and there is no earlier one to start with: refused by DeliveryPolicy web, check json, key a/,
    );
    equal(gate.peek(), "unknown");
    const told: string[] = [];
    gate.objects.onChange(() => told.push(gate.peek()));
    gate.put("app", good("one"));
    await gate.settle();
    deepEqual(told, ['"one"']);
    equal(await gate.read(), '"one"');
  });

  it("G8 starts with the newest content of the history that passes", async () => {
    await using gate = new GateHarness();
    for (const value of ["one", "two"]) gate.put("app", good(value));
    gate.put("app", bad);
    gate.policies.put("web", json);
    gate.objects.register(pod());
    equal(await gate.read(), '"two"');
    equal(gate.objects.stage(app)?.held?.reason, "GateRejected");
    equal(gate.objects.stage(app)?.wanted?.resourceVersion, "103");
  });

  it("searches the history again when it could not be read", async () => {
    await using gate = new GateHarness();
    gate.put("app", good("one"));
    gate.put("app", bad);
    gate.policies.put("web", json);
    gate.history.failure = new Error("the server is away");
    gate.objects.register(pod());
    match(await gate.read(), /its history cannot be read: the server is away/);
    gate.history.failure = undefined;
    equal(await gate.read(), '"one"');
  });

  it("takes nothing from an earlier object of the same name", async () => {
    await using gate = new GateHarness();
    gate.put("app", good("one"));
    gate.parts.server.remove("app");
    gate.put("app", bad);
    gate.policies.put("web", json);
    gate.objects.register(pod());
    match(await gate.read(), /^GateError/);
  });

  it("lets a deletion through, for there is nothing to check", async () => {
    await using gate = new GateHarness();
    gate.policies.put("web", json);
    gate.objects.register(pod());
    gate.put("app", good("one"));
    await gate.settle();
    gate.parts.server.remove("app");
    await gate.settle();
    equal(gate.peek(), "none");
    equal(await gate.read(), "none");
  });

  it("works without its notes, if they cannot be read", async () => {
    await using gate = new GateHarness();
    writeFileSync(gate.notesFile, "{ half");
    gate.policies.put("web", json);
    gate.objects.register(pod());
    gate.put("app", good("one"));
    equal(await gate.read(), '"one"');
    const { admitted } = JSON.parse(readFileSync(gate.notesFile, "utf8")) as {
      readonly admitted: Readonly<Record<string, string>>;
    };
    deepEqual(Object.keys(admitted), [referenceKey(app)]);
  });

  it("refuses what its thread dies of, and tries again, ever more seldom", async () => {
    await using gate = new GateHarness();
    const crash: Refusal = {
      policy: "web",
      check: "json",
      key: "a",
      kind: "Crashed",
      detail: "it died",
    };
    gate.policies.put("web", json);
    gate.objects.register(pod());
    gate.put("app", good("one"));
    await gate.settle();
    gate.checker.instead = () => Promise.resolve(crash);
    gate.put("app", good("two"));
    await gate.settle();
    equal(gate.peek(), '"one"');
    match(gate.objects.stage(app)?.held?.message ?? "", /check json, key a: it died/);
    const checked: number[] = [];
    for (let minute = 0; minute < 8; minute++) {
      await gate.parts.clock.step(60_000);
      await gate.objects.recheck(gate.signal);
      await gate.settle();
      checked.push(gate.checker.checked);
    }
    deepEqual(checked, [3, 3, 4, 4, 4, 4, 5, 5]);
    gate.checker.instead = () => undefined;
    await gate.parts.clock.step(3_600_000);
    await gate.objects.recheck(gate.signal);
    await gate.settle();
    equal(gate.peek(), '"two"');
  });
});

describe("GatedObjects while deliveries are paused", () => {
  it("G8 goes on with what was there when the agent ended", async () => {
    await using gate = new GateHarness();
    gate.objects.register(pod());
    gate.put("app", good("one"));
    await gate.settle();
    gate.policies.put("web", { labels, pausedAtMs: gate.parts.clock.now() });
    await gate.parts.clock.step(1000);
    gate.put("app", good("two"));
    await gate.settle();
    await gate.restart();
    gate.objects.register(pod());
    equal(await gate.read(), '"one"');
    gate.policies.put("web", { labels });
    await gate.settle();
    equal(gate.peek(), '"two"');
  });

  it("tells each pod once of a pause, however much it holds", async () => {
    await using gate = new GateHarness();
    gate.objects.register(pod());
    gate.put("app", good("one"));
    await gate.settle();
    gate.policies.put("web", { labels, pausedAtMs: gate.parts.clock.now() });
    for (const value of ["two", "three", "four"]) {
      gate.put("app", good(value));
      await gate.settle();
    }
    deepEqual(
      gate.events.map(({ type, reason }) => `${type} ${reason}`),
      ["Normal RolloutHeld"],
    );
    match(await gate.metrics.text(), /driftless_gate_held_objects\{reason="RolloutHeld"\} 1/);
  });

  it("G8 gives a node that never had it what was there before the pause", async () => {
    await using gate = new GateHarness();
    gate.put("app", good("one"));
    await gate.parts.clock.step(1000);
    gate.put("app", good("two"));
    gate.policies.put("web", { labels, pausedAtMs: gate.parts.clock.now() });
    await gate.parts.clock.step(1000);
    gate.put("app", good("three"));
    gate.objects.register(pod());
    equal(await gate.read(), '"two"');
  });

  it("G8 holds what comes right after, though the pause is heard of later", async () => {
    await using gate = new GateHarness();
    gate.policies.put("web", { labels });
    gate.objects.register(pod());
    gate.put("app", good("one"));
    await gate.settle();
    equal(gate.peek(), '"one"');
    gate.policies.unheard = () => {
      gate.policies.unheard = () => undefined;
      gate.policies.put("web", { labels, pausedAtMs: gate.parts.clock.now() });
    };
    gate.put("app", good("two"));
    await gate.settle();
    equal(gate.peek(), '"one"');
    equal(gate.objects.stage(app)?.held?.reason, "RolloutHeld");
  });

  it("does not call that held which was there before the pause", async () => {
    await using gate = new GateHarness();
    gate.put("app", good("one"));
    gate.policies.put("web", { labels, pausedAtMs: gate.parts.clock.now() });
    gate.objects.register(pod());
    equal(await gate.read(), '"one"');
    equal(gate.objects.stage(app)?.held, undefined);
  });

  it("gives nothing that a check refuses, though it was there before the pause", async () => {
    await using gate = new GateHarness();
    gate.put("app", good("one"));
    await gate.parts.clock.step(1000);
    gate.put("app", bad);
    gate.policies.put("web", { ...json, pausedAtMs: gate.parts.clock.now() });
    await gate.parts.clock.step(1000);
    gate.put("app", good("three"));
    gate.objects.register(pod());
    equal(await gate.read(), '"one"');
  });

  it("keeps what was deleted meanwhile, and makes who needs what is new wait", async () => {
    await using gate = new GateHarness();
    gate.objects.register(testPod({ uid: "p1", configMaps: ["app", "new"] }));
    gate.put("app", good("one"));
    await gate.settle();
    gate.policies.put("web", { labels, pausedAtMs: gate.parts.clock.now() });
    await gate.parts.clock.step(1000);
    gate.parts.server.remove("app");
    gate.put("new", good("new"));
    await gate.settle();
    equal(gate.peek(), '"one"');
    equal(await gate.read(), '"one"');
    equal(gate.peek("new"), "none");
    match(await gate.read("new"), /DeliveryPolicy web is paused/);
    gate.policies.remove("web");
    equal(gate.peek(), "none");
    equal(gate.peek("new"), '"new"');
  });
});
