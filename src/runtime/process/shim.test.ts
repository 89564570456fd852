import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { tempDir } from "../../base/testing/temp-dir.ts";
import { ContainerFiles } from "./container-files.ts";
import { readExit } from "./shim.ts";

describe("readExit", () => {
  const cases: readonly {
    readonly name: string;
    readonly files: Readonly<Record<string, string>>;
    readonly expected: object | undefined;
  }[] = [
    { name: "no file", files: {}, expected: undefined },
    {
      name: "a file without a line end, still being written",
      files: { exit: "1" },
      expected: undefined,
    },
    { name: "a file that only keeps room", files: { exit: "            " }, expected: undefined },
    { name: "an empty file", files: { exit: "" }, expected: undefined },
    {
      name: "a code",
      files: { exit: "42\n         ", "shim-errors": "" },
      expected: { exitCode: 42, signal: undefined, isUnknown: false },
    },
    {
      name: "a code above 128 that the program chose",
      files: { exit: "143\n", "shim-errors": "" },
      expected: { exitCode: 143, signal: undefined, isUnknown: false },
    },
    {
      name: "a signal",
      files: { exit: "139\n", "shim-errors": "Segmentation fault\n" },
      expected: { exitCode: 139, signal: 11, isUnknown: false },
    },
    {
      name: "an end that nobody saw",
      files: { exit: "137 unknown\n" },
      expected: { exitCode: 137, signal: undefined, isUnknown: true },
    },
  ];
  for (const { name, files, expected } of cases) {
    it(`understands ${name}`, () => {
      using dir = tempDir();
      dir.write(files);
      const end = readExit(new ContainerFiles(dir.path));
      assert.deepEqual(
        end && { exitCode: end.exitCode, signal: end.signal, isUnknown: end.isUnknown },
        expected,
      );
    });
  }
});
