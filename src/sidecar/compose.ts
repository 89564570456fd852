// From what the sources hold to the files that should be live. Pure: the same contents give the same files, and nothing is read, written or waited for here. Either
// all files can be made or none is handed out; all problems are told together, and none of them shows what a Secret holds.

import { createHash } from "node:crypto";
import { posix } from "node:path";
import { compareUtf8, versionOf } from "../base/content-version.ts";
import { checkPath } from "../files/payload-path.ts";
import { ComposeInputs, type FoundInput } from "./compose-inputs.ts";
import type { Compose, FileSpec, MakeSpec } from "./compose-model.ts";
import { concatenated } from "./make/concat.ts";
import { decoded } from "./make/decode.ts";
import { substituted, type Variables } from "./make/envsubst.ts";
import { type Input, MakeError } from "./make/make-error.ts";
import { merged } from "./make/merge.ts";
import { pairs } from "./make/pairs.ts";
import { rendered } from "./make/template.ts";
import { insidePath } from "./publish/inside-path.ts";
import type { Candidate, CandidateFile } from "./publisher.ts";
import type { SourceContent } from "./source.ts";

export interface SourceContents {
  /** Of every source; undefined: nothing was ever known of it. */
  readonly contents: ReadonlyMap<string, SourceContent | undefined>;
  /** What $(VAR) means. */
  readonly variables: Variables;
}

/** Of a file of the candidate, for people. */
interface MadeFile {
  /** Made of a Secret, or with one: not to be shown. */
  readonly isSecret: boolean;
  /** What it is made of, such as "app/nginx.conf (configmap/app in default)". A template's sources are not listed. */
  readonly from: readonly string[];
}

export type Composed =
  | {
      readonly candidate: Candidate;
      /** By path, as in the candidate. */
      readonly made: ReadonlyMap<string, MadeFile>;
      /** What was left out and why; the rest can be published. */
      readonly notes: readonly string[];
      /** How many variables are referred to, not set, and kept as they are. */
      readonly unsetVariables: number;
    }
  | { readonly problems: readonly string[] };

const PLAIN_MODE = 0o644;
const SECRET_MODE = 0o600;
/** Of a path with a folder that an annotation names: wherever it goes, there must be room for what is in front of it. */
const MAX_PLACED_LENGTH = 1024;

interface Made extends MadeFile {
  readonly data: Uint8Array;
  readonly spec: FileSpec;
  /** An annotation of its object chose the folder. */
  readonly isPlaced?: boolean;
}

export function compose(spec: Compose, { contents, variables }: SourceContents): Composed {
  const problems: string[] = [];
  for (const name of spec.sources.keys()) {
    if (contents.get(name) === undefined) problems.push(`source "${name}" has nothing yet`);
  }
  if (problems.length > 0) return { problems };

  const composer = new Composer(spec, { contents, variables });
  for (const file of filesOf(spec)) {
    try {
      composer.make(file);
    } catch (err) {
      if (!(err instanceof MakeError)) throw err;
      problems.push(`file "${file.path}": ${err.message}`);
    }
  }
  problems.push(...composer.unnest());
  if (problems.length > 0) return { problems };
  const { made, notes, unset } = composer;
  const candidate = candidateOf(made, watchedVersions(spec, contents));
  return { candidate, made, notes, unsetVariables: unset.size };
}

/** What is only watched is no file of the set, and yet another version of it is another version of the set: then the app is told. */
function watchedVersions(
  { watched = [] }: Compose,
  contents: SourceContents["contents"],
): readonly string[] {
  return watched.map((name) => `${name} ${contents.get(name)?.version ?? ""}`).toSorted();
}

/** Where nothing is written, everything counts: its version is what changes. */
function filesOf({ files, output, sources }: Compose): readonly FileSpec[] {
  if (files.length > 0 || output.type !== "none") return files;
  return [...sources.keys()].map((name) => ({
    path: `${name}/`,
    make: { type: "copy", from: `${name}/**`, rename: undefined },
    ...{ decode: [], mode: undefined, owner: undefined },
  }));
}

