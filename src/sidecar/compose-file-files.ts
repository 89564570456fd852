// The files of compose.yaml: what each is made of, and what it looks like on disk.

import { checkPath } from "../files/payload-path.ts";
import type { Field, Fields } from "./compose-fields.ts";
import { splitAddress } from "./compose-inputs.ts";
import type { FileSpec, MakeSpec, SourceSpec } from "./compose-model.ts";
import { isGlob } from "./make/glob.ts";

const MAKES = [
  "copy",
  "concat",
  "merge",
  "dotenv",
  "properties",
  "ini",
  "template",
  "text",
  "envsubst",
] as const;
type Make = (typeof MAKES)[number];
const KNOWN = [
  "path",
  ...MAKES,
  "rename",
  "decode",
  "mode",
  "owner",
  "separator",
  "format",
  "lists",
  "render",
  "keepUnset",
];
/** Which of the fields go with one kind only. */
const ONLY: Readonly<Record<string, readonly Make[]>> = {
  rename: ["copy"],
  separator: ["concat"],
  format: ["merge"],
  lists: ["merge"],
  render: ["text"],
  keepUnset: ["envsubst"],
};
const PLAIN = { decode: [], mode: undefined, owner: undefined } as const;

export interface FileEntry {
  readonly spec: FileSpec;
  readonly field: Field;
}

export function filesOf(field: Field): readonly FileEntry[] {
  const items = field.items();
  if (items.length === 0) field.mistake("it needs at least one file");
  return items.flatMap((item) => {
    const spec = item.isScalar ? copyOf(item) : fileOf(item);
    return spec === undefined ? [] : [{ spec, field: item }];
  });
}

/** Everything, at the top of the output; later sources win. */
export function allOfSources(sources: ReadonlyMap<string, SourceSpec>): readonly FileSpec[] {
  return [...sources.keys()].map((name) => ({
    path: "./",
    make: { type: "copy", from: `${name}/**`, rename: undefined },
    ...PLAIN,
  }));
}

function copyOf(item: Field): FileSpec | undefined {
  const from = item.text();
  if (from === undefined) return undefined;
  return { path: pathFor(from), make: { type: "copy", from, rename: undefined }, ...PLAIN };
}

/** As it is called in its source; several go to the top. */
function pathFor(from: string): string {
  const { file } = splitAddress(from);
  return isGlob(file) ? "./" : file.slice(file.lastIndexOf("/") + 1);
}

function fileOf(item: Field): FileSpec | undefined {
  const fields = item.fields(KNOWN);
  const [type, value] = fields?.exactlyOne(MAKES) ?? [];
  if (fields === undefined || type === undefined || value === undefined) return undefined;
  for (const [name, types] of Object.entries(ONLY)) {
    if (!types.includes(type)) fields.get(name)?.mistake(`it goes with ${types.join(", ")} only`);
  }
  const path = pathOf(fields, type, value);
  const make = path === undefined ? undefined : makeOf({ type, value, fields, path });
  const decode = decodeOf(fields.get("decode"));
  const mode = modeOf(fields.get("mode"));
  const owner = ownerOf(fields.get("owner"));
  if (path === undefined || make === undefined) return undefined;
  return { path, make, decode, mode, owner };
}

function pathOf(fields: Fields, type: Make, value: Field): string | undefined {
  if (type === "copy" && fields.get("path") === undefined) return pathFor(value.text() ?? "");
  const field = fields.required("path");
  const path = field?.text();
  if (field === undefined || path === undefined) return undefined;
  const why =
    path === "." || path.endsWith("/")
      ? directoryOffence(path, type)
      : fileOffence(path, type, value);
  return why === undefined ? path : field.mistake(why);
}

function directoryOffence(path: string, type: Make): string | undefined {
  if (type !== "copy") return "it is a directory, and only a copy can go to a directory";
  const checked = checkPath(`${path}/x`);
  return checked.ok ? undefined : `"${path}" cannot be in the output: ${checked.why}`;
}

function fileOffence(path: string, type: Make, value: Field): string | undefined {
  const checked = checkPath(path);
  if (!checked.ok) return `"${path}" cannot be in the output: ${checked.why}`;
  const isGlobbed = type === "copy" && isSeveral(value);
  return isGlobbed ? 'several files need a directory: let the path end in "/"' : undefined;
}

