import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { describe, it } from "node:test";
import fc from "fast-check";
import { tempDir } from "../../base/testing/temp-dir.ts";
import { EnvFileError, envFileValue, readEnvFile } from "./env-file.ts";

const valueIn = (content: string, key: string): string | undefined =>
  envFileValue(Buffer.from(content), key);

describe("envFileValue", () => {
  const values: readonly [what: string, content: string, key: string, value: string | undefined][] =
    [
      ["leading blanks", "   KEY1='val1'\n\t\tKEY2='val2'\nKEY3='val3'\n", "KEY2", "val2"],
      [
        "comments and blank lines",
        "# one\n\nKEY1='foo'\n   # two\n \t\nKEY2='bar'\n",
        "KEY2",
        "bar",
      ],
      ["a comment after the value", "KEY1='foo'\nKEY2='bar' # comment\n", "KEY2", "bar"],
      ["a comment right after the quote", "KEY1='foo'#bar\n", "KEY1", "foo"],
      ["a key that is not there", "KEY1='foo'\n", "KEY3", undefined],
      ["no line at all", "", "KEY", undefined],
      ["# in the value", "KEY1='foo#notcomment'\n", "KEY1", "foo#notcomment"],
      ["= in the value", "KEY1='foo=bar=baz'\n", "KEY1", "foo=bar=baz"],
      ["blanks around the value", "KEY1='   foo  bar   '\n", "KEY1", "   foo  bar   "],
      ["only blanks", "KEY1='   '", "KEY1", "   "],
      ["an empty value", "KEY1='foo'\nKEY2=''\n", "KEY2", ""],
      ["$VAR", "KEY1='$VAR'", "KEY1", "$VAR"],
      ["braces after a dollar", "KEY1='foo$BAR-$\u007bHOME}_$'", "KEY1", "foo$BAR-$\u007bHOME}_$"],
      [
        "special characters",
        "KEY1='!@#$%^&*()_+-=[]{}|;:,.<>?/'",
        "KEY1",
        "!@#$%^&*()_+-=[]{}|;:,.<>?/",
      ],
      ["backslashes", "KEY1='a\\\\b\\nc\\t'", "KEY1", "a\\\\b\\nc\\t"],
      ["double quotes", "KEY1='a \"b\" c'", "KEY1", 'a "b" c'],
      ["JSON", `KEY1='{"a": {"b": [1]}}'`, "KEY1", '{"a": {"b": [1]}}'],
      ["a URL", "KEY1='https://example.com/p?q=v&a=b'", "KEY1", "https://example.com/p?q=v&a=b"],
      ["XML", `KEY1='<r><e a="v">c</e></r>'`, "KEY1", '<r><e a="v">c</e></r>'],
      ["base64", "KEY1='SGVsbG8gV29ybGQh=='", "KEY1", "SGVsbG8gV29ybGQh=="],
      ["Unicode", "KEY1='中文 Español 🌍'", "KEY1", "中文 Español 🌍"],
      ["several lines", "KEY1='one\n  two \n\nfour'\nKEY2='b'", "KEY1", "one\n  two \n\nfour"],
      ["a key after several lines", "KEY1='one\nX=\n#'\nKEY2='b'", "KEY2", "b"],
      [
        "a comment after several lines",
        "K='-----BEGIN-----\nAA==\n-----END-----\n' # key",
        "K",
        "-----BEGIN-----\nAA==\n-----END-----\n",
      ],
      ["Unicode in several lines", "K='第一行\nдва'", "K", "第一行\nдва"],
      ["ends of lines of another system", "A='1'\r\nB='x\r\ny'\r\n", "B", "x\ny"],
      ["the first of two", "A='1'\nA='2'", "A", "1"],
      ["errors after it unseen", "A='1'\nno sense", "A", "1"],
      ["L35: a blank after =, for another key", "KEY1='a'\nKEY2=   'v'\nKEY3='c'", "KEY3", "c"],
      ["L35: a blank after =", "KEY2=   'v'", "KEY2", ""],
      ["a name with a blank inside", "A B='x'", "A B", "x"],
    ];
  for (const [what, content, key, value] of values) {
    it(`L33: reads ${what}`, () => {
      assert.equal(valueIn(content, key), value);
    });
  }

  const failures: readonly [what: string, content: string, message: RegExp][] = [
    ["no =", "KEY1='foo'\nINVALID_LINE\n", /at line 2: missing '='$/],
    ["no name", "='foo'\n", /at line 1: empty variable name$/],
    ["blanks for a name", "  ='foo'\n", /at line 1: empty variable name$/],
    ["L29: a blank before =", "\nKEY1 = 'v'\n", /at line 2: whitespace before '=' is not allowed$/],
    ["a tab before =", "KEY1\t='v'\n", /whitespace before '=' is not allowed$/],
    ["no quotes", "KEY2=bar\n", /value must be enclosed in single quotes$/],
    ["nothing after =", "KEY2=\n", /value must be enclosed in single quotes$/],
    ["double quotes", 'KEY2="bar"\n', /value must be enclosed in single quotes$/],
    ["two strings", "KEY1='foo''bar'", /unexpected content after closing quote$/],
    ["text after the quote", "KEY2='bar'baz", /unexpected content after closing quote$/],
    ["an escaped quote", "K='with \\'nested\\' quotes'", /unexpected content after closing quote$/],
    ["a quote left open", "A='1'\nB='x\ny\n", /starting at line 2: unclosed single quote$/],
    ["a line too long", `# ${"x".repeat(65_534)}\n`, /^line 1 has more than 65535 bytes$/],
  ];
  for (const [what, content, message] of failures) {
    it(`L34: refuses ${what}`, () => {
      assert.throws(
        () => valueIn(content, "WANTED"),
        (err: unknown) => {
          assert.ok(err instanceof EnvFileError);
          assert.match(err.message, message);
          return true;
        },
      );
    });
  }

  it("refuses bytes that are no text, without showing them", () => {
    const content = Buffer.concat([
      Buffer.from("A='"),
      Buffer.from([0xff, 0xfe]),
      Buffer.from("'\n"),
    ]);
    assert.throws(() => envFileValue(content, "A"), {
      message: "the value that ends in line 1 is not UTF-8",
    });
  });

  it("reads back whatever can be written between quotes", () => {
    const text = fc
      .string({ unit: "binary" })
      .map((value) => value.toWellFormed().replaceAll(/['\r]/g, ""));
    fc.assert(
      fc.property(fc.array(text), text, (others, value) => {
        const lines = [
          ...others.map((other, i) => `KEY_${i}='${other}'`),
          `WANTED='${value}' # it`,
        ];
        assert.equal(valueIn(lines.join("\n"), "WANTED"), value);
      }),
    );
  });
});

describe("readEnvFile", () => {
  it("reads a file by a path that starts with a slash or not", () => {
    using dir = tempDir();
    dir.write({ "a/vars.env": "A='1'\n" });
    for (const path of ["a/vars.env", "/a/vars.env", "./a//vars.env"]) {
      assert.equal(String(readEnvFile(dir.path, path)), "A='1'\n");
    }
  });

  it("follows links as if the volume were all there is", () => {
    using dir = tempDir();
    dir.write({ "etc/passwd": "A='inside'\n" });
    symlinkSync("/etc/passwd", dir.join("absolute"));
    symlinkSync("../../../etc/passwd", dir.join("relative"));
    for (const path of ["absolute", "relative", "../../etc/passwd"]) {
      assert.equal(String(readEnvFile(dir.path, path)), "A='inside'\n");
    }
  });

  it("finds nothing where a file, its directory or a link's target is missing", () => {
    using dir = tempDir();
    dir.write({ file: "" });
    symlinkSync("/nowhere", dir.join("dangling"));
    for (const path of ["absent", "absent/vars.env", "file/vars.env", "dangling"]) {
      assert.equal(readEnvFile(dir.path, path), undefined, path);
    }
  });

  it("refuses what is not a file, and does not wait for a pipe", () => {
    using dir = tempDir();
    mkdirSync(dir.join("directory"));
    execFileSync("mkfifo", [dir.join("pipe")]);
    for (const path of ["directory", "pipe", "."]) {
      assert.throws(
        () => readEnvFile(dir.path, path),
        { message: "it is not a regular file" },
        path,
      );
    }
  });

  it("refuses a file that is too large", () => {
    using dir = tempDir();
    writeFileSync(dir.join("large"), Buffer.alloc(1_048_577, "#"));
    assert.throws(() => readEnvFile(dir.path, "large"), {
      message: "it has more than 1048576 bytes",
    });
  });

  it("says that a link that leads to itself cannot be opened", () => {
    using dir = tempDir();
    symlinkSync("loop", dir.join("loop"));
    assert.throws(() => readEnvFile(dir.path, "loop"), { message: "it cannot be opened" });
  });
});
