// `driftless run` in a terminal: the program has it, as if nobody stood between.

import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { Tmux } from "../agent/tmux.ts";
import { runProgram } from "./run-process.ts";

const skip = hasTmux() ? false : "needs tmux";

function hasTmux(): boolean {
  try {
    execFileSync("tmux", ["-V"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

function inTerminal(script: string, ...flags: readonly string[]): Tmux {
  const command = [...runProgram, "--log-level", "error", ...flags, "--", "sh", "-c", script];
  return new Tmux(command, { columns: 100, rows: 30 });
}

test("run gives its program the keyboard, its signals, and the window's size", {
  skip,
}, async () => {
  const script = `trap 'echo got int; exit 7' INT; trap 'echo now $(stty size)' WINCH
    stty size; read line; echo read $line; while :; do sleep 0.05; done`;
  using terminal = inTerminal(script);
  await terminal.shows(/30 100/);
  terminal.type("hello", "Enter");
  await terminal.shows(/read hello/);
  terminal.resize(90, 20);
  await terminal.shows(/now 20 90/);
  terminal.type("C-c");
  await terminal.shows(/got int[\s\S]*ended with 7/);
});

test("run ends with its program that Ctrl-C ends, also if it is to start it again when it ends", {
  skip,
}, async () => {
  using terminal = inTerminal("echo up; exec sleep 1000", "--restart");
  await terminal.shows(/up/);
  terminal.type("C-c");
  await terminal.shows(/ended with 130/);
});

test("run stops and goes on with its program, as job control wants it", { skip }, async () => {
  const inner = [...runProgram, "--log-level", "error", "--", "sh", "-c"];
  const program = "trap 'echo went on' CONT; echo up; while :; do sleep 0.05; done";
  const quoted = [...inner, program].map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(" ");
  using terminal = new Tmux(
    ["bash", "--norc", "-i", "-c", `set -m; ${quoted}; echo stopped $?; fg; echo done $?`],
    {
      columns: 100,
      rows: 30,
    },
  );
  await terminal.shows(/up/);
  terminal.type("C-z");
  await terminal.shows(/stopped 148/);
  await terminal.shows(/went on/);
  terminal.type("C-c");
  await terminal.shows(/done 130/);
});