/** A source alone may be one file; that shows later. */
function isSeveral(value: Field): boolean {
  const from = value.isScalar ? (value.text() ?? "") : "";
  return from.includes("/") && isGlob(splitAddress(from).file);
}

interface MakeFields {
  readonly type: Make;
  readonly value: Field;
  readonly fields: Fields;
  readonly path: string;
}

function makeOf({ type, value, fields, path }: MakeFields): MakeSpec | undefined {
  switch (type) {
    case "copy":
      return withText(value, (from) => ({ type, from, rename: renameOf(fields.get("rename")) }));
    case "concat":
      return { type, from: fromOf(value), separator: fields.text("separator") ?? "\n" };
    case "merge":
      return mergeOf(value, fields, path);
    case "dotenv":
    case "properties":
    case "ini":
      return { type: "pairs", from: fromOf(value), format: type };
    case "template":
      return withText(value, (from) => ({ type, from }));
    case "text":
      return withText(value, (text) => ({ type, text, isTemplate: fields.flag("render", false) }));
    case "envsubst":
      return withText(value, (from) => ({
        type,
        from,
        keepsUnset: fields.flag("keepUnset", false),
      }));
  }
}

function mergeOf(value: Field, fields: Fields, path: string): MakeSpec {
  const usual = path.endsWith(".json") ? "json" : "yaml";
  return {
    ...{ type: "merge", from: fromOf(value) },
    format: fields.get("format")?.oneOf(["yaml", "json"]) ?? usual,
    lists: fields.get("lists")?.oneOf(["replace", "append"]) ?? "replace",
  };
}

function withText(value: Field, make: (text: string) => MakeSpec): MakeSpec | undefined {
  const text = value.text();
  return text === undefined ? undefined : make(text);
}

function fromOf(value: Field): readonly string[] {
  const from = value.texts();
  if (from.length === 0) value.mistake("it needs at least one input");
  return from;
}

function renameOf(field: Field | undefined): { match: string; to: string } | undefined {
  const fields = field?.fields(["match", "to"]);
  const match = fields?.required("match")?.text();
  const to = fields?.required("to")?.text();
  if (match === undefined || to === undefined) return undefined;
  try {
    new RegExp(match, "u");
  } catch {
    return field?.mistake(`"${match}" is no regular expression`);
  }
  return { match, to };
}

function decodeOf(field: Field | undefined): readonly ("base64" | "gzip")[] {
  if (field === undefined) return [];
  const each = field.isScalar ? [field] : field.items();
  return each.map((one) => one.oneOf(["base64", "gzip"])).filter((one) => one !== undefined);
}

/** Always octal. What could be meant as a decimal number is a mistake, not a guess: 420 is 0644 to some. */
function modeOf(field: Field | undefined): number | undefined {
  if (field === undefined) return undefined;
  const text = field.spelling ?? "";
  const [, lead = "", digits] = /^(0o?|)([0-7]{3})$/.exec(text) ?? [];
  if (digits === undefined) return field.mistake("it must be a mode in octal digits, such as 0644");
  if (lead === "" && !field.isQuoted && Number(digits) <= 0o777) {
    return field.mistake(
      `write 0${digits} if that is meant in octal digits, or 0${Number(digits).toString(8).padStart(3, "0")} if not`,
    );
  }
  return Number.parseInt(digits, 8);
}

/** 101, "101:102", or { uid, gid }; numbers, because a container need not know names. */
function ownerOf(field: Field | undefined): { uid: number; gid: number } | undefined {
  if (field === undefined) return undefined;
  if (field.isMap) return ownerMap(field);
  const [, uid, gid = uid] = /^(\d{1,9})(?::(\d{1,9}))?$/.exec(field.spelling ?? "") ?? [];
  if (uid === undefined) return field.mistake("it must be numbers: 101 or 101:102 (user:group)");
  return { uid: Number(uid), gid: Number(gid) };
}

function ownerMap(field: Field): { uid: number; gid: number } | undefined {
  const fields = field.fields(["uid", "gid"]);
  const uid = fields?.required("uid")?.wholeNumber();
  const gid = fields?.get("gid")?.wholeNumber() ?? uid;
  return uid === undefined || gid === undefined ? undefined : { uid, gid };
}
