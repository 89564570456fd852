// Runs the scripts in testdata/: commands, then what must be seen. Adding a case is adding lines there;
// testdata/README.md describes the language.

import assert from "node:assert/strict";
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  watch,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { systemClock } from "../base/clock.ts";
import { tempDir } from "../base/testing/temp-dir.ts";
import type { AtomicWriter } from "./atomic-writer.ts";
import { Payload, PayloadError } from "./payload.ts";
import { testWriter } from "./testing/test-writer.ts";
import { octal, readThroughLinks } from "./testing/volume-checks.ts";
import { WriteError } from "./write-error.ts";

const TESTDATA = fileURLToPath(new URL("testdata/", import.meta.url));

interface Step {
  readonly words: readonly string[];
  /** Indented lines below the command. */
  readonly block: string[];
}

interface Script {
  readonly name: string;
  readonly steps: readonly Step[];
  readonly expected: string;
}

class Run {
  readonly output: string[] = [];
  readonly #directory: string;
  /** Version directories in the order in which they appeared, to print as ..V1, ..V2 … */
  readonly #versions: string[] = [];
  readonly #events: string[] = [];
  #writer: AtomicWriter;

  constructor(directory: string) {
    this.#directory = directory;
    this.#writer = testWriter(directory);
  }

  async step({ words: [command, ...args], block }: Step): Promise<void> {
    const [first = "", ...rest] = args;
    const text = rest.join(" ");
    switch (command) {
      case "write":
        return this.#write(block, first === "deep");
      case "restart":
        this.#writer = testWriter(this.#directory);
        return undefined;
      case "mkdir":
        mkdirSync(this.#path(first), { recursive: true });
        return undefined;
      case "put":
        mkdirSync(dirname(this.#path(first)), { recursive: true });
        return writeFileSync(this.#path(first), text);
      case "link":
        return symlinkSync(this.#real(text), this.#path(first));
      case "rm":
        return rmSync(this.#path(first), { recursive: true });
      case "chmod":
        return chmodSync(this.#path(first), Number.parseInt(text, 8));
      case "umask":
        process.umask(Number.parseInt(first, 8));
        return undefined;
      case "watch":
        return this.#watch(block);
      default:
        throw new Error(`unknown command ${command}`);
    }
  }

  finish(): string {
    for (const file of readThroughLinks(this.#directory)) {
      this.output.push(`${file.path} @${octal(file.mode)} ${file.data.toString()}`.trimEnd());
    }
    const names = readdirSync(this.#directory, { withFileTypes: true }).map((entry) =>
      entry.isSymbolicLink() && entry.name.startsWith("..")
        ? `${entry.name}->${this.#shown(readlinkSync(`${this.#directory}/${entry.name}`))}`
        : this.#shown(entry.name),
    );
    this.output.push(`root: ${names.sort().join(" ")}`.trimEnd());
    return this.output.join("\n");
  }

  #write(block: readonly string[], deep: boolean): void {
    try {
      const result = this.#writer.write(parsePayload(block), deep ? { verify: "deep" } : {});
      if (!this.#versions.includes(result.versionDirectory)) {
        this.#versions.push(result.versionDirectory);
      }
      const why = [result.difference?.reason, this.#shown(result.difference?.path ?? "")];
      this.output.push([result.outcome, ...why].filter(Boolean).join(" "));
    } catch (err) {
      if (!(err instanceof PayloadError || err instanceof WriteError)) throw err;
      this.output.push(`refused: ${err.message.replaceAll(this.#directory, "VOLUME")}`);
    }
  }

  /** Runs the block with a watcher on the volume's root, then prints the names of the events. */
  async #watch(block: readonly string[]): Promise<void> {
    const watcher = watch(this.#directory, (event, name) => this.#events.push(`${event} ${name}`));
    try {
      this.#write(block, false);
      // The kernel queued the events during the write; the loop hands them out in its next turns.
      const seen = (): number => this.#events.length;
      for (let before = -1; before !== seen() || seen() === 0; await systemClock.sleep(0))
        before = seen();
    } finally {
      watcher.close();
    }
    const merged = this.#events.filter((event, index) => event !== this.#events[index - 1]);
    for (const event of merged) this.output.push(this.#shown(event));
  }

  #path(name: string): string {
    return `${this.#directory}/${this.#real(name)}`;
  }

  #real(name: string): string {
    return name.replace(
      /\.\.V(\d+)/,
      (_, number: string) => this.#versions[Number(number) - 1] ?? "",
    );
  }

  #shown(text: string): string {
    const version = /\.\.\d{4}(_\d\d){5}\.\d+/;
    return text.replace(version, (name) => {
      const index = this.#versions.indexOf(name);
      return index === -1 ? "..V?" : `..V${index + 1}`;
    });
  }
}

function parsePayload(block: readonly string[]): Payload {
  const entries = block.map((line) => {
    const match = /^(\S+)(?: @(\d+))?(?: (.*))?$/.exec(line);
    assert.ok(match, `a file is "path [@mode] [content]": ${line}`);
    const [, path = "", mode = "0644", content = ""] = match;
    const file = { data: Buffer.from(content), mode: Number.parseInt(mode, 8) };
    return [path === '""' ? "" : path, file] as const;
  });
  return Payload.from(entries);
}

function parseScripts(text: string): Script[] {
  return text
    .split(/^== /m)
    .slice(1)
    .map((part) => {
      const [head = "", ...lines] = part.split("\n");
      const separator = lines.indexOf("Output:");
      assert.notEqual(separator, -1, `"${head}" has an Output: line`);
      const steps: Step[] = [];
      for (const line of lines.slice(0, separator).filter((each) => each.trim() !== "")) {
        if (line.startsWith("  ")) steps.at(-1)?.block.push(line.trim());
        else steps.push({ words: line.split(" "), block: [] });
      }
      const expected = lines.slice(separator + 1).map((line) => line.trim());
      return { name: head, steps, expected: expected.join("\n").trim() };
    });
}

for (const file of readdirSync(TESTDATA).filter((name) => name.endsWith(".txt"))) {
  describe(`AtomicWriter script ${file}`, () => {
    for (const script of parseScripts(readFileSync(TESTDATA + file, "utf8"))) {
      it(script.name, async () => {
        using directory = tempDir();
        const umask = process.umask(0o022);
        try {
          const run = new Run(directory.path);
          for (const step of script.steps) await run.step(step);
          assert.equal(run.finish(), script.expected);
        } finally {
          process.umask(umask);
        }
      });
    }
  });
}

describe("the script language", () => {
  it("is able to fail: a wrong expectation is noticed", async () => {
    using directory = tempDir();
    const [script] = parseScripts("== x\nwrite\n  a 1\nOutput:\nwritten first\na @0644 2\n");
    assert.ok(script);
    const run = new Run(directory.path);
    for (const step of script.steps) await run.step(step);

    assert.notEqual(run.finish(), script.expected);
  });
});
