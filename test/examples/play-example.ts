// An example as a newcomer meets it: a real `driftless up`, a checkout with the example in it, and its README. The checkout is a copy, in which
// ports and programs may be others; everything of it is gone afterwards.

import { once } from "node:events";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { delimiter, dirname, join } from "node:path";
import { type Ensured, ensureDebianPackages } from "../../tools/debian.ts";
import { UpDirectory } from "../up/driftless-up.ts";
import { ReadmeSession, stepsOf } from "./readme-session.ts";

const ROOT = new URL("../..", import.meta.url).pathname;
export const EXAMPLES: string = join(ROOT, "examples");

/** Why an example that needs these cannot run here; false if it can. For `skip`. */
export function cannotPlay(...needs: readonly Ensured[]): string | false {
  return process.getuid?.() === 0 ? whyNot(...needs) : "needs root, for a node";
}

/** The same for an example that needs no node. */
export function whyNot(...needs: readonly Ensured[]): string | false {
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
  /** Directories of their libraries. */
  readonly libraries?: readonly string[];
}

/** Does what the README says, in its order, and throws when something is not as it says. */
export async function playExample(name: string, options: PlayOptions = {}): Promise<void> {
  await playExamples([name], options, (readme) => readme);
}

/** With one Driftless for all of them. `part`: what of a README is played. */
export async function playExamples(
  names: readonly string[],
  options: PlayOptions,
  part: (readme: string) => string,
): Promise<void> {
  await using directory = new UpDirectory();
  const checkout = join(directory.root, "checkout");
  for (const name of names) copiedCheckout(name, checkout, options.replace ?? {});
  const up = await directory.start({ flags: ["--drain"] });
  // Where "driftless" looks when it is told nothing.
  symlinkSync(directory.path, join(directory.root, ".driftless"));
  const env = environmentIn(directory.root, {
    ...{ path: options.path ?? [], libraries: options.libraries ?? [] },
  });
  for (const name of names) {
    const readme = readFileSync(join(checkout, "examples", name, "README.md"), "utf8");
    await using session = new ReadmeSession({ cwd: checkout, env });
    await session.play(stepsOf(part(readme)));
  }
  await up.end("SIGINT");
}

/** For commands of a README; all that they write is below `home`. */
export function environmentIn(
  home: string,
  programs: Required<Pick<PlayOptions, "path" | "libraries">>,
): NodeJS.ProcessEnv {
  const { KUBECONFIG: _, ...env } = process.env;
  const tmp = join(home, "tmp");
  mkdirSync(tmp);
  const path = [...programs.path, dirname(process.execPath), env["PATH"]].join(delimiter);
  const libraries = programs.libraries.join(delimiter);
  return {
    ...{ ...env, HOME: home, TMPDIR: tmp, PATH: path },
    ...(libraries === "" ? {} : { LD_LIBRARY_PATH: libraries }),
  };
}

/** Of the checkout, what an example needs: the example itself with other ports and programs, and links to the rest. */
export function copiedCheckout(
  name: string,
  checkout: string,
  replace: Readonly<Record<string, string>>,
): string {
  const example = join(checkout, "examples", name);
  mkdirSync(example, { recursive: true });
  cpSync(join(EXAMPLES, name), example, { recursive: true });
  for (const linked of ["driftless", "node_modules", "package.json"]) {
    const link = join(checkout, linked);
    if (!existsSync(link)) symlinkSync(join(ROOT, linked), link);
  }
  for (const file of readdirSync(example, { recursive: true, encoding: "utf8" })) {
    if (statSync(join(example, file)).isDirectory()) continue;
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
