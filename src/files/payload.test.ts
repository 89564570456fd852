import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { inspect } from "node:util";
import fc from "fast-check";
import { compareUtf8, versionOf } from "../base/content-version.ts";
import { Payload, PayloadError } from "./payload.ts";
import { payloadOf } from "./testing/test-writer.ts";

const accepted: readonly [name: string, spelling: string, path: string][] = [
  ["A3 a nested path", "i/am/well/behaved.txt", "i/am/well/behaved.txt"],
  [
    "A4 a long name",
    "keepyourheaddownandfollowtherules.txt",
    "keepyourheaddownandfollowtherules.txt",
  ],
  ["A50 a plain name", "foo", "foo"],
  ["A56 repeated slashes", "foo////bar", "foo/bar"],
  ["A59 a leading dot segment", "./bar", "bar"],
  ["Z9 a trailing slash", "a/", "a"],
  ["a dot segment in the middle", "a/./b", "a/b"],
  ["two dots below the first level", "foo/..bar", "foo/..bar"],
  ["a dot file", ".dotfile", ".dotfile"],
  ["Z9 a name of 255 bytes", "a".repeat(255), "a".repeat(255)],
  ["Z9 a name of 255 bytes in 85 characters", "€".repeat(85), "€".repeat(85)],
  ["a path of 4,096 bytes", `${"a/".repeat(2047)}bb`, `${"a/".repeat(2047)}bb`],
  ["a name with a space, a quote and a newline", 'a b"c\nd', 'a b"c\nd'],
];

const refused: readonly [name: string, spelling: string, why: RegExp][] = [
  ["A5 A51 a path of 4,097 bytes", `${"a/".repeat(2047)}bbb`, /4097 bytes is longer than 4096/],
  ["A6 a name of 256 bytes", "a".repeat(256), /longer than 255 bytes/],
  ["Z9 a name of 258 bytes in 86 characters", "€".repeat(86), /longer than 255 bytes/],
  ["A7 A52 an absolute path", "/dev/null", /must be relative/],
  [
    "A8 A53 a name that starts with two dots",
    "..sneaky.txt",
    /names starting with ".." are reserved/,
  ],
  [
    "A9 a path that climbs out",
    "hello/there/../../../../../../etc/passwd",
    /would leave the volume/,
  ],
  ["A10 A54 a path that climbs and stays", "hello/../etc/somethingbad", /would leave the volume/],
  ["A11 A55 an empty path", "", /the path is empty/],
  ["Z8 W6 a reserved name behind a dot", "./..data", /are reserved/],
  ["Z8 a reserved name behind two dots and slashes", ".//./..x", /are reserved/],
  ["Z8 a dot", ".", /names a directory/],
  ["Z8 a trailing dot", "a/.", /names a directory/],
  ["Z8 a trailing dot and slash", "a/./", /names a directory/],
  ["three dots", "...", /are reserved/],
  ["Z9 a NUL byte", "a\0b", /NUL byte/],
  ["half a surrogate pair", "a\ud800", /not valid Unicode/],
];

const file = { data: Buffer.from("x"), mode: 0o644 };

