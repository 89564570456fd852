// Reads compose.yaml. Every mistake is told with its line and column, all of them at once; docs/sidecar.md shows all fields.

import { type Field, FieldFile, type Mistake } from "./compose-fields.ts";
import { allOfSources, type FileEntry, filesOf } from "./compose-file-files.ts";
import { gateOf, reloadOf } from "./compose-file-reload.ts";
import { sourcesOf } from "./compose-file-sources.ts";
import { splitAddress } from "./compose-inputs.ts";
import type { Compose, OutputSpec } from "./compose-model.ts";

/** What is wrong with a compose file; the message lists all of it, a line each. */
export class ComposeFileError extends Error {
  override readonly name = "ComposeFileError";
  readonly mistakes: readonly Mistake[];

  constructor(file: string, mistakes: readonly Mistake[]) {
    const lines = mistakes.map(
      ({ line, column, message }) => `${file}:${line}:${column}: ${message}`,
    );
    super(lines.join("\n"));
    this.mistakes = mistakes;
  }
}

const TOP = ["sources", "files", "output", "gate", "reload"];

/** `file` is its name, for messages. Throws ComposeFileError. */
export function readCompose(text: string, file: string): Compose {
  const read = new FieldFile(text);
  const compose = read.mistakes.length === 0 ? composeOf(read.top) : undefined;
  if (read.mistakes.length > 0 || compose === undefined) {
    const byPlace = read.mistakes.toSorted((a, b) => a.line - b.line || a.column - b.column);
    throw new ComposeFileError(file, byPlace);
  }
  return compose;
}

function composeOf(top: Field): Compose | undefined {
  const fields = top.fields(TOP);
  if (fields === undefined) return undefined;
  const sources = sourcesOf(fields.required("sources"));
  const output = outputOf(fields.required("output"));
  const listed = fields.get("files");
  const files = listed === undefined ? [] : filesOf(listed);
  checkAddresses(files, namesOf(fields.get("sources")));
  const gate = gateOf(fields.get("gate"));
  const reload = reloadOf(fields.get("reload"));
  const isFirstAtOnce = !hasMinWait(fields.get("reload")) && isOneThing(sources);
  if (output === undefined) return undefined;
  checkOutput(output, sources, fields.get("output"));
  const isWhole = listed === undefined && output.type !== "none";
  const specs = isWhole ? allOfSources(sources) : files.map(({ spec }) => spec);
  return { sources, files: specs, output, gate, reload: { ...reload, isFirstAtOnce } };
}

function hasMinWait(field: Field | undefined): boolean {
  return field?.isMap === true && field.fields()?.names.includes("minWait") === true;
}

/** One object, or one directory, file or address: what changes there changes at one instant. The environment never does. */
function isOneThing(sources: Compose["sources"]): boolean {
  const changing = [...sources.values()].filter(({ type }) => type !== "environment");
  const [only] = changing;
  if (only === undefined || changing.length > 1) return false;
  if (only.type !== "objects") return true;
  const { kinds, names, namespaces, followsUrls } = only;
  const places = namespaces === undefined ? 1 : namespaces.length;
  return namespaces !== "*" && kinds.length * places * (names?.length ?? 2) === 1 && !followsUrls;
}

/** Also of sources that are wrong otherwise: one mistake is told once. */
function namesOf(field: Field | undefined): readonly string[] {
  return field?.isMap === true ? (field.fields()?.names ?? []) : [];
}

/** What is below a source is not counted; the source itself cannot be left out. */
function checkOutput(
  output: OutputSpec,
  sources: Compose["sources"],
  field: Field | undefined,
): void {
  for (const [name, source] of sources) {
    const isSame =
      output.type !== "none" && source.type === "directory" && source.path === output.path;
    if (isSame) field?.mistake(`it is what source "${name}" reads; write somewhere else`);
  }
}

function checkAddresses(files: readonly FileEntry[], sources: readonly string[]): void {
  for (const { spec, field } of files) {
    for (const address of "from" in spec.make ? [spec.make.from].flat() : []) {
      const { source } = splitAddress(address);
      if (sources.includes(source) || sources.length === 0) continue;
      field.mistake(
        `"${address}": there is no source "${source}"; there are ${sources.join(", ")}`,
      );
    }
  }
}

function outputOf(field: Field | undefined): OutputSpec | undefined {
  if (field === undefined) return undefined;
  if (!field.isScalar) return outputMap(field);
  if (field.text() === "none") return { type: "none" };
  const path = outputPath(field);
  return path === undefined ? undefined : { type: "volume", path };
}

function outputPath(field: Field | undefined): string | undefined {
  const path = field?.absolutePath();
  return path === "/" ? field?.mistake("it must be a directory below /") : path;
}

function outputMap(field: Field): OutputSpec | undefined {
  const fields = field.fields(["volume", "files", "removeOthers", "allowOutside"]);
  const [type, where] = fields?.exactlyOne(["volume", "files"]) ?? [];
  const path = outputPath(where);
  if (fields === undefined || path === undefined) return undefined;
  if (type === "files") {
    const removesOthers = fields.flag("removeOthers", false);
    return { type, path, removesOthers, allowsOutside: fields.flag("allowOutside", false) };
  }
  fields.get("removeOthers")?.mistake("a volume is always replaced as a whole; this is for files");
  fields.get("allowOutside")?.mistake("a volume has nothing outside; this is for files");
  return { type: "volume", path };
}
