import { deepEqual, equal } from "node:assert/strict";
import { readFileSync, statSync } from "node:fs";
import { describe, it } from "node:test";
import { createLogger } from "../base/logger.ts";
import { tempDir } from "../base/testing/temp-dir.ts";
import { UpLog } from "./up-log.ts";

describe("UpLog", () => {
  it("keeps every line, and tells people what they should look at", () => {
    using dir = tempDir();
    const file = dir.join("up.log");
    const told: string[] = [];
    {
      using log = new UpLog({
        file,
        quiet: ["known"],
        people: { write: (text) => told.push(text) },
      });
      log.open();
      const logger = createLogger({ level: "info", destination: log });
      logger.info("begun");
      logger.warn("known");
      logger.warn("slow", { ms: 7, path: "/a b" });
      logger.error("broken", { err: new Error("no disk") });
    }
    deepEqual(told, ['warn  slow  ms=7 path="/a b"\n', "error  broken: no disk\n"]);
    equal(readFileSync(file, "utf8").trim().split("\n").length, 4);
    equal(statSync(file).mode & 0o777, 0o600);
  });

  it("moves a file aside that has become large", () => {
    using dir = tempDir();
    const file = dir.join("up.log");
    using log = new UpLog({ file, quiet: [], people: { write: () => undefined } });
    log.open();
    const line = `${JSON.stringify({ level: "info", message: "x".repeat(1024 * 1024) })}\n`;
    for (let i = 0; i < 12; i++) log.write(line);
    equal(statSync(`${file}.1`).size + statSync(file).size, 12 * line.length);
    equal(statSync(`${file}.1`).size <= 11 * line.length, true);
  });

  it("goes on when the file cannot be written", () => {
    const told: string[] = [];
    using log = new UpLog({
      file: "/dev/full",
      quiet: [],
      people: { write: (text) => told.push(text) },
    });
    log.open();
    log.write(`${JSON.stringify({ level: "error", message: "full" })}\n`);
    deepEqual(told, ["error  full\n"]);
  });
});