describe("Payload paths", () => {
  for (const [name, spelling, path] of accepted) {
    it(`accepts ${name}`, () => {
      assert.deepEqual(
        Payload.from([[spelling, file]]).files.map((each) => each.path),
        [path],
      );
    });
  }

  for (const [name, spelling, why] of refused) {
    it(`refuses ${name}`, () => {
      assert.throws(
        () => Payload.from([[spelling, file]]),
        (err) => err instanceof PayloadError && why.test(err.message) && err.message.length < 500,
      );
    });
  }

  it("refuses whatever the spelling when the meaning is the same file or a parent of another", () => {
    for (const pair of [
      ["a", "./a"],
      ["a/b", "a//b"],
      ["a", "a/"],
      ["a", "a/b"],
      ["x/y/z", "x/y"],
    ]) {
      const entries = pair.map((path) => [path, file] as const);
      assert.throws(() => Payload.from(entries), PayloadError, pair.join(" beside "));
      assert.throws(() => Payload.from(entries.toReversed()), PayloadError);
    }
  });

  it("names a refused key only as far as a log line can bear", () => {
    assert.throws(() => Payload.from([["k".repeat(100_000), file]]), /… \(100000 bytes\)/);
  });

  it("never accepts a path that leaves the volume or hides in it, whatever is tried", () => {
    const segment = fc.oneof(
      fc.constantFrom("", ".", "..", "...", "..data", "a", "b", ".x", "a..", "\0"),
      fc.string({ maxLength: 5 }),
    );
    fc.assert(
      fc.property(fc.array(segment, { maxLength: 6 }), (segments) => {
        const spelling = segments.join("/");
        let path: string | undefined;
        try {
          path = Payload.from([[spelling, file]]).files[0]?.path;
        } catch (err) {
          assert.ok(err instanceof PayloadError);
          return;
        }
        assert.ok(path);
        const parts = path.split("/");
        assert.ok(!path.startsWith("..") && !path.startsWith("/") && !path.includes("\0"));
        assert.ok(parts.every((part) => part !== "" && part !== "." && part !== ".."));
      }),
      { numRuns: 2000 },
    );
  });
});

describe("Payload", () => {
  it("refuses a mode or an owner that no file can have", () => {
    for (const mode of [-1, 0o1000, 1.5, Number.NaN]) {
      assert.throws(
        () => Payload.from([["a", { ...file, mode }]]),
        /mode .* is not between 0 and 0777/,
      );
    }
    for (const uid of [-1, 2 ** 32 - 1, 0.5]) {
      assert.throws(() => Payload.from([["a", { ...file, uid }]]), /is not a user id/);
    }
  });

  it("has the same version whatever the order, and another for any other content", () => {
    const version = payloadOf({ a: "1", "b/c": "2" }).version;

    assert.equal(payloadOf({ "b//c": "2", a: "1" }).version, version);
    assert.equal(payloadOf({ a: ["1", 0o600], "b/c": "2" }).version, version);
    for (const other of [
      { a: "1" },
      { a: "2", "b/c": "1" },
      { a: "1b", c: "2" },
      { a: "12", "b/c": "" },
    ]) {
      assert.notEqual(payloadOf(other).version, version);
    }
  });

  it("has another identity for another mode or owner", () => {
    const identity = payloadOf({ a: "1" }).identity;

    assert.notEqual(payloadOf({ a: ["1", 0o600] }).identity, identity);
    assert.notEqual(
      Payload.from([["a", { data: Buffer.from("1"), mode: 0o644, uid: 0 }]]).identity,
      identity,
    );
  });

  it("prints and serialises without its bytes", () => {
    const payload = payloadOf({ password: "hunter2" });

    assert.doesNotMatch(`${String(payload)} ${JSON.stringify(payload)}`, /hunter2/);
    assert.match(JSON.stringify(payload), /"bytes":7/);
    assert.doesNotMatch(inspect(payload, { depth: 9 }), /hunter2|68 75 6e/);
  });
});

describe("versionOf", () => {
  it("is the SHA-256 of nothing for no files", () => {
    assert.equal(versionOf([]), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  });

  it("is the documented hash: lengths, path, content", () => {
    // printf '5 2\nk.txtok' | sha256sum
    assert.equal(
      versionOf([{ path: "k.txt", data: Buffer.from("ok") }]),
      "f1da8036ea8e1310f1a48268ea6ca3217092ec1a15311b0f338c0e65ff6a5724",
    );
  });
});

describe("compareUtf8", () => {
  it("orders as the UTF-8 bytes do", () => {
    const text = fc.string({ unit: "binary", maxLength: 6 });
    fc.assert(
      fc.property(text, text, (a, b) => {
        const bytes = Buffer.compare(Buffer.from(a), Buffer.from(b));
        assert.equal(Math.sign(compareUtf8(a, b)), bytes);
      }),
      { numRuns: 5000 },
    );
    assert.ok(compareUtf8("\u{1f600}", "\uffee") > 0);
  });
});
