// `npm run demo`: a volume, an app that watches it, and five versions, one of them bad.

import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readlinkSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { systemClock } from "../src/base/clock.ts";
import { SHORT_VERSION_DIGITS } from "../src/base/content-version.ts";
import { createLogger } from "../src/base/logger.ts";
import { systemRandom } from "../src/base/random.ts";
import { AtomicWriter } from "../src/files/atomic-writer.ts";
import { Payload } from "../src/files/payload.ts";
import { currentProcess } from "../src/files/process-identity.ts";
import { bold, dim, green, red } from "./colour.ts";

const APP = fileURLToPath(new URL("app.ts", import.meta.url));
const PAUSE_MS = 1200;

interface Said {
  readonly what: "initial" | "update" | "reload" | "refused";
  readonly atNs: string;
  readonly version: string;
  readonly value?: { readonly greeting: string; readonly workers: number };
  readonly keys?: Record<"added" | "changed" | "removed", readonly string[]>;
  readonly why?: string;
  readonly still?: string;
}

const STEPS: readonly { readonly title: string; readonly files: Record<string, string> }[] = [
  {
    title: "a greeting changes",
    files: { "settings.json": settings("bonjour", 4), "motd.txt": "welcome" },
  },
  {
    title: "a bad edit: workers is not a number",
    files: { "settings.json": '{ "greeting": "hola", "workers": "many" }', "motd.txt": "welcome" },
  },
  {
    title: "the edit is mended, and a key is added",
    files: { "settings.json": settings("hola", 8), "motd.txt": "welcome", "flags/beta": "on" },
  },
  {
    title: "a key is removed",
    files: { "settings.json": settings("hola", 8), "flags/beta": "on" },
  },
];

const volume = mkdtempSync(join(tmpdir(), "driftless-demo-"));
const writer = new AtomicWriter({
  directory: volume,
  self: currentProcess(),
  clock: systemClock,
  random: systemRandom,
  logger: createLogger({ level: "warn", destination: process.stderr }),
});
const startMs = systemClock.monotonicMs();

console.log(
  bold("Driftless: a volume, an app that watches it, and five versions, one of them bad."),
);
console.log(dim(`volume ${volume}, app demo/app.ts\n`));

let app: ChildProcess | undefined;
process.on("exit", () => {
  app?.kill();
  rmSync(volume, { recursive: true, force: true });
});
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));
process.stdout.on("error", () => process.exit(1)); // Nobody reads on, as in `npm run demo | head`.

write("the first version", { "settings.json": settings("hello", 4), "motd.txt": "welcome" });
app = spawn(process.execPath, [APP, volume], { stdio: ["ignore", "pipe", "inherit"] });
const lines = linesOf(app);
show(await lines(), undefined);
for (const { title, files } of STEPS) {
  await sleep(PAUSE_MS);
  const swappedNs = write(title, files);
  show(await lines(), swappedNs);
}
await sleep(PAUSE_MS / 2);
printVolume();
app.kill();

function settings(greeting: string, workers: number): string {
  return JSON.stringify({ greeting, workers });
}

/** Writes a version; returns the time right before, by the clock that the app stamps with. */
function write(title: string, files: Record<string, string>): bigint {
  const entries = Object.entries(files).map(
    ([path, text]) => [path, { data: Buffer.from(text), mode: 0o644 }] as const,
  );
  const before = process.hrtime.bigint();
  const { version } = writer.write(Payload.from(entries));
  line("write", `${short(version)}  ${title}`);
  return before;
}

function show(said: Said, swappedNs: bigint | undefined): void {
  if (said.what === "refused") {
    line("app", red(`${short(said.version)}  refused: ${said.why}`));
    line("", red(`            still running on ${said.still}`));
    return;
  }
  const keys = Object.entries(said.keys ?? {}).flatMap(([how, names]) =>
    names.map((name) => `${how} ${name}`),
  );
  const lag = swappedNs === undefined ? "at start" : `after ${lagMs(said, swappedNs)} ms`;
  const what = said.what === "initial" ? "" : `, ${keys.join(", ")}`;
  const value = `"${said.value?.greeting}", ${said.value?.workers} workers`;
  line("app", `${green(`${short(said.version)}  ${value}`)} ${dim(`${lag}${what}`)}`);
}

function lagMs(said: Said, swappedNs: bigint): string {
  return (Number(BigInt(said.atNs) - swappedNs) / 1e6).toFixed(1);
}

function line(who: string, text: string): void {
  const seconds = ((systemClock.monotonicMs() - startMs) / 1000).toFixed(1);
  console.log(`${dim(`${seconds.padStart(4)} s`)}  ${who.padEnd(5)}  ${text}`);
}

function printVolume(): void {
  console.log(
    `\n${bold("What is on disk")} ${dim("(the kubelet's layout: every watcher that knows it works)")}`,
  );
  for (const entry of readdirSync(volume, { withFileTypes: true })) {
    const target = entry.isSymbolicLink() ? ` -> ${readlinkSync(join(volume, entry.name))}` : "/";
    console.log(`  ${entry.name}${target}`);
  }
  console.log(`\n${bold("Next")}
  demo/app.ts               what an app has to do: twenty lines
  packages/config/README.md the library: snapshots, watching, checks, explain, acknowledgement
  npm test                  every test, with a writer killed at each of its system calls
  npm run bench             how fast, against plain C`);
}

/** The app's lines, one per call. Rejects when the app ends instead. */
function linesOf(child: ChildProcess): () => Promise<Said> {
  if (child.stdout === null) throw new Error("the app has no output to read");
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return async () => {
    const { value, done } = await lines.next();
    if (done) throw new Error("The app ended early: see above what it said");
    return JSON.parse(value as string) as Said;
  };
}

function short(version: string): string {
  return version.slice(0, SHORT_VERSION_DIGITS);
}
