import { deepEqual, equal, throws } from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { parsedDuration } from "./compose-fields.ts";
import { ComposeFileError, readCompose } from "./compose-file.ts";

const BASE = "sources: {app: /etc/app}\noutput: /out\n";

function mistakesOf(text: string): readonly string[] {
  try {
    readCompose(text, "compose.yaml");
  } catch (err) {
    if (err instanceof ComposeFileError) return err.message.split("\n");
    throw err;
  }
  return [];
}

describe("readCompose", () => {
  it("fills in what a short file leaves out", () => {
    const compose = readCompose(BASE, "compose.yaml");
    deepEqual(compose.sources.get("app"), { type: "directory", path: "/etc/app", optional: false });
    deepEqual(
      compose.files.map(({ path, make }) => [path, make]),
      [["./", { type: "copy", from: "app/**", rename: undefined }]],
    );
    deepEqual(compose.output, { type: "volume", path: "/out" });
    deepEqual(compose.reload, {
      actions: [],
      minWaitMs: 100,
      maxWaitMs: 2000,
      isFirstAtOnce: true,
      onStart: true,
    });
  });

  it("reads the example of the documentation", () => {
    const docs = readFileSync(new URL("../../docs/sidecar.md", import.meta.url), "utf8");
    const examples = [...docs.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, text = ""]) => text);
    equal(examples.length > 0, true);
    for (const text of examples) deepEqual(mistakesOf(text), []);
  });

  it("takes the waits beside one action, too", () => {
    const text = `${BASE}reload: {touch: /told, minWait: 3s, onStart: false}`;
    deepEqual(readCompose(text, "c").reload, {
      actions: [{ type: "touch", path: "/told" }],
      ...{ minWaitMs: 3000, maxWaitMs: 3000, onStart: false, isFirstAtOnce: false },
    });
  });

  it("takes modes in octal digits, quoted or not", () => {
    for (const mode of ["0644", '"0644"', "0o644", '"644"', "644"]) {
      const { files } = readCompose(`${BASE}files: [{path: x, copy: app/x, mode: ${mode}}]`, "c");
      equal(files[0]?.mode, 0o644, mode);
    }
  });

  it("takes owners as a number, a pair and a map", () => {
    for (const owner of ["101", '"101:101"', "101:101", "{uid: 101}", "{uid: 101, gid: 101}"]) {
      const { files } = readCompose(
        `${BASE}files:\n- {path: x, copy: app/x, owner: ${owner}}`,
        "c",
      );
      deepEqual(files[0]?.owner, { uid: 101, gid: 101 }, owner);
    }
  });

  const table: readonly [name: string, text: string, wanted: readonly string[]][] = [
    [
      "an unknown field with the nearest",
      `${BASE}relaod: none`,
      ['3:1: relaod: there is no such field; do you mean "reload"?'],
    ],
    [
      "a source of no type",
      "sources: {a: {}}\noutput: none",
      [
        "1:14: sources.a: it needs exactly one of directory, file, environment, configMap, secret, objects, url, and has none",
      ],
    ],
    [
      "an output that is a source, however it is spelled",
      "sources: {a: /etc/app}\noutput: {files: /etc/x/..//app/}",
      ['2:9: output: it is what source "a" reads; write somewhere else'],
    ],
    [
      "an output that is everything",
      "sources: {a: /etc/app}\noutput: {files: /x/..}",
      ["2:17: output.files: it must be a directory below /"],
    ],
    [
      "a status that no answer has",
      `${BASE}reload: {http: http://h/, expectedStatus: [200, 999]}`,
      ["3:49: reload.expectedStatus[1]: 999 is no status of an answer; those are 200 to 599"],
    ],
    [
      "a relative path",
      "sources: {a: etc}\noutput: none",
      ['1:14: sources.a: "etc" must be an absolute path, such as /etc'],
    ],
    [
      "an alias that stands for nothing",
      "sources: {a: *b}\noutput: none",
      ["1:14: there is no anchor for *b"],
    ],
    [
      "names that no object can have",
      "sources: {a: {configMap: [Up]}, b: {secret: []}, c: {configMap: d, namespace: a.b}}\noutput: none",
      [
        '1:26: sources.a.configMap: "Up" is no name of an object: small letters, digits, "-" and "."',
        "1:45: sources.b.secret: it needs at least one name",
        '1:79: sources.c.namespace: "a.b" is no name of a namespace: small letters, digits and "-"',
      ],
    ],
    [
      "labels that select nothing",
      'sources: {a: {objects: {labels: "a in"}}, b: {objects: {labels: {"x y": z}}}}\noutput: none',
      [
        `1:33: sources.a.objects.labels: "a in" is no label selector: unable to parse requirement: found '' expected: '('`,
        `1:65: sources.b.objects.labels: "x y=z" is no label selector: unable to parse requirement: found 'y', expected: in, notin, =, ==, !=, gt, lt`,
      ],
    ],
    [
      "a path out of the output",
      `${BASE}files: [{path: ../x, copy: app/x}]`,
      ['3:16: files[0].path: "../x" cannot be in the output: ".." would leave the volume'],
    ],
    [
      "a reserved name",
      `${BASE}files: [{path: ..data, copy: app/x}]`,
      [
        '3:16: files[0].path: "..data" cannot be in the output: names starting with ".." are reserved',
      ],
    ],
    [
      "a source that there is not",
      `${BASE}files: [b/x]`,
      ['3:9: files[0]: "b/x": there is no source "b"; there are app'],
    ],
    [
      "a mode that may be decimal",
      `${BASE}files: [{copy: app/x, mode: 420}]`,
      ["3:29: files[0].mode: write 0420 if that is meant in octal digits, or 0644 if not"],
    ],
    [
      "a duration without a unit",
      `${BASE}gate: {timeout: 10}`,
      ['3:17: gate.timeout: "10" is no duration; write 10s, 1m30s or 500ms'],
    ],
    [
      "a password in an address",
      "sources: {a: https://u:p@h/x}\noutput: none",
      ["1:14: sources.a: no user or password in an address; use auth with files"],
    ],
    [
      "a shell line",
      `${BASE}gate: {command: "a | b"}`,
      ['3:17: gate.command: no shell reads it: write a list, such as [sh, -c, "…"]'],
    ],
    [
      "a signal that there is not",
      `${BASE}reload: {signal: FOO, process: x}`,
      ['3:18: reload.signal: "FOO" is no signal; HUP is the usual one'],
    ],
    [
      "a regular expression that is none",
      `${BASE}files: [{copy: app/*, rename: {match: "(", to: x}}]`,
      ['3:31: files[0].rename: "(" is no regular expression'],
    ],
    [
      "the same key twice",
      "sources: {a: /x, a: /y}\noutput: none",
      ["1:18: Map keys must be unique"],
    ],
  ];
  for (const [name, text, wanted] of table) {
    it(`tells of ${name}`, () => {
      deepEqual(
        mistakesOf(text),
        wanted.map((line) => `compose.yaml:${line}`),
      );
    });
  }

  it("tells of all mistakes at once, in order", () => {
    const text = "sources: {a: etc}\noutput: out\nreload: {minWait: 5s, maxWait: 1s}\nx: 1";
    deepEqual(
      mistakesOf(text).map((line) => line.split(":")[1]),
      ["1", "2", "3", "4"],
    );
  });

  it("survives files that mean harm", () => {
    for (const text of [
      "",
      "[",
      "- a",
      "a: &a [*a]",
      "a: *b",
      `${"[".repeat(500)}`,
      "sources: &s {a: *s}\noutput: *s",
      "\0",
    ]) {
      throws(() => readCompose(text, "c"), ComposeFileError);
    }
  });
});

describe("parsedDuration", () => {
  const table: readonly [string, number | undefined][] = [
    ["10s", 10_000],
    ["1m30s", 90_000],
    ["500ms", 500],
    ["1.5h", 5_400_000],
    ["0", 0],
    ["", undefined],
    ["10", undefined],
    ["s", undefined],
    ["-1s", undefined],
    ["9999h", undefined],
  ];
  for (const [text, ms] of table) {
    it(`reads "${text}" as ${ms}`, () => equal(parsedDuration(text), ms));
  }
});
