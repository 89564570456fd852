import { equal, notEqual, ok } from "node:assert/strict";
import { describe, it } from "node:test";
import { createMetrics } from "../base/metrics.ts";
import { CaptureLogger } from "../base/testing/capture-logger.ts";
import { seededRandom } from "../base/testing/seeded-random.ts";
import { Announcer } from "./announcer.ts";
import { DirectoryWords } from "./directory-words.ts";
import { runMetrics } from "./run-metrics.ts";
import { settingsOf } from "./settings.ts";

const settingsWith = (pin: string) =>
  settingsOf({
    ...{ environment: new Map(), directories: new Map() },
    variables: new Map([["PIN", pin]]),
  });

function announcedBy(seed: number): (pin: string) => string {
  const logger = new CaptureLogger();
  const announcer = new Announcer({
    ...{ metrics: runMetrics(createMetrics()), words: new DirectoryWords(new Map()), logger },
    random: seededRandom(seed),
  });
  return (pin) => {
    announcer.ready(settingsWith(pin));
    return String(logger.records.at(-1)?.fields["version"]);
  };
}

describe("Announcer", () => {
  it("tells versions apart, and nothing by which a short secret could be guessed", () => {
    const [one, other] = [announcedBy(1), announcedBy(2)];
    equal(one("1234"), one("1234"));
    notEqual(one("1234"), one("1235"));
    notEqual(one("1234"), other("1234"), "it can be computed from the secret alone");
    const { version } = settingsWith("1234");
    ok(!version.startsWith(one("1234")));
  });
});
