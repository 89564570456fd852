import { equal, match, ok } from "node:assert/strict";
import { describe, it } from "node:test";
import { tellingLines } from "./telling-lines.ts";

describe("tellingLines", () => {
  it("names what nginx found, and where, without time and process", () => {
    const output = `2026/11/17 01:53:59 [emerg] 5297#5297: unknown directive "retrun" in {dir}/site.conf:3
nginx: configuration file {dir}/nginx.conf test failed`;
    equal(
      tellingLines(output),
      '[emerg] unknown directive "retrun" in {dir}/site.conf:3; nginx: configuration file {dir}/nginx.conf test failed',
    );
  });

  it("names what PostgreSQL found, and not only that there are errors", () => {
    const output = `2026-11-17 01:56:07.198 GMT [7416] LOG:  invalid value for parameter "work_mem": "lots"
2026-11-17 01:56:07.198 GMT [7416] FATAL:  configuration file "{dir}/settings.conf" contains errors`;
    equal(
      tellingLines(output),
      'LOG:  invalid value for parameter "work_mem": "lots"; FATAL:  configuration file "{dir}/settings.conf" contains errors',
    );
  });

  it("keeps both ends of a line of HAProxy's, which lists all that would be right", () => {
    const all = Array.from({ length: 60 }, (_, index) => `'keyword-${index}'`).join(", ");
    const output = `[NOTICE]   (7198) : haproxy version is 2.6.12
[ALERT]    (7198) : config : parsing [{dir}/site.cfg:3]: 'http-request' expects ${all}, but got 'retrun'. Did you mean 'return' maybe ?
[ALERT]    (7198) : config : Error(s) found in configuration file : {dir}/site.cfg`;
    const told = tellingLines(output);
    match(told, /^\[ALERT\] {4}config : parsing \[\{dir\}\/site\.cfg:3\]: .* … .*but got 'retrun'/);
    match(
      told,
      /; \[ALERT\] {4}config : Error\(s\) found in configuration file : \{dir\}\/site\.cfg$/,
    );
    ok(told.length < 500);
  });

  it("leaves out a line that only announces the next one, as promtool's", () => {
    const output = "Checking {dir}/rules.yml\n\n  FAILED:\n     {dir}/rules.yml: 4:33: unclosed";
    equal(tellingLines(output), "Checking {dir}/rules.yml; {dir}/rules.yml: 4:33: unclosed");
  });

  it("says nothing of nothing", () => {
    equal(tellingLines(" \n\n"), "");
  });
});
