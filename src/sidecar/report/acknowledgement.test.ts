import { equal, match } from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, symlinkSync } from "node:fs";
import { describe, it } from "node:test";
import { systemClock } from "../../base/clock.ts";
import { CaptureLogger } from "../../base/testing/capture-logger.ts";
import { tempDir } from "../../base/testing/temp-dir.ts";
import { Acknowledgement } from "./acknowledgement.ts";

describe("Acknowledgement", () => {
  it("neither follows a link nor waits for a pipe that somebody left where it writes", () => {
    using dir = tempDir();
    dir.write({ precious: "as it was", "ack/of-others": "" });
    const ack = new Acknowledgement({
      ...{ directory: dir.join("ack"), path: "/etc/app", pid: 7, clock: systemClock },
      logger: new CaptureLogger(),
    });
    symlinkSync(dir.join("precious"), dir.join("ack/.driftless-ack.7.tmp"));
    ack.apply("1");
    equal(readFileSync(dir.join("precious"), "utf8"), "as it was");
    execFileSync("mkfifo", [dir.join("ack/.driftless-ack.7.tmp")]);
    ack.apply("2");
    const [name = ""] = readdirSync(dir.join("ack")).filter((one) => one.endsWith(".7.json"));
    match(readFileSync(dir.join("ack", name), "utf8"), /"applied":\{"version":"2"/);
  });
});
