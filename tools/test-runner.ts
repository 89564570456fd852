// Runs test files in worker processes and reports: a line per file as it finishes, then all failures in
// full, the skipped tests with their reasons, and the true counts. Whatever keeps a file from saying how
// it went (a crash, an exit, silence, no tests at all) counts as a failure of that file.
//
// With `repeatFailed`, a file with a process of its own that failed runs once more when all others are
// through, alone on the machine and with the seed that it printed. If it passes then, it is called UNSTABLE
// and its failure is shown in full; a fault in the product that chance found fails again.

import { type ChildProcess, spawn } from "node:child_process";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { untilSpare } from "./spare-processor.ts";
import type { WorkerMessage } from "./test-worker.ts";

export interface TestRunOptions {
  /** Paths in the output are relative to it, and the workers run in it. */
  readonly root: string;
  /** Absolute paths. The files of a group share one process, one after another. */
  readonly groups: readonly (readonly string[])[];
  readonly env: NodeJS.ProcessEnv;
  /** For one test. A worker that says nothing for longer than that, and a little, is killed. */
  readonly timeoutMs: number;
  /** How many workers run at a time, */
  readonly concurrency: number;
  /** and how many more while the processors have nothing to do. */
  readonly extra?: number;
  readonly print: (line: string) => void;
  /** How many files may have a second run; more that fail are no accident. */
  readonly repeatFailed?: number;
  /** Ends all workers at once; their files fail. */
  readonly signal: AbortSignal;
}

export interface TestCounts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

interface Failure {
  readonly name: string;
  readonly at: string;
  readonly error: string;
}

interface FileResult {
  readonly file: string;
  readonly startedMs: number;
  passed: number;
  readonly failures: Failure[];
  readonly skips: { readonly name: string; readonly reason: string }[];
  /** What it printed, the end of it. */
  output: string;
  seed: string | undefined;
}

// Beyond the timeout of a test, for node:test to notice it first and say which test it was.
const slackMs = 5000;
const maxOutputChars = 20_000;
const maxLineChars = 200;
const worker = fileURLToPath(import.meta.resolve("./test-worker.ts"));
const reporter = import.meta.resolve("./test-reporter.ts");

export async function runTests(options: TestRunOptions): Promise<TestCounts> {
  const startedMs = performance.now();
  const results: FileResult[] = [];
  const queue = options.groups.filter((group) => group.length > 0);
  options.signal.addEventListener("abort", () => queue.splice(0), { once: true });
  const drain = async (): Promise<void> => {
    for (let group = queue.shift(); group; group = queue.shift()) {
      results.push(...(await runGroup(group, options)));
    }
  };
  const drainWhenIdle = async (): Promise<void> => {
    while (await untilSpare(() => queue.length === 0)) {
      const group = queue.shift();
      if (group) results.push(...(await runGroup(group, options)));
    }
  };
  await Promise.all([
    ...Array.from({ length: options.concurrency }, drain),
    ...Array.from({ length: options.extra ?? 0 }, drainWhenIdle),
  ]);
  const unstable = await repeatFailed(results, options);
  return summarize({ results, unstable, startedMs }, options);
}

/** The first results of the files that passed when they ran again: those take their places in `results`. */
async function repeatFailed(results: FileResult[], options: TestRunOptions): Promise<FileResult[]> {
  const alone = new Set(options.groups.filter(({ length }) => length === 1).flat());
  const failed = results.filter(({ failures }) => failures.length > 0);
  if (failed.length > (options.repeatFailed ?? 0) || options.signal.aborted) return [];
  const unstable: FileResult[] = [];
  for (const first of failed.filter(({ file }) => alone.has(file))) {
    const seed = first.seed === undefined ? {} : { DRIFTLESS_TEST_SEED: first.seed };
    const again = await runGroup([first.file], { ...options, env: { ...options.env, ...seed } });
    if (again.some(({ failures }) => failures.length > 0)) continue;
    results.splice(results.indexOf(first), 1, ...again);
    unstable.push(first);
  }
  return unstable;
}

/** Runs the files in one process, and in a new one from where the process died. */
async function runGroup(files: readonly string[], options: TestRunOptions): Promise<FileResult[]> {
  const results: FileResult[] = [];
  while (results.length < files.length) {
    results.push(...(await runWorker(files.slice(results.length), options)));
  }
  return results;
}

/** The results of the files that it got to: all of them, or up to the one in which it died. */
async function runWorker(files: readonly string[], options: TestRunOptions): Promise<FileResult[]> {
  const finished: FileResult[] = [];
  let current = newResult(files[0] ?? "");
  const child = startWorker(files, options);
  let silence: NodeJS.Timeout | undefined;
  let killedFor: string | undefined;
  const kill = (reason: string): void => {
    killedFor = reason;
    killGroup(child);
  };
  const heard = (): void => {
    clearTimeout(silence);
    const limitMs = options.timeoutMs + slackMs;
    silence = setTimeout(() => kill(`No test ended within ${limitMs} ms`), limitMs);
  };
  const onAbort = (): void => kill("The test run was stopped");
  options.signal.addEventListener("abort", onAbort, { once: true });
  heard();
  child.on("message", (message) => {
    heard();
    current = take(message as WorkerMessage, current, { finished, options });
  });
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (text: string) => {
      current.output = (current.output + text).slice(-maxOutputChars);
      current.seed ??= seedIn(text);
    });
  }
  const how = await ending(child);
  clearTimeout(silence);
  options.signal.removeEventListener("abort", onAbort);
  // What its tests started and left behind goes too.
  killGroup(child);
  if (finished.length < files.length) {
    const error = killedFor ?? `The process ended with ${how} before the file was through`;
    current.failures.push({ name: "(whole file)", at: current.file, error });
    finish(current, { finished, options });
  }
  return finished;
}

