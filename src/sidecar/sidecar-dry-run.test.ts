import { deepEqual, equal, match } from "node:assert/strict";
import { describe, it } from "node:test";
import { readCompose } from "./compose-file.ts";
import type { CandidateFile } from "./publisher.ts";
import { type DryRun, dryRunText } from "./sidecar-dry-run.ts";
import { testCandidate } from "./testing/test-candidate.ts";

type Texts = Readonly<Record<string, string>>;
type Access = Partial<Pick<CandidateFile, "mode" | "owner" | "isSecret">>;

const spec = readCompose("sources: {a: /a}\noutput: /out\nreload: {touch: /told}", "c");

function shown(live: Texts, wanted: Texts, more: Partial<DryRun> = {}, access: Access = {}) {
  const candidate = testCandidate(wanted, { isSecret: false, ...access });
  return dryRunText({
    ...{ spec, composed: { candidate, made: new Map(), notes: [], unsetVariables: 0 } },
    live: new Map(Object.entries(live).map(([path, text]) => [path, Buffer.from(text)])),
    kept: testCandidate(live, { isSecret: false }),
    verdict: undefined,
    diff: (before, after) => [`-${before}`, `+${after}`],
    ...more,
  }).split("\n");
}

describe("--dry-run", () => {
  it("shows what is new, changed and gone, and who would be told", () => {
    deepEqual(shown({ a: "1", b: "1", same: "x" }, { a: "2", c: "3", same: "x" }), [
      "3 files to /out (volume): 1 new, 1 changed, 1 removed",
      ...["a: changed (1 byte, mode 0644)", "--- a", "+++ a", "-1", "+2"],
      "b: removed",
      ...["c: new (1 byte, mode 0644)", "--- /dev/null", "+++ c", "-", "+3"],
      ...["gate: none", "then: touch /told", ""],
    ]);
    equal(shown({ a: "1" }, { a: "1" })[0], "1 file to /out (volume): nothing changes");
  });

  it("shows what the gate said, with no sign in it that does something to a terminal", () => {
    const verdict = {
      verdict: "rejected",
      reason: "no: end",
      output: "why\u001b[2J\nend",
    } as const;
    const lines = shown({ a: "1" }, { a: "1" }, { verdict });
    deepEqual(lines.slice(1), ["gate: rejected: no: end", "  why\\u001b[2J", ""]);
  });

  it("says what is in the way", () => {
    equal(shown({}, { a: "1" }, { obstacle: "it is read-only" })[1], "problem: it is read-only");
  });

  it("shows another mode and owner of the same content", () => {
    const access = { mode: 0o600, owner: { uid: 1, gid: 2 } };
    const lines = shown({ a: "1" }, { a: "1" }, {}, access);
    equal(lines[1], "a: changed (1 byte, mode 0600, owner 1:2, mode 0644 before)");
  });

  it("shows nothing of what is a secret, was one, or may have been", () => {
    const live = { a: "hunter2" };
    const secret = shown({ a: "1" }, { a: "hunter2" }, {}, { isSecret: true });
    const was = shown(live, { a: "1" }, { kept: testCandidate(live, { isSecret: true }) });
    const unknown = shown(live, { a: "1" }, { kept: undefined });
    const stale = shown(live, { a: "1" }, { kept: testCandidate({ a: "0" }) });
    for (const lines of [secret, was, unknown, stale]) {
      equal(lines.join("\n").includes("hunter2"), false, lines.join("\n"));
    }
    match(was.join("\n"), /a: changed, not shown because it may have been a secret/);
  });

  it("lets no name do anything to the terminal", () => {
    const [, line = ""] = shown({}, { "a\u001b[31m\nb": "\u0007" });
    equal(line, "a\\u001b[31m\\u000ab: new, no text (1 byte, mode 0644)");
  });
});
