// The Python client of Debian, unmodified, against a server: the tests are in testdata/python, and each of them
// is a test here.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { it } from "node:test";
import { promisify } from "node:util";
import { DriftlessServer } from "../support/driftless-server.ts";
import { python, pythonModules } from "./python-client.ts";

interface PythonResult {
  readonly name: string;
  readonly error: string | null;
}

const program = join(import.meta.dirname, "testdata/python/client_tests.py");

const modules = await pythonModules();
it("python3-kubernetes", { skip: modules.ok ? false : modules.reason }, async (t) => {
  await using server = await DriftlessServer.start();
  // -B: no compiled files beside the program.
  const { stdout } = await promisify(execFile)(python, ["-B", program, server.kubeconfig], {
    env: { ...process.env, PYTHONPATH: modules.ok ? modules.path : "" },
  });
  const results = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as PythonResult);
  assert.ok(results.length > 0, "the program ran no tests");
  for (const { name, error } of results) {
    await t.test(`python3-kubernetes ${name}`, () => {
      if (error !== null) assert.fail(error);
    });
  }
});
