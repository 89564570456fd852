import assert from "node:assert/strict";
import { test } from "node:test";
import { MisuseError } from "./misuse-error.ts";
import { type RunFlags, runSpecOf } from "./run-flags.ts";

const plain: RunFlags = {
  watch: [],
  envFrom: [],
  onChange: "restart",
  gateTimeout: "30s",
  readyTimeout: "60s",
  stopSignal: "TERM",
  minWait: "100ms",
  maxWait: "5s",
  logLevel: "info",
};

test("runSpecOf knows objects from directories, and what may be missing", () => {
  const envFrom = ["configmap/app", "secrets/db?", "./configmap/app", "/etc/env?"];
  const spec = runSpecOf({ ...plain, envFrom }, ["app"]);
  assert.deepEqual(spec.envFrom.slice(0, 2), [
    { type: "object", kind: "ConfigMap", name: "app", isOptional: false },
    { type: "object", kind: "Secret", name: "db", isOptional: true },
  ]);
  assert.deepEqual(spec.envFrom.map(({ type, isOptional }) => `${type} ${isOptional}`).slice(2), [
    "directory false",
    "directory true",
  ]);
});

test("runSpecOf limits an end from outside only if a grace is given", () => {
  assert.deepEqual(graces({}), [10_000, undefined]);
  assert.deepEqual(graces({ grace: "3s" }), [3000, 3000]);
});

function graces(more: Partial<RunFlags>): readonly (number | undefined)[] {
  const { graceMs, endGraceMs } = runSpecOf({ ...plain, ...more }, ["app"]);
  return [graceMs, endGraceMs];
}

test("runSpecOf makes copies when somebody reads them", () => {
  const watch = ["/etc/app"];
  assert.equal(runSpecOf({ ...plain, watch }, ["app"]).usesSnapshots, false);
  assert.equal(runSpecOf({ ...plain, watch }, ["app", "-c={snapshot}/x"]).usesSnapshots, true);
  const gate = "check '{snapshot}'";
  assert.equal(runSpecOf({ ...plain, watch, gate }, ["app"]).usesSnapshots, true);
});

const mistakes: Readonly<Record<string, readonly [Partial<RunFlags>, RegExp]>> = {
  "an object without a name": [{ envFrom: ["configmap/"] }, /must be a directory, configmap\/NAME/],
  "an object in a namespace": [{ envFrom: ["secret/shop/db?"] }, /--env-from secret\/shop\/db\?: /],
  "an unknown action": [{ onChange: "reload" }, /must be restart, signal:HUP or exec:COMMAND/],
  "an unknown signal": [{ onChange: "signal:FOO" }, /is not a signal/],
  "an unknown check": [{ ready: "udp:1" }, /must be http:/],
  "a port that there is not": [{ ready: "tcp:70000" }, /must be http:/],
  "a quote that does not end": [{ gate: "sh -c 'x" }, /--gate .* a quote does not end/],
  "a length of time without a unit": [{ grace: "10" }, /--grace 10: must be a number and a unit/],
  "an overlap without a check": [{ overlap: true }, /--overlap needs --ready/],
  "copies of nothing": [{ snapshotDir: "/tmp" }, /need --watch/],
  "two copies at one place": [{ watch: ["/a/x", "/b/x"], snapshotDir: "/tmp" }, /are the same/],
  "waits that contradict each other": [{ minWait: "10s" }, /--max-wait must not be shorter/],
};

for (const [name, [flags, message]] of Object.entries(mistakes)) {
  test(`runSpecOf refuses ${name}`, () => {
    assert.throws(
      () => runSpecOf({ ...plain, ...flags }, ["app"]),
      (err) => err instanceof MisuseError && message.test(err.message),
    );
  });
}
