import { equal, match } from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { scriptOf, stripTypes } from "./strip-types.ts";

describe("scriptOf", () => {
  it("names the other files as they are called then, and leaves everything else alone", () => {
    const source = [
      'import { a } from "./a.ts";',
      'import type { B } from "./b.ts";',
      'export { c } from "../c.ts";',
      'const d: string = (await import("./d.ts")).d;',
      'const text = "./e.ts";',
      'import yaml from "yaml";',
    ];
    const script = scriptOf(source.join("\n")).split("\n");
    equal(script[0], 'import { a } from "./a.js";');
    equal(script[1]?.trim(), "");
    equal(script[2], 'export { c } from "../c.js";');
    match(script[3] ?? "", /^const d +=.*await import\("\.\/d\.js"\)/);
    equal(script[4], 'const text = "./e.ts";');
    equal(script[5], 'import yaml from "yaml";');
  });

  it("keeps a template's text, whatever it ends with", () => {
    equal(scriptOf("const a = `x  \ny`;"), "const a = `x  \ny`;");
  });
});

describe("stripTypes", () => {
  it("makes a program that runs, without its tests", () => {
    const directory = mkdtempSync(join(tmpdir(), "driftless-strip-"));
    try {
      mkdirSync(join(directory, "src/in/testing"), { recursive: true });
      const write = (path: string, text: string): void =>
        writeFileSync(join(directory, path), text);
      write("package.json", '{"type":"module"}');
      write("src/main.ts", 'import { a } from "./in/a.ts";\nconsole.log(a satisfies string);\n');
      write("src/in/a.ts", 'export const a: string = "works";\n');
      write("src/in/a.test.ts", "throw new Error();\n");
      write("src/in/testing/fake.ts", "throw new Error();\n");
      stripTypes(join(directory, "src"), join(directory, "out"));
      const printed = execFileSync(process.execPath, [join(directory, "out/main.js")]);
      equal(printed.toString(), "works\n");
      equal(
        execFileSync("find", [join(directory, "out"), "-type", "f"])
          .toString()
          .trim()
          .split("\n").length,
        2,
      );
    } finally {
      rmSync(directory, { recursive: true });
    }
  });
});
