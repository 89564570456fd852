// The first minute of somebody new: what `driftless up` prints is pasted into a shell, word for word, and works.

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { symlinkSync } from "node:fs";
import { dirname } from "node:path";
import { describe, it } from "node:test";
import { tempDir } from "../../src/base/testing/temp-dir.ts";
import { ensureDebianPackages } from "../../tools/debian.ts";
import { Tmux } from "../agent/tmux.ts";
import { kubectlBinary } from "../clients/kubectl-binaries.ts";
import { eventually, UpDirectory } from "./driftless-up.ts";
import { ROOT } from "./hello.ts";

const skip = process.getuid?.() === 0 ? false : "needs root, for a node";

/** The two lists of commands: without kubectl, and with it. */
function printedCommands(text: string): readonly [string, string] {
  const [, first = "", second = ""] =
    /in another terminal[^\n]*:\n\n((?: {2}.*\n)+)\nor with kubectl:\n\n((?: {2}.*\n)+)/.exec(
      text,
    ) ?? [];
  return [first, second];
}

/** Pastes them into one shell, in the checkout, and waits until the pattern was printed. */
async function paste(commands: string, pattern: RegExp, path = ""): Promise<string> {
  const { KUBECONFIG: _, ...env } = process.env;
  const shell = spawn("sh", [], {
    cwd: ROOT,
    detached: true,
    stdio: ["pipe", "pipe", "pipe"],
    env: { ...env, PATH: `${path}:${env["PATH"]}` },
  });
  let said = "";
  for (const stream of [shell.stdout, shell.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      said += text;
    });
  }
  const ended = once(shell, "exit");
  shell.stdin.end(`${commands.trim()}\n`);
  try {
    await eventually(`${pattern} after ${commands}`, () => assert.match(said, pattern));
    return said;
  } finally {
    // The last command follows the log for ever.
    if (shell.pid !== undefined && shell.exitCode === null) process.kill(-shell.pid, "SIGKILL");
    await ended;
  }
}

describe("the first minute", { skip }, () => {
  it("goes by the printed commands, without kubectl", async () => {
    await using directory = new UpDirectory();
    const up = await directory.start({ flags: ["--drain"] });
    const [commands] = printedCommands(up.stdout);
    assert.match(commands, /driftless apply -f \S*examples\/hello\.yaml\n/);
    const said = await paste(commands, /^moin$/m);
    assert.match(said, /deployment\.apps\/hello created/);
    await up.end("SIGINT");
  });

  it("goes by the printed commands, with kubectl", async (t) => {
    const kubectl = await kubectlBinary("1.36");
    if (!kubectl.ok) return t.skip(kubectl.reason);
    await using directory = new UpDirectory();
    const up = await directory.start({ flags: ["--drain"] });
    const [, commands] = printedCommands(up.stdout);
    const said = await paste(commands, /^moin$/m, dirname(kubectl.path));
    assert.match(said, /deployment "hello" successfully rolled out/);
    await up.end("SIGINT");
  });

  it("looks calm at a terminal, and one Ctrl-C ends it although npm passes it on a second time", async (t) => {
    const tools = await ensureDebianPackages([{ command: "tmux", package: "tmux" }]);
    if (!tools.ok) return t.skip(tools.reason);
    await using directory = new UpDirectory();
    const flags = ["--data-dir", directory.path, "--listen", "127.0.0.1:0"];
    const argv = ["env", "--unset=KUBECONFIG", "--chdir", ROOT, "npm", "start", "--", ...flags];
    using tmux = new Tmux(argv, { columns: 80, rows: 40 });
    await tmux.shows(/Ctrl-C stops it/);
    assert.match(tmux.screen, /^driftless is ready in \d+ ms$/m);
    assert.doesNotMatch(tmux.screen, /"level"|^warn/m);
    tmux.type("C-c");
    await tmux.shows(/driftless: stopped$/m);
  });

  it("finds the launcher from anywhere, also by a link to it", () => {
    using dir = tempDir();
    symlinkSync(`${ROOT}/driftless`, dir.join("linked"));
    const said = execFileSync(dir.join("linked"), ["version"], { cwd: "/", encoding: "utf8" });
    assert.match(said, /^driftless \d+\.\d+\.\d+ /);
  });
});
