import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createLogger } from "../../base/logger.ts";
import type { LogOptions } from "./drop-in-model.ts";
import { logLines } from "./log-lines.ts";

function logged(of: Pick<LogOptions, "format" | "timeZone">): string {
  const made = logLines({ level: "info", ...of });
  let text = "";
  const destination = {
    write(line: string): void {
      text += made(line);
    },
  };
  const fields = { path: "/a b", count: 2, empty: "", names: ["x"], quote: 'a"b', line: "a\nb" };
  createLogger({ level: "info", destination }).info("files published", fields);
  return text;
}

describe("logLines", () => {
  it("leaves JSON with times of UTC as it is", () => {
    const line = '{"level":"info","time":"2026-01-01T00:00:00.000Z"}\n';
    assert.equal(logLines({ level: "info", format: "json", timeZone: "utc" })(line), line);
  });

  it("makes logfmt of it, one line each, with quotes where they are needed", () => {
    const text = logged({ format: "logfmt", timeZone: "utc" });
    assert.match(text, /^level=info time=\d{4}-\d\d-\d\dT[\d:.]+Z /);
    const rest = String.raw`path="/a b" count=2 empty="" names="[\"x\"]" quote="a\"b" line="a\nb" message="files published"`;
    assert.ok(text.endsWith(` ${rest}\n`), text);
  });

  for (const format of ["json", "logfmt"] as const) {
    it(`writes the same instant in local time, with the difference to UTC, in ${format}`, () => {
      const time = "2026-07-01T12:34:56.789Z";
      const line = logLines({ level: "info", format, timeZone: "local" })(`{"time":"${time}"}\n`);
      const [, local = ""] = /(\d{4}-\d\d-\d\dT[\d:.]+[+-]\d\d:\d\d)/.exec(line) ?? [];
      assert.equal(Date.parse(local), Date.parse(time), line);
    });
  }

  it("leaves what is not from a logger as it is", () => {
    const made = logLines({ level: "info", format: "logfmt", timeZone: "local" });
    assert.equal(made("Warning: 7\n"), "Warning: 7\n");
    assert.equal(made("7\n"), "7\n");
  });
});
