import { deepEqual, equal } from "node:assert/strict";
import { describe, it } from "node:test";
import { referenceKey } from "./config-object.ts";
import { Registrations } from "./registrations.ts";
import { named, type TestPodOptions, testPod } from "./testing/test-pods.ts";

const secrets = (uid: string, ...envSecrets: readonly string[]): TestPodOptions => ({
  uid,
  envSecrets,
});

describe("Registrations", () => {
  it("I15 counts a pod once, however often it is registered and unregistered", () => {
    const registrations = new Registrations();
    const count = (): number => registrations.references(named("s1", "Secret"));
    registrations.register(testPod(secrets("u1", "s1")));
    equal(count(), 1);
    registrations.register(testPod(secrets("u1", "s1")));
    equal(count(), 1);
    registrations.register(testPod(secrets("u2", "s1")));
    equal(count(), 2);
    registrations.unregister("u1");
    equal(count(), 1);
    registrations.unregister("u1");
    equal(count(), 1);
    registrations.unregister("u2");
    equal(count(), 0);
  });

  it("I16 keeps count over pods that come, change and go", () => {
    const registrations = new Registrations();
    const register = (...args: Parameters<typeof secrets>): void => {
      registrations.register(testPod(secrets(...args)));
    };
    const first = ["s1", "s10", "s2", "s3"];
    const second = ["s2", "s4", "s5", "s50"];
    const third = ["s1", "s3", "s30", "s5"];
    register("u1", ...first);
    register("u2", ...first);
    register("u2", ...second);
    register("u3", ...second);
    register("u4", ...second);
    registrations.unregister("u3");
    register("u5", ...third);
    register("u6", ...third);
    register("u7", "s3", "s6", "s60");
    registrations.unregister("u7");
    register("other", ...first);
    register("other", ...second);
    registrations.unregister("other");
    register("same", "s7", "s70");
    register("same", "s7", "s70");
    const counts = Object.fromEntries(
      ["s1", "s10", "s2", "s3", "s30", "s4", "s5", "s50", "s6", "s60", "s7", "s70"].map((name) => [
        name,
        registrations.references(named(name, "Secret")),
      ]),
    );
    deepEqual(counts, {
      s1: 3,
      s10: 1,
      s2: 3,
      s3: 3,
      s30: 2,
      s4: 2,
      s5: 4,
      s50: 2,
      s6: 0,
      s60: 0,
      s7: 1,
      s70: 1,
    });
    equal(registrations.count("Secret"), 10);
    equal(registrations.count("ConfigMap"), 0);
  });

  it("I17 tells two pods of one name apart by their uids", () => {
    const registrations = new Registrations();
    const counts = (): readonly number[] =>
      ["one", "two"].map((name) => registrations.references(named(name, "Secret")));
    registrations.register(testPod({ ...secrets("u1", "one"), name: "pod" }));
    registrations.register(testPod({ ...secrets("u2", "two"), name: "pod" }));
    deepEqual(counts(), [1, 1]);
    registrations.unregister("u1");
    deepEqual(counts(), [0, 1]);
    registrations.unregister("u2");
    deepEqual(counts(), [0, 0]);
  });

  it("I18 holds what volumes and environments use, drops what a change leaves out, by namespace", () => {
    const registrations = new Registrations();
    const uses = { envConfigMaps: ["a", "b"], configMaps: ["c"] };
    registrations.register(testPod({ uid: "u1", ...uses }));
    registrations.register(testPod({ uid: "u2", namespace: "other", ...uses }));
    const { added, forgotten } = registrations.register(
      testPod({ uid: "u1", envConfigMaps: ["b"], configMaps: ["d"] }),
    );
    deepEqual(added.map(referenceKey), ["ConfigMap/default/d"]);
    deepEqual(forgotten.map(referenceKey).toSorted(), [
      "ConfigMap/default/a",
      "ConfigMap/default/c",
    ]);
    equal(registrations.references(named("a", "ConfigMap", "other")), 1);
  });

  it("says who refers to it, and whether it is in a volume of any of them", () => {
    const registrations = new Registrations();
    registrations.register(testPod({ uid: "u1", envConfigMaps: ["a"] }));
    equal(registrations.isInVolume(named("a")), false);
    registrations.register(testPod({ uid: "u2", configMaps: ["a"] }));
    deepEqual(registrations.podUids(named("a")), ["u1", "u2"]);
    equal(registrations.isInVolume(named("a")), true);
    registrations.register(testPod({ uid: "u2", envConfigMaps: ["a"] }));
    equal(registrations.isInVolume(named("a")), false);
    registrations.register(testPod({ uid: "u2", configMaps: ["a"] }));
    registrations.unregister("u2");
    equal(registrations.isInVolume(named("a")), false);
    deepEqual(registrations.podUids(named("a")), ["u1"]);
    deepEqual([...registrations.objectsOf("u1")].map(referenceKey), ["ConfigMap/default/a"]);
    deepEqual([...registrations.objectsOf("u2")], []);
  });
});
