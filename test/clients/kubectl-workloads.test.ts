// Unmodified kubectl of three versions against `driftless up`, with controllers that act and pods that run: the scripts in
// testdata/kubectl-up say what is run and what must come out. Cases that need the only node for themselves have a cluster of their own.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { LONG } from "../support/campaign.ts";
import { type DriftlessUp, UpDirectory } from "../up/driftless-up.ts";
import { parseScript, type ScriptCase } from "./command-script.ts";
import { type KubectlLine, kubectlBinary, kubectlLines } from "./kubectl-binaries.ts";
import { runCase } from "./script-runner.ts";

const scripts = join(import.meta.dirname, "testdata/kubectl-up");
const fixtures = join(import.meta.dirname, "testdata/kubectl/files");
const needsRoot = process.getuid?.() === 0 ? false : "needs root, for a node";

/** One that is there before the first case and gone after the last one. */
class SharedCluster {
  #directory: UpDirectory | undefined;
  #up: DriftlessUp | undefined;

  async start(): Promise<void> {
    this.#directory = new UpDirectory();
    this.#up = await this.#directory.start({
      flags: ["--store", "memory", "--node-name", "node-1"],
    });
  }

  async run(one: ScriptCase, kubectl: string, namespace: string): Promise<void> {
    if (this.#up === undefined) throw new Error("it was not started");
    await this.#up.ask("POST", "/api/v1/namespaces", { metadata: { name: namespace } });
    const { url: serverUrl, directory } = this.#up;
    const { kubeconfig } = directory;
    const faults = await runCase(one, { kubectl, kubeconfig, serverUrl, namespace, fixtures });
    if (faults.length > 0) assert.fail(faults.join("\n"));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#directory?.[Symbol.asyncDispose]();
  }
}

function cases(file: string, version: KubectlLine): readonly ScriptCase[] {
  return parseScript({ file, text: readFileSync(join(scripts, file), "utf8"), version });
}

/** The oldest and the newest; the one between them in the long test. */
const lines = kubectlLines.filter((line) => LONG || line !== "1.32");

for (const line of lines) {
  const kubectl = await kubectlBinary(line);
  if (!kubectl.ok) {
    it(`kubectl ${line} works on workloads`, { skip: kubectl.reason });
    continue;
  }
  const options = { skip: needsRoot, concurrency: 4 };
  describe(`kubectl ${kubectl.version} and a whole cluster`, options, () => {
    const busy = new SharedCluster();
    const lonely = new SharedCluster();
    before(() => Promise.all([busy.start(), lonely.start()]));
    after(() => Promise.all([busy, lonely].map((one) => one[Symbol.asyncDispose]())));

    const onLonely = cases("node.txt", line);
    const onBusy = ["rollouts.txt", "objects.txt"].flatMap((file) => cases(file, line));
    for (const [index, one] of [...onLonely, ...onBusy].entries()) {
      const cluster = onLonely.includes(one) ? lonely : busy;
      it(one.name, () => cluster.run(one, kubectl.path, `case-${index + 1}`));
    }
  });
}
