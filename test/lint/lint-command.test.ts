// `driftless lint` as people and CI call it: exit codes, formats, standard input.

import assert from "node:assert/strict";
import { type SpawnSyncReturns, spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { rules } from "../../src/audit/rules.ts";
import { tempDir } from "../../src/base/testing/temp-dir.ts";

const program = new URL("../../src/cmd/driftless.ts", import.meta.url).pathname;
const DATA = new URL("./testdata", import.meta.url).pathname;

function run(args: readonly string[], input = ""): SpawnSyncReturns<string> {
  return spawnSync(process.execPath, [program, "lint", ...args], { input, encoding: "utf8" });
}

interface SarifResult {
  readonly ruleId: string;
  readonly ruleIndex: number;
  readonly level: string;
  readonly message: { readonly text: string };
  readonly locations: readonly {
    readonly physicalLocation: {
      readonly artifactLocation: { readonly uri: string };
      readonly region: { readonly startLine: number; readonly startColumn: number };
    };
  }[];
}

describe("driftless lint", () => {
  it("ends with 0 when nothing was found", () => {
    const { status, stdout } = run([`${DATA}/clean`]);
    assert.equal(status, 0);
    assert.match(stdout, /^Nothing found in \d+ files\.\n$/);
  });

  it("ends with 1 when something was, and says where, what and how to mend it", () => {
    const { status, stdout } = run([`${DATA}/faulty/subpath-nginx.yaml`]);
    assert.equal(status, 1);
    assert.match(
      stdout,
      /subpath-nginx\.yaml:30:15: warning: .*\[DL101 subpath-frozen\] Mount the whole/,
    );
  });

  it("does not fail for notes, unless it is asked to", () => {
    const file = `${DATA}/faulty/unused-volume.yaml`;
    assert.equal(run([file]).status, 0);
    assert.equal(run([file, "--fail-on", "note"]).status, 1);
  });

  it("reads the standard input, and takes what is not there for missing with --strict", () => {
    const pod = `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"},"spec":{"restartPolicy":"Never","containers":[{"name":"b","envFrom":[{"configMapRef":{"name":"c"}}]}]}}`;
    assert.equal(run(["-"], pod).status, 0);
    const { status, stdout } = run(["-", "--strict"], pod);
    assert.equal(status, 1);
    assert.match(stdout, /^-:1:\d+: error: configmap\/c is not in the input/);
  });

  it("ends with 2 for a file that is no YAML, with its line, and still tells of the others", () => {
    using directory = tempDir();
    const broken = join(directory.path, "broken.yaml");
    writeFileSync(broken, "apiVersion: v1\nkind: Secret\nstringData:\n  a: [hunter2\n");
    const { status, stderr, stdout } = run([broken, `${DATA}/faulty/bad-keys.yaml`]);
    assert.equal(status, 2);
    assert.match(stderr, /^error: \S+broken\.yaml:5:1: /);
    assert.match(stdout, /DL305/);
    assert.doesNotMatch(stderr + stdout, /hunter2/);
  });

  it("says of a template that it has to be rendered", () => {
    const { status, stderr } = run(
      ["-"],
      "metadata:\n  name: {{ .Release.Name }}-x\nkind: ConfigMap\n",
    );
    assert.equal(status, 2);
    assert.match(stderr, /helm template/);
  });

  it("ends with 2 without files, with unknown rules, and when it should fix the standard input", () => {
    assert.equal(run([]).status, 2);
    assert.equal(run(["-", "--rule", "DL999"]).status, 2);
    assert.equal(run(["-", "--fix"]).status, 2);
    assert.equal(run(["/no/such/file.yaml"]).status, 2);
  });

  it("counts only the rules that are wanted", () => {
    const file = `${DATA}/faulty/args-from-variable.yaml`;
    assert.doesNotMatch(run([file, "--rule", "args-frozen"]).stdout, /DL102/);
    assert.doesNotMatch(run([file, "--ignore", "DL103"]).stdout, /DL103/);
    assert.equal(run([file, "--ignore", "DL103,DL102"]).status, 0);
  });

  it("lists every rule", () => {
    const { status, stdout } = run(["--rules"]);
    assert.equal(status, 0);
    assert.deepEqual(
      stdout
        .split("\n")
        .filter(Boolean)
        .map((line) => line.slice(0, 5)),
      rules.map(({ id }) => id),
    );
  });

  it("writes JSON for scripts", () => {
    const { stdout } = run([`${DATA}/faulty/secret-data.yaml`, "-o", "json"]);
    const { findings, summary } = JSON.parse(stdout) as {
      readonly findings: readonly Readonly<Record<string, unknown>>[];
      readonly summary: object;
    };
    assert.deepEqual(summary, { errors: 1, warnings: 2, notes: 0, looked: 1 });
    const { id, line, object } = findings[0] ?? {};
    const place = { kind: "Secret", namespace: "", name: "login", field: "data.password" };
    assert.deepEqual({ id, line, object }, { id: "DL301", line: 8, object: place });
    assert.doesNotMatch(stdout, /plain text here/);
  });

  it("writes SARIF with all that its schema requires, and rules that results refer to", () => {
    const { stdout } = run([`${DATA}/faulty`, "-o", "sarif"]);
    const log = JSON.parse(stdout) as {
      readonly version: string;
      readonly runs: readonly {
        readonly tool: {
          readonly driver: {
            readonly name: string;
            readonly rules: readonly { readonly id: string }[];
          };
        };
        readonly results: readonly SarifResult[];
      }[];
    };
    assert.equal(log.version, "2.1.0");
    const [{ tool, results } = assert.fail("no run")] = log.runs;
    assert.equal(tool.driver.name, "driftless");
    assert.ok(results.length > 50);
    for (const { ruleId, ruleIndex, level, message, locations } of results) {
      assert.equal(tool.driver.rules[ruleIndex]?.id, ruleId);
      assert.match(level, /^(?:error|warning|note)$/);
      assert.notEqual(message.text, "");
      const { artifactLocation, region } = locations[0]?.physicalLocation ?? assert.fail(ruleId);
      assert.ok(URL.canParse(artifactLocation.uri, "file:///"));
      assert.ok(region.startLine >= 1 && region.startColumn >= 1);
    }
  });
});
