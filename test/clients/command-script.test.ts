import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { maskedLines, matchesLines, parseScript } from "./command-script.ts";

const parse = (text: string, version: string): ReturnType<typeof parseScript> =>
  parseScript({ file: "x.txt", text, version });

describe("parseScript", () => {
  it("takes commands with their output, errors and exit codes", () => {
    const text = "== a case\n$ one\nout\n\nput\n! err\n$? 1\n& two\n~ three\n";
    const [first] = parse(text, "1.20");
    assert.equal(first?.name, "a case");
    const [one, two, three] = first?.commands ?? [];
    assert.equal(one?.at, "x.txt:2");
    assert.deepEqual(one.stdout, ["out", "", "put"]);
    assert.deepEqual(one.stderr, ["err"]);
    assert.equal(one.exitCode, 1);
    assert.deepEqual([two?.inBackground, two?.isAwaited], [true, false]);
    assert.deepEqual([three?.inBackground, three?.isAwaited], [false, true]);
  });

  it("leaves out what is for other versions, a command with all that belongs to it", () => {
    const text =
      "== a\n[1.32 1.36] $ new\nout\n$? 1\n$ both\n[1.20] old\n[1.32] new\n== b\n[1.32] $ x\n";
    const old = parse(text, "1.20");
    assert.deepEqual(
      old.map(({ name }) => name),
      ["a"],
    );
    assert.deepEqual(
      old[0]?.commands.map((command) => [command.text, command.stdout, command.exitCode]),
      [["both", ["old"], undefined]],
    );
    assert.equal(parse(text, "1.32").length, 2);
  });
});

describe("matchesLines", () => {
  it("takes ... for any number of lines, and nothing else for less than equality", () => {
    assert.equal(matchesLines(["a", "...", "c"], ["a", "b", "b", "c"]), true);
    assert.equal(matchesLines(["a", "...", "c"], ["a", "c"]), true);
    assert.equal(matchesLines(["...", "c"], ["c", "d"]), false);
    assert.equal(matchesLines(["a", "..."], ["a"]), true);
    assert.equal(matchesLines(["a"], ["a", "b"]), false);
    assert.equal(matchesLines([], ["a"]), false);
  });
});

describe("maskedLines", () => {
  it("hides ages, times, uids, resource versions and widths, and leaves the rest alone", () => {
    const text =
      'web    0/2     0            3m12s  \n  uid: 6ac3363e-7227-45ae-afd2-bcdbd3416b7c\n  at: "2026-11-15T18:31:04Z"\nresourceVersion: "12"\nspace-1/x 25%\n\n';
    assert.deepEqual(maskedLines(text, { "space-1": "NS" }), [
      "web  0/2  0  AGE",
      "  uid: UID",
      '  at: "TIME"',
      'resourceVersion: "N"',
      "NS/x 25%",
    ]);
  });

  it("hides what is generated at the end of a name, and leaves words alone", () => {
    const text = [
      "pod/web-556bddf88-bpsdb",
      "app=web,pod-template-hash=6dbf9df799",
      "agent-2b47j",
      "k-kcm-gc87g97b68",
      "kube-root-ca.crt pod-template web-front daemon-set",
    ];
    assert.deepEqual(maskedLines(text.join("\n"), {}), [
      "pod/web-HASH-ID",
      "app=web,pod-template-hash=HASH",
      "agent-ID",
      "k-kcm-HASH",
      "kube-root-ca.crt pod-template web-front daemon-set",
    ]);
  });
});