class Composer {
  /** By path; later entries replace earlier ones. */
  readonly made = new Map<string, Made>();
  readonly notes: string[] = [];
  /** Variables. */
  readonly unset = new Set<string>();
  readonly #spec: Compose;
  readonly #inputs: ComposeInputs;
  readonly #variables: Variables;

  constructor(spec: Compose, { contents, variables }: SourceContents) {
    this.#spec = spec;
    this.#inputs = new ComposeInputs(spec.sources, contents);
    this.#variables = variables;
  }

  make(spec: FileSpec): void {
    const { make } = spec;
    if (make.type === "copy") {
      this.#copy(spec, make);
      return;
    }
    if (isDirectoryPath(spec.path)) throw new MakeError("only a copy can go to a directory");
    const inputs = this.#decoded(spec);
    // A file made of nothing would be an empty one.
    if (inputs.length === 0 && make.type !== "text") {
      const isLacking = "from" in make ? [make.from].flat().join(", ") : "";
      this.notes.push(`file "${spec.path}" is left out: there is nothing in ${isLacking}`);
      return;
    }
    const { data, isSecret } = this.#content(make, inputs);
    this.#put(spec.path, { data, isSecret, from: inputs.map(({ from }) => from), spec });
  }

  #decoded({ make, decode }: FileSpec): (Input & { readonly from: string })[] {
    const addresses = "from" in make ? [make.from].flat() : [];
    return addresses
      .flatMap((address) => this.#inputs.find(address))
      .map((found) => ({ ...decoded(found.input, decode), from: found.from }));
  }

  #content(
    make: Exclude<MakeSpec, { type: "copy" }>,
    inputs: readonly Input[],
  ): { readonly data: Uint8Array; readonly isSecret: boolean } {
    const isSecret = inputs.some((input) => input.isSecret);
    switch (make.type) {
      case "concat":
        return { data: concatenated(inputs, make.separator), isSecret };
      case "merge":
        return { data: merged(inputs, make), isSecret };
      case "pairs":
        return { data: pairs(inputs, make.format), isSecret };
      case "template":
        return rendered(onlyOne(inputs), this.#inputs.forTemplates);
      case "envsubst":
        return { data: this.#substituted(make, onlyOne(inputs)), isSecret };
      case "text": {
        const data = Buffer.from(make.text);
        if (!make.isTemplate) return { data, isSecret: false };
        const template = { address: "text", name: "text", data, isSecret: false };
        return rendered(template, this.#inputs.forTemplates);
      }
    }
  }

  #substituted(make: Extract<MakeSpec, { type: "envsubst" }>, input: Input): Uint8Array {
    const variables = { ...this.#variables, ...Object.fromEntries(make.variables ?? []) };
    const keepsUnset = make.keepsUnset === true;
    const { data, unset } = substituted(input, { variables, keepsUnset });
    for (const name of unset) {
      this.unset.add(name);
      this.notes.push(
        `${input.address}: $(${name}) stays, because the environment does not have it`,
      );
    }
    return data;
  }

  #copy(spec: FileSpec, make: Extract<MakeSpec, { type: "copy" }>): void {
    const found = this.#inputs.find(make.from);
    const isDirectory = isDirectoryPath(spec.path);
    if (!isDirectory && found.length > 1) {
      throw new MakeError(`${make.from} is ${found.length} files; let the path end in "/"`);
    }
    for (const one of found) {
      const { data, isSecret } = decoded(one.input, spec.decode);
      const name = isDirectory ? renamed(one.relative, make.rename) : "";
      const path = isDirectory ? this.#pathBelow(spec.path, one, name) : spec.path;
      const isPlaced = one.folder !== undefined;
      if (path !== undefined) this.#put(path, { data, isSecret, from: [one.from], spec, isPlaced });
    }
  }

  /** With the folder that an annotation names. What somebody else chose, and is no path, must not keep everybody's files away: it is left out. */
  #pathBelow(directory: string, { folder, input }: FoundInput, name: string): string | undefined {
    if (folder === undefined) return posix.join(directory, name);
    const { output } = this.#spec;
    const root = output.type === "none" ? "/" : posix.resolve(output.path);
    const below = posix.isAbsolute(folder)
      ? posix.relative(root, posix.resolve(folder))
      : posix.join(directory, folder);
    const isOutside = below === ".." || below.startsWith("../");
    const path = isOutside ? posix.join(posix.resolve(root, below), name) : posix.join(below, name);
    const isAllowed = !isOutside || this.#allowsOutside;
    const isPath = path.length <= MAX_PLACED_LENGTH && checkPath(insidePath(path)).ok;
    if (isAllowed && isPath) return path;
    this.notes.push(
      `${input.address} is left out: "${folder}" is no folder below "${root}" that files can be in`,
    );
    return undefined;
  }

  /** Then absolute paths are possible, too. */
  get #allowsOutside(): boolean {
    const { output } = this.#spec;
    return output.type === "files" && output.allowsOutside === true;
  }

  #put(spelling: string, made: Made): void {
    const root = this.#allowsOutside && posix.isAbsolute(spelling) ? "/" : "";
    const checked = checkPath(spelling.slice(root.length));
    if (!checked.ok) throw new MakeError(`"${spelling}" is no path for a file: ${checked.why}`);
    const path = root + checked.path;
    this.made.delete(path);
    this.made.set(path, made);
  }

  /** What cannot be both a file and a directory is a problem; but where somebody's annotation chose the folder, that file is left out. */
  unnest(): readonly string[] {
    const problems: string[] = [];
    for (const [path, { isPlaced = false, from }] of this.made) {
      const parent = [...pathsAbove(path)].find((one) => this.made.has(one));
      if (parent === undefined) continue;
      const problem = `"${parent}" would be a file and, for "${path}", a directory too`;
      const above = this.made.get(parent);
      if (isPlaced) this.#leaveOut(path, from, problem);
      else if (above?.isPlaced === true) this.#leaveOut(parent, above.from, problem);
      else problems.push(problem);
    }
    return problems;
  }

  #leaveOut(path: string, from: readonly string[], why: string): void {
    this.made.delete(path);
    this.notes.push(`${from.join(", ")} is left out: ${why}`);
  }
}

