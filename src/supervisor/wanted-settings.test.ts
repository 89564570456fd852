import assert from "node:assert/strict";
import { test } from "node:test";
import { CaptureLogger } from "../base/testing/capture-logger.ts";
import { FakeClock } from "../base/testing/fake-clock.ts";
import { FakeSource } from "./testing/world.ts";
import { WantedSettings } from "./wanted-settings.ts";

function wantedOf(...environment: readonly FakeSource[]): {
  readonly wanted: WantedSettings;
  readonly logger: CaptureLogger;
} {
  const logger = new CaptureLogger();
  const wanted = new WantedSettings({
    ...{ environment, directories: [], minWaitMs: 100, maxWaitMs: 1000 },
    ...{ onChange: () => undefined, clock: new FakeClock(), logger },
  });
  return { wanted, logger };
}

function variablesIn({ current }: WantedSettings): object | undefined {
  return current && Object.fromEntries(current.variables);
}

test("WantedSettings lets the variables of later sources win", () => {
  const [first, second] = [new FakeSource("/first"), new FakeSource("/second")];
  const { wanted } = wantedOf(first, second);
  second.set({ B: "2", C: "2" });
  assert.equal(variablesIn(wanted), undefined, "one of them is not known yet");
  first.set({ A: "1", B: "1" });
  assert.deepEqual(variablesIn(wanted), { A: "1", B: "2", C: "2" });
});

test("WantedSettings says once which keys cannot be variables", () => {
  const source = new FakeSource("/etc/env");
  const { wanted, logger } = wantedOf(source);
  source.set({ A: "1", "B=C": "2" });
  wanted.look();
  assert.deepEqual(variablesIn(wanted), { A: "1" });
  assert.deepEqual(
    logger.records.map(({ message }) => message),
    ["keys cannot be variables, left out"],
  );
});
