// exec with a terminal by real kubectl: sizes and control characters come through.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { it } from "node:test";
import { tempDir } from "../../src/base/testing/temp-dir.ts";
import { type EnsuredKubectl, kubectlBinary, kubectlLines } from "../clients/kubectl-binaries.ts";
import { PodServer } from "./pod-server.ts";

/** Gives a program a terminal; it is on every Debian. */
const terminalProgram = "/usr/bin/script";

for (const line of kubectlLines) {
  const found = await kubectlBinary(line);
  it(`kubectl ${line} sends its terminal's size, and Ctrl-C as a byte`, {
    skip: skipReason(found),
  }, async () => {
    await using server = await PodServer.start();
    using home = tempDir();
    const kubectl = `${found.ok ? found.path : ""} exec -it p -- sh -c 'echo go; head -c 2 | od -An -tx1'`;
    // A terminal around it; kubectl makes it raw before the command runs, so from "go" on keys are only bytes.
    const terminal = spawn(
      terminalProgram,
      ["-qec", `stty rows 33 cols 101; exec ${kubectl}`, "/dev/null"],
      {
        stdio: ["pipe", "pipe", "inherit"],
        env: { ...process.env, HOME: home.path, KUBECONFIG: server.kubeconfig, SHELL: "/bin/sh" },
      },
    );
    try {
      let printed = "";
      let hasTyped = false;
      terminal.stdout.on("data", (bytes: Buffer) => {
        printed += bytes.toString();
        if (printed.includes("go") && !hasTyped) {
          hasTyped = true;
          // With these keys the command ends: before that its size has to be there.
          void server
            .session(0)
            .then((session) => session.sized(1))
            .then(() => terminal.stdin.write("\u0003\u0004"));
        }
      });
      const [code] = (await once(terminal, "close")) as [number];
      assert.equal(code, 0, printed);
      assert.match(printed, /03 04/);
      const [session] = server.sessions;
      assert.deepEqual(session?.sizes.at(0), { columns: 101, rows: 33 });
      assert.equal(session?.streams.stderr, undefined);
    } finally {
      terminal.kill("SIGKILL");
    }
  });
}

function skipReason(found: EnsuredKubectl): string | false {
  if (!found.ok) return found.reason;
  return existsSync(terminalProgram) ? false : `there is no ${terminalProgram}`;
}