function isDirectoryPath(path: string): boolean {
  return path === "" || path === "." || path.endsWith("/");
}

function renamed(name: string, rename: { match: string; to: string } | undefined): string {
  return rename === undefined ? name : name.replace(new RegExp(rename.match, "u"), rename.to);
}

function onlyOne(inputs: readonly Input[]): Input {
  const [input] = inputs;
  if (input === undefined || inputs.length > 1) {
    throw new MakeError(`it takes one file, and these are ${inputs.length}`);
  }
  return input;
}

function* pathsAbove(path: string): Generator<string> {
  for (let slash = path.indexOf("/"); slash !== -1; slash = path.indexOf("/", slash + 1)) {
    yield path.slice(0, slash);
  }
}

function candidateOf(made: ReadonlyMap<string, Made>, watched: readonly string[]): Candidate {
  const sorted = [...made].toSorted(([a], [b]) => compareUtf8(a, b));
  const files = new Map<string, CandidateFile>();
  for (const [path, { data, isSecret, spec }] of sorted) {
    const mode = spec.mode ?? (isSecret ? SECRET_MODE : PLAIN_MODE);
    files.set(path, { data, mode, owner: spec.owner });
  }
  return { files, version: candidateVersion(files, watched) };
}

/** Of contents, modes and owners, and of what is watched besides. */
export function candidateVersion(
  files: ReadonlyMap<string, CandidateFile>,
  watched: readonly string[] = [],
): string {
  const sorted = [...files].toSorted(([a], [b]) => compareUtf8(a, b));
  const hash = createHash("sha256");
  hash.update(versionOf(sorted.map(([path, { data }]) => ({ path, data }))));
  for (const [, { mode, owner }] of sorted) {
    hash.update(` ${mode.toString(8)} ${owner === undefined ? "-" : `${owner.uid}:${owner.gid}`}`);
  }
  for (const one of watched) hash.update(`\n${one}`);
  return hash.digest("hex");
}