function startWorker(
  files: readonly string[],
  { root, env, timeoutMs }: TestRunOptions,
): ChildProcess {
  // NODE_TEST_CONTEXT would make the worker believe that it belongs to a node:test further up.
  const { NODE_TEST_CONTEXT: _, ...clean } = env;
  const flags = [`--test-reporter=${reporter}`, `--test-timeout=${timeoutMs}`];
  return spawn(process.execPath, [...flags, worker, ...files], {
    cwd: root,
    env: clean,
    // A process group of its own, so that it can be killed with all that it started.
    detached: true,
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
}

function ending(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.on("error", (err) => resolve(err.message));
    child.on("exit", (code, signal) => {
      // Messages and output may still be on their way; something that a test left behind may hold the
      // pipes open for ever.
      const limit = setTimeout(() => resolve(signal ?? `code ${code}`), 500);
      child.on("close", () => {
        clearTimeout(limit);
        resolve(signal ?? `code ${code}`);
      });
    });
  });
}

function killGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) {
      process.kill(-pid, "SIGKILL");
    }
  } catch {
    // Nobody is left in the group: that is what we want.
  }
}

interface Sink {
  readonly finished: FileResult[];
  readonly options: TestRunOptions;
}

/** Returns the result that the next message belongs to. */
function take(message: WorkerMessage, current: FileResult, sink: Sink): FileResult {
  switch (message.kind) {
    case "begin":
      return newResult(message.file);
    case "say":
      current.seed ??= seedIn(message.text);
      sink.options.print(`        ${relative(sink.options.root, current.file)}: ${message.text}`);
      break;
    case "pass":
      current.passed++;
      break;
    case "skip":
      current.skips.push(message);
      break;
    case "fail":
      current.failures.push(message);
      break;
    case "end":
      finish(current, sink);
      break;
  }
  return current;
}

function newResult(file: string): FileResult {
  return {
    file,
    startedMs: performance.now(),
    passed: 0,
    failures: [],
    skips: [],
    output: "",
    seed: undefined,
  };
}

const seedIn = (text: string): string | undefined => /\bseed[:=]? *(\d+)/i.exec(text)?.[1];

function finish(result: FileResult, { finished, options }: Sink): void {
  const { file, passed, failures, skips } = result;
  if (passed + failures.length + skips.length === 0) {
    failures.push({ name: "(whole file)", at: file, error: "The file has no tests" });
  }
  finished.push(result);
  const count = passed + failures.length;
  const tests = count === 1 ? "1 test" : `${count} tests`;
  const skipped = skips.length > 0 ? `, ${skips.length} skipped` : "";
  const seconds = ((performance.now() - result.startedMs) / 1000).toFixed(1);
  const mark = failures.length > 0 ? "FAILED " : "ok     ";
  options.print(`${mark} ${relative(options.root, file)}  ${tests}${skipped}  ${seconds} s`);
  // In full they follow at the end, which whoever watches would wait for.
  for (const { name, error } of failures) options.print(`        ${name}: ${firstLine(error)}`);
}

function firstLine(text: string): string {
  const [line = ""] = text.trim().split("\n", 1);
  return line.length > maxLineChars ? `${line.slice(0, maxLineChars)}…` : line;
}

interface Outcome {
  readonly results: readonly FileResult[];
  readonly unstable: readonly FileResult[];
  readonly startedMs: number;
}

function summarize(
  { results, unstable, startedMs }: Outcome,
  { root, print }: TestRunOptions,
): TestCounts {
  const showFailures = ({ failures, output }: FileResult, mark: string): void => {
    for (const { name, at, error } of failures) {
      print(`\n${mark} ${name}\n  at ${relative(root, at)}\n${indent(error)}`);
    }
    if (failures.length > 0 && output.trim() !== "") {
      print(`  the file printed:\n${indent(output.trimEnd())}`);
    }
  };
  for (const result of unstable) showFailures(result, "UNSTABLE (it passed when repeated alone)");
  for (const result of results) showFailures(result, "FAILED");
  const skips = results.flatMap(({ file, skips }) => skips.map((skip) => ({ file, ...skip })));
  for (const [index, { file, name, reason }] of skips.entries()) {
    print(`${index === 0 ? "\n" : ""}skipped ${relative(root, file)}  ${name}: ${reason}`);
  }
  const passed = results.reduce((sum, result) => sum + result.passed, 0);
  const failed = results.reduce((sum, result) => sum + result.failures.length, 0);
  print("");
  const shaky = unstable.length > 0 ? `, ${unstable.length} unstable` : "";
  print(
    `${skips.length} skipped${shaky}, ${((performance.now() - startedMs) / 1000).toFixed(1)} s`,
  );
  print(`${passed} passed, ${failed} failed`);
  return { passed, failed, skipped: skips.length };
}

function indent(text: string): string {
  return text.replaceAll(/^(?=.)/gm, "    ");
}
