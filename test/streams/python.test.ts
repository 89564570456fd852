// The Python client of Debian, unmodified: exec and port-forward over channels of WebSocket. The tests are in
// testdata/stream_tests.py, and each of them is a test here.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { it } from "node:test";
import { promisify } from "node:util";
import { python, pythonModules } from "../clients/python-client.ts";
import { LocalPort, shout } from "./local-port.ts";
import { PodServer } from "./pod-server.ts";

interface PythonResult {
  readonly name: string;
  readonly error: string | null;
}

const program = join(import.meta.dirname, "testdata/stream_tests.py");

const modules = await pythonModules();
it("python3-kubernetes streams", { skip: modules.ok ? false : modules.reason }, async (t) => {
  await using server = await PodServer.start();
  using local = await LocalPort.listen(shout);
  const args = ["-B", program, server.kubeconfig, String(local.port)];
  const { stdout } = await promisify(execFile)(python, args, {
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
