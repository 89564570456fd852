// Finds what "source/file" and "source/*.yaml" mean in what the sources hold. A name has to be there, unless its source is optional; a glob may find nothing.

import { compareUtf8 } from "../base/content-version.ts";
import type { SourceSpec } from "./compose-model.ts";
import { fixedDirectory, globExpression, isGlob } from "./make/glob.ts";
import { type Input, MakeError } from "./make/make-error.ts";
import type { TemplateSources } from "./make/template.ts";
import type { SourceContent, SourceFile } from "./source.ts";

export interface FoundInput {
  readonly input: Input;
  /** The name without the directories that the address spells out. */
  readonly relative: string;
  /** From an annotation. */
  readonly folder: string | undefined;
  /** For people: the address and where it comes from. */
  readonly from: string;
}

/** "source/file" cut at its first slash; without one, all files of the source. */
export function splitAddress(address: string): { readonly source: string; readonly file: string } {
  const slash = address.indexOf("/");
  if (slash === -1) return { source: address, file: "**" };
  return { source: address.slice(0, slash), file: address.slice(slash + 1) || "**" };
}

interface NamedFile {
  /** Without the folder that an annotation puts in front. */
  readonly name: string;
  readonly file: SourceFile;
}

export class ComposeInputs {
  readonly #specs: ReadonlyMap<string, SourceSpec>;
  /** In the order of their names. */
  readonly #files = new Map<string, readonly NamedFile[]>();

  constructor(
    specs: ReadonlyMap<string, SourceSpec>,
    contents: ReadonlyMap<string, SourceContent | undefined>,
  ) {
    this.#specs = specs;
    for (const [source, content] of contents) {
      const sorted = [...(content?.files ?? [])].toSorted(([a], [b]) => compareUtf8(a, b));
      this.#files.set(
        source,
        sorted.map(([name, file]) => ({ name: withoutFolder(name, file), file })),
      );
    }
  }

  /** Throws MakeError when a name is missing that has to be there. */
  find(address: string): FoundInput[] {
    const { source, file } = splitAddress(address);
    const spec = this.#specs.get(source);
    if (spec === undefined) throw new MakeError(`there is no source "${source}"`);
    const files = this.#files.get(source) ?? [];
    const expression = globExpression(file);
    const found = files.filter(({ name }) =>
      isGlob(file) ? expression.test(name) : name === file,
    );
    if (found.length === 0 && !isGlob(file) && !isOptional(spec)) {
      throw new MakeError(`source "${source}" has no "${file}"${choiceOf(files)}`);
    }
    const fixed = fixedDirectory(file).length;
    return found.map((one) => foundInput(source, one, fixed));
  }

  get forTemplates(): TemplateSources {
    const sources = new Map<string, Map<string, Input>>();
    for (const [source, files] of this.#files) {
      const inputs = files.map(({ name, file }) => [name, inputOf(source, name, file)] as const);
      sources.set(source, new Map(inputs));
    }
    return sources;
  }
}

function foundInput(source: string, { name, file }: NamedFile, fixed: number): FoundInput {
  const input = inputOf(source, name, file);
  const from = `${input.address} (${file.origin})`;
  return { input, relative: name.slice(fixed), folder: file.folder, from };
}

function inputOf(source: string, name: string, { data, isSecret }: SourceFile): Input {
  return { address: `${source}/${name}`, name, data, isSecret };
}

function withoutFolder(name: string, { folder }: SourceFile): string {
  return folder !== undefined && name.startsWith(`${folder}/`)
    ? name.slice(folder.length + 1)
    : name;
}

function isOptional(spec: SourceSpec): boolean {
  return "optional" in spec && spec.optional;
}

const MAX_SHOWN = 8;

function choiceOf(files: readonly NamedFile[]): string {
  if (files.length === 0) return ": it is empty";
  const names = files.slice(0, MAX_SHOWN).map(({ name }) => `"${name}"`);
  const more = files.length > MAX_SHOWN ? ` and ${files.length - MAX_SHOWN} more` : "";
  return `; it has ${names.join(", ")}${more}`;
}
