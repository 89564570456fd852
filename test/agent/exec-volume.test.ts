// Many bytes through kubectl exec, all the way: API server, tunnel, node, container, and back. Byte for byte, by their hash.

import { equal, match } from "node:assert/strict";
import { createHash } from "node:crypto";
import { after, before, describe, it, type TestContext } from "node:test";
import { type KubectlLine, kubectlBinary, kubectlLines } from "../clients/kubectl-binaries.ts";
import { type KubectlResult, KubectlRun } from "../streams/kubectl-run.ts";
import { writePattern } from "../streams/pattern.ts";
import { LONG } from "../support/campaign.ts";
import { Cluster } from "./cluster.ts";

const MEGABYTES = LONG ? 100 : 10;
const skip = process.getuid?.() === 0 ? false : "containers need root here";

describe("kubectl exec", { skip, concurrency: false }, () => {
  let cluster: Cluster;
  before(async () => {
    cluster = await Cluster.start();
    await cluster.runningPod("web", {});
  });
  after(async () => {
    await cluster?.[Symbol.asyncDispose]();
  });

  async function started(
    t: TestContext,
    line: KubectlLine,
    argv: readonly string[],
  ): Promise<KubectlRun | undefined> {
    const kubectl = await kubectlBinary(line);
    if (kubectl.ok) {
      const { kubeconfig } = cluster.server;
      return new KubectlRun({ kubectl: kubectl.path, kubeconfig }, [
        ...["exec", "-i", "web", "--"],
        ...argv,
      ]);
    }
    t.skip(kubectl.reason);
    return undefined;
  }

  for (const line of kubectlLines) {
    it(`of ${line} brings ${MEGABYTES} MB in and out again as they were`, async (t) => {
      using run = await started(t, line, ["cat"]);
      if (run === undefined) return;
      const { sent, code, stdout, stderr } = await filled(run);
      equal(code, 0, stderr);
      equal(hash(stdout), sent);
    });

    it(`of ${line} whose input has ended still brings ${MEGABYTES} MB out`, async (t) => {
      using run = await started(t, line, ["sh", "-c", "cat >/tmp/all && cat /tmp/all"]);
      if (run === undefined) return;
      const { sent, code, stdout, stderr } = await filled(run);
      equal(code, 0, stderr);
      equal(hash(stdout), sent);
    });

    it(`of ${line} whose output has ended still brings ${MEGABYTES} MB in`, async (t) => {
      using run = await started(t, line, ["sh", "-c", "exec 1>&-; sha256sum >&2; exit 3"]);
      if (run === undefined) return;
      const { sent, code, stdout, stderr } = await filled(run);
      equal(code, 3, stderr);
      equal(stdout.length, 0);
      match(stderr, new RegExp(`^${sent}`, "m"));
    });

    it(`of ${line} ends with its program, although its own input has not`, async (t) => {
      using run = await started(t, line, ["head", "-c", "5"]);
      if (run === undefined) return;
      run.child.stdin.write(Buffer.alloc(5_000_000, "more"));
      const { code, stdout, stderr } = await run.result();
      equal(code, 0, stderr);
      equal(stdout.toString(), "morem");
    });
  }
});

/** To its end, with the pattern as its input, whose hash is `sent`. */
async function filled(run: KubectlRun): Promise<KubectlResult & { readonly sent: string }> {
  const sending = writePattern(run.child.stdin, MEGABYTES);
  // If it does not take all, what it says of that is worth more.
  const [sent, result] = await Promise.all([sending.catch(String), run.result()]);
  return { sent, ...result };
}

function hash(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}
