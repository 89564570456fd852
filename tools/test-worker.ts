// One process that runs test files, one after another, and tells its parent what happens. A file is
// imported when the one before has finished, so whatever goes wrong belongs to one file.
// Started by test-runner.ts: node --test-reporter=test-reporter.ts test-worker.ts FILE…

import { AssertionError } from "node:assert/strict";
import { beforeEach } from "node:test";
import type { TestEvent } from "node:test/reporters";
import { pathToFileURL } from "node:url";
import { inspect } from "node:util";
import { testEvents } from "./test-reporter.ts";

export type WorkerMessage =
  | { readonly kind: "begin"; readonly file: string }
  | { readonly kind: "say"; readonly text: string }
  | { readonly kind: "pass"; readonly name: string }
  | { readonly kind: "skip"; readonly name: string; readonly reason: string }
  | { readonly kind: "fail"; readonly name: string; readonly at: string; readonly error: string }
  | { readonly kind: "end"; readonly file: string };

type Failure = Extract<TestEvent, { type: "test:fail" }>;
type Result = Extract<TestEvent, { type: "test:pass" }> | Failure;

// What a test left open keeps the process alive. It gets this long to close by itself.
const graceMs = 2000;

/** The names of the tests that are running, outermost first. */
const names: string[] = [];
/** At index n: whether a test or suite at depth n is known to have tests inside. */
const hasChildren: boolean[] = [];
let openTopLevelTests = 0;
let wakeAtRest: (() => void) | undefined;
let stray = "";

testEvents.on("event", (event) => {
  switch (event.type) {
    case "test:enqueue":
      openTopLevelTests += event.data.nesting === 0 ? 1 : 0;
      break;
    case "test:start":
      names[event.data.nesting] = event.data.name;
      names.length = event.data.nesting + 1;
      break;
    case "test:plan":
      // Comes before the result of the test or suite around it.
      hasChildren[event.data.nesting - 1] = true;
      break;
    case "test:diagnostic":
      // Of what is thrown after its test has ended nothing else tells.
      if (event.data.message.includes("asynchronous activity")) stray += `${event.data.message}\n`;
      break;
    case "test:pass":
    case "test:fail":
      report(event);
      break;
    default:
  }
});
// node:test keeps diagnostics back until the test is over; a long test wants to be heard before.
beforeEach((t) => {
  if ("diagnostic" in t) {
    t.diagnostic = (text: string) => send({ kind: "say", text });
  }
});
// node:test fails the test that is running. For errors outside of any it only sets the exit code.
process.on("uncaughtException", (err, origin) => {
  stray += `${origin}: ${inspect(err)}\n`;
});
process.on("unhandledRejection", (err) => {
  stray += `unhandledRejection: ${inspect(err)}\n`;
});

// The runner was killed: nobody is left to end this process group, so it ends itself.
process.on("disconnect", () => process.kill(-process.pid, "SIGKILL"));
process.channel?.unref();

for (const file of process.argv.slice(2)) {
  await runFile(file);
}
const watchdog = setTimeout(() => process.exit(0), graceMs);
watchdog.unref();

async function runFile(file: string): Promise<void> {
  send({ kind: "begin", file });
  try {
    await import(pathToFileURL(file).href);
  } catch (err) {
    send({ kind: "fail", name: "(import)", at: file, error: inspect(err) });
  }
  await aTurn();
  if (openTopLevelTests > 0) {
    await new Promise<void>((resolve) => {
      wakeAtRest = resolve;
    });
  }
  await aTurn();
  if (process.exitCode) {
    const code = `the exit code was set to ${process.exitCode}`;
    const error = `An error was thrown while no test was running: ${stray || code}`;
    send({ kind: "fail", name: "(outside of the tests)", at: file, error });
    process.exitCode = undefined;
    stray = "";
  }
  send({ kind: "end", file });
}

function report(event: Result): void {
  const { nesting, details, skip, todo } = event.data;
  const name = names.slice(0, nesting + 1).join(" > ");
  const isGroup = hasChildren[nesting] === true || details.type === "suite";
  hasChildren[nesting] = false;
  if (skip !== undefined || todo !== undefined) {
    send({ kind: "skip", name, reason: reasonText(skip) ?? `to do: ${reasonText(todo) ?? ""}` });
  } else if (event.type === "test:fail") {
    reportFailure(event, name);
  } else if (!isGroup) {
    send({ kind: "pass", name });
  }
  if (nesting === 0 && --openTopLevelTests === 0) {
    wakeAtRest?.();
  }
}

function reportFailure({ data }: Failure, name: string): void {
  const { error } = data.details;
  // Those inside have reported for themselves.
  if (!("failureType" in error && error.failureType === "subtestsFailed")) {
    const at = `${data.file ?? ""}:${data.line ?? 0}`;
    send({ kind: "fail", name, at, error: errorText(error.cause ?? error) });
  }
}

/** An AssertionError says it all in its message; its properties only repeat that. */
function errorText(err: unknown): string {
  return err instanceof AssertionError ? (err.stack ?? err.message) : inspect(err);
}

function reasonText(mark: string | boolean | undefined): string | undefined {
  return mark === true ? "no reason given" : mark || undefined;
}

/** Lets the reporter's stream deliver what has happened. */
function aTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(() => setImmediate(resolve));
  });
}

function send(message: WorkerMessage): void {
  process.send?.(message);
}
