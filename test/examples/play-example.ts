// An example as a newcomer meets it: a real `driftless up`, a checkout with the example in it, and its README. The checkout is a copy, in which
// ports and programs may be others; everything of it is gone afterwards.

import { once } from "node:events";
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { delimiter, dirname, join } from "node:path";
import { type Ensured, ensureDebianPackages } from "../../tools/debian.ts";
import { UpDirectory } from "../up/driftless-up.ts";
import { ReadmeSession, stepsOf } from "./readme-session.ts";

const ROOT = new URL("../..", import.meta.url).pathname;
export const EXAMPLES: string = join(ROOT, "examples");

/** Why an example that needs these cannot run here; false if it can. For `skip`. */
export function cannotPlay(...needs: readonly Ensured[]): string | false {
  if (process.getuid?.() !== 0) return "needs root, for a node";
  const missing = needs.find(({ ok }) => !ok);
  return missing === undefined || missing.ok ? false : missing.reason;
}

export function curl(): Promise<Ensured> {
  return ensureDebianPackages([{ command: "curl", package: "curl" }]);
}

export interface PlayOptions {
  /** Words of the example's files, and what they are in the copy. */
  readonly replace?: Readonly<Record<string, string>>;
  /** Directories of programs that the commands need. */
  readonly path?: readonly string[];
}

/** Does what the README says, in its order, and throws when something is not as it says. */
export async function playExample(name: string, options: PlayOptions = {}): Promise<void> {
  await using directory = new UpDirectory();
  const checkout = copiedCheckout(name, join(directory.root, "checkout"), options.replace ?? {});
  const up = await directory.start({ flags: ["--drain"] });
  // Where "driftless" looks when it is told nothing.
  symlinkSync(directory.path, join(directory.root, ".driftless"));
  mkdirSync(join(directory.root, "tmp"));
  const { KUBECONFIG: _, ...env } = process.env;
  const path = [...(options.path ?? []), dirname(process.execPath), env["PATH"]].join(delimiter);
  const readme = readFileSync(join(checkout, "examples", name, "README.md"), "utf8");
  {
    await using session = new ReadmeSession({
      cwd: checkout,
      env: { ...env, HOME: directory.root, TMPDIR: join(directory.root, "tmp"), PATH: path },
    });
    await session.play(stepsOf(readme));
  }
  await up.end("SIGINT");
}

function copiedCheckout(
  name: string,
  checkout: string,
  replace: Readonly<Record<string, string>>,
): string {
  const example = join(checkout, "examples", name);
  mkdirSync(example, { recursive: true });
  cpSync(join(EXAMPLES, name), example, { recursive: true });
  for (const linked of ["driftless", "node_modules", "package.json"]) {
    symlinkSync(join(ROOT, linked), join(checkout, linked));
  }
  for (const file of readdirSync(example)) {
    let text = readFileSync(join(example, file), "utf8");
    for (const [from, to] of Object.entries(replace)) text = text.replaceAll(from, to);
    writeFileSync(join(example, file), text);
  }
  return checkout;
}

/** A port of the loopback that nobody uses at the moment. */
export async function freePort(): Promise<string> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("Cannot find a free port");
  return String(address.port);
}
