// A write that changes nothing, between two SIGUSR2 that tell the tracer.
//
//   node no-op-child.ts DIRECTORY KEYS remembered|restarted

import { systemClock } from "../../src/base/clock.ts";
import { payloadOf, testWriter } from "../../src/files/testing/test-writer.ts";

const [, , directory = "", keys, memory] = process.argv;
const payload = payloadOf(
  Object.fromEntries(Array.from({ length: Number(keys) }, (_, i) => [`key-${i}`, `value ${i}`])),
);
// A minute ahead, so that what was just written counts as long settled.
const clock = { ...systemClock, now: () => systemClock.now() + 60_000 };
const writer = testWriter(directory, { clock });
if (memory === "remembered") writer.write(payload);
payload.identity.at(0);

process.kill(process.pid, "SIGUSR2");
const { outcome } = writer.write(payload);
process.kill(process.pid, "SIGUSR2");
if (outcome !== "unchanged") throw new Error(outcome);
