// The process that suffers: one write of a scenario, between two SIGUSR2 that tell the tracer. Prints
// how the write ended, as JSON on standard error.
//
//   node crash-child.ts DIRECTORY SCENARIO

import { systemRandom } from "../../src/base/random.ts";
import { testWriter } from "../../src/files/testing/test-writer.ts";
import { WriteError } from "../../src/files/write-error.ts";
import { scenarioNamed } from "./scenarios.ts";

const [, , directory = "", name = ""] = process.argv;
const scenario = scenarioNamed(name);
const writer = testWriter(directory, scenario.options);
const options = scenario.deep ? ({ verify: "deep" } as const) : {};

// What Node reads when randomness, hashes and dates are first used is not part of a write.
systemRandom.uint32();
scenario.write.identity.at(0);
new Date().toString();

process.kill(process.pid, "SIGUSR2");
const ending = attempt();
process.kill(process.pid, "SIGUSR2");
process.stderr.write(JSON.stringify(ending));

function attempt(): object {
  try {
    return writer.write(scenario.write, options);
  } catch (err) {
    if (!(err instanceof WriteError)) throw err;
    return { outcome: "failed", path: err.path, code: err.code, message: err.message };
  }
}
