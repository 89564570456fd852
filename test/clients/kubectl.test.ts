// Unmodified kubectl of three versions against a server of its own each: the scripts in testdata/kubectl say
// what is run and what must come out. The commands are those that were recorded with a real server, as far as
// they need neither a kubelet nor controllers; kubectl-workloads.test.ts has the others, and ../agent what goes through a node.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { DriftlessServer } from "../support/driftless-server.ts";
import { parseScript, type ScriptCase } from "./command-script.ts";
import { type KubectlLine, kubectlBinary, kubectlLines } from "./kubectl-binaries.ts";
import { runCase } from "./script-runner.ts";

const scripts = join(import.meta.dirname, "testdata/kubectl");
const fixtures = join(scripts, "files");

const cases = (line: KubectlLine): ScriptCase[] =>
  readdirSync(scripts)
    .filter((file) => file.endsWith(".txt"))
    .flatMap((file) =>
      parseScript({ file, text: readFileSync(join(scripts, file), "utf8"), version: line }),
    );

for (const line of kubectlLines) {
  const kubectl = await kubectlBinary(line);
  if (!kubectl.ok) {
    it(`kubectl ${line} gets the answers that a real server gives`, { skip: kubectl.reason });
    continue;
  }
  describe(`kubectl ${kubectl.version}`, { concurrency: 4 }, () => {
    let server: DriftlessServer;
    before(async () => {
      server = await DriftlessServer.start();
    });
    after(() => server[Symbol.asyncDispose]());

    for (const [index, one] of cases(line).entries()) {
      it(one.name, async () => {
        const namespace = `case-${String(index + 1).padStart(3, "0")}`;
        const made = { metadata: { name: namespace } };
        assert.equal((await server.fetch("POST", "/api/v1/namespaces", made)).status, 201);
        const faults = await runCase(one, {
          kubectl: kubectl.path,
          kubeconfig: server.kubeconfig,
          serverUrl: server.url,
          namespace,
          fixtures,
        });
        if (faults.length > 0) assert.fail(faults.join("\n"));
      });
    }
  });
}
