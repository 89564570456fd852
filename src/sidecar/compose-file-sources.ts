// The sources of compose.yaml. A path that stands alone is a directory; an address is a URL.

import { parseLabelSelector } from "../api/selectors/label-selector-parser.ts";
import { dns1123Label, dns1123Subdomain } from "../api/validation/names.ts";
import { describe } from "../base/errors.ts";
import { type Field, Fields } from "./compose-fields.ts";
import type { HttpAuth, SourceSpec } from "./compose-model.ts";

type Kind = "ConfigMap" | "Secret";
type SourceType = "directory" | "file" | "environment" | "configMap" | "secret" | "objects" | "url";

const TYPES = [
  "directory",
  "file",
  "environment",
  "configMap",
  "secret",
  "objects",
  "url",
] as const;
/** What besides the type each may say. */
const MORE: Readonly<Record<SourceType, readonly string[]>> = {
  directory: ["optional", "isSecret", "poll"],
  file: ["optional", "isSecret", "poll"],
  environment: ["isSecret"],
  configMap: [
    "namespaces",
    "namespace",
    "optional",
    "uniqueNames",
    "folderAnnotation",
    "followUrls",
    "poll",
  ],
  secret: [
    "namespaces",
    "namespace",
    "optional",
    "uniqueNames",
    "folderAnnotation",
    "followUrls",
    "poll",
  ],
  objects: ["optional"],
  url: ["as", "headers", "auth", "caFile", "interval", "timeout", "maxSize", "isSecret"],
};
const OBJECTS = ["kinds", "labels", "names", ...MORE.configMap];
/** A word that a template can say as well. */
const NAME = /^[A-Za-z_][A-Za-z0-9_-]{0,62}$/;

export function sourcesOf(field: Field | undefined): ReadonlyMap<string, SourceSpec> {
  const sources = new Map<string, SourceSpec>();
  const fields = field?.fields();
  if (field === undefined || fields === undefined) return sources;
  if (fields.names.length === 0) field.mistake("it needs at least one source");
  for (const [name, one] of fields.entries()) {
    if (!NAME.test(name)) {
      one.mistake(
        `"${name}" is no name for a source: letters, digits, "_" and "-", no digit first`,
      );
    }
    const source = sourceOf(one);
    if (source !== undefined) sources.set(name, source);
  }
  return sources;
}

function sourceOf(field: Field): SourceSpec | undefined {
  if (field.isScalar) {
    const text = field.text() ?? "";
    if (/^https?:/.test(text)) return urlSource(field);
    const path = field.absolutePath();
    return path === undefined ? undefined : { type: "directory", path, optional: false };
  }
  const known = field.fields()?.names.filter((name) => TYPES.some((type) => type === name)) ?? [];
  const more = TYPES.filter((type) => known.includes(type)).flatMap((type) => MORE[type]);
  const fields = field.fields([...TYPES, ...more]);
  const [type, value] = fields?.exactlyOne(TYPES) ?? [];
  if (fields === undefined || type === undefined || value === undefined) return undefined;
  return TYPE_READERS[type](value, fields);
}

const TYPE_READERS: Readonly<
  Record<SourceType, (value: Field, fields: Fields) => SourceSpec | undefined>
> = {
  directory: (value, fields) => pathSource("directory", value, fields),
  file: (value, fields) => pathSource("file", value, fields),
  environment: (value, fields) => ({
    type: "environment",
    names: value.texts(),
    ...secrecy(fields),
  }),
  configMap: (value, fields) =>
    objectSource({ kinds: ["ConfigMap"], names: namesOf(value), labels: undefined }, fields),
  secret: (value, fields) =>
    objectSource({ kinds: ["Secret"], names: namesOf(value), labels: undefined }, fields),
  objects: selectedSource,
  url: (value, fields) => urlSource(value, fields),
};

function pathSource(
  type: "directory" | "file",
  value: Field,
  fields: Fields,
): SourceSpec | undefined {
  const path = value.absolutePath();
  if (path === undefined) return undefined;
  const optional = fields.get("optional")?.flag() ?? false;
  return { type, path, optional, ...secrecy(fields), ...pollOf(fields) };
}

function secrecy(fields: Fields): { readonly isSecret?: boolean } {
  const isSecret = fields.get("isSecret")?.flag();
  return isSecret === undefined ? {} : { isSecret };
}

function pollOf(fields: Fields): { readonly pollMs?: number } {
  const pollMs = fields.get("poll")?.durationMs();
  return pollMs === undefined ? {} : { pollMs };
}

function selectedSource(value: Field, outer: Fields): SourceSpec | undefined {
  const fields = value.fields(OBJECTS);
  const [by, which] = fields?.exactlyOne(["names", "labels"]) ?? [];
  if (fields === undefined || which === undefined) return undefined;
  const kinds = fields.get("kinds");
  const chosen = kinds === undefined ? ["ConfigMap" as const] : kindsOf(kinds);
  const names = by === "names" ? namesOf(which) : undefined;
  const labels = by === "labels" ? labelsOf(which) : undefined;
  return objectSource({ kinds: chosen, names, labels }, fields, outer);
}

function kindsOf(field: Field): readonly Kind[] {
  const each = field.isScalar ? [field] : field.items();
  return each.map((one) => one.oneOf(["ConfigMap", "Secret"])).filter((one) => one !== undefined);
}

function namesOf(field: Field): readonly string[] {
  const names = field.texts();
  if (field.isList && names.length === 0) field.mistake("it needs at least one name");
  for (const name of names.filter((one) => dns1123Subdomain(one).length > 0)) {
    field.mistake(`"${name}" is no name of an object: small letters, digits, "-" and "."`);
  }
  return names;
}

function labelsOf(field: Field): string | undefined {
  const selector = selectorOf(field);
  try {
    parseLabelSelector(selector ?? "");
  } catch (err) {
    field.mistake(`"${selector}" is no label selector: ${describe(err)}`);
  }
  return selector;
}

/** "app=web,tier!=test" as it is, or a map of labels that are all wanted. */
function selectorOf(field: Field): string | undefined {
  if (field.isScalar) return field.text();
  const fields = field.fields();
  if (fields === undefined) return undefined;
  return [...fields.entries()].map(([name, value]) => `${name}=${value.text() ?? ""}`).join(",");
}

interface Chosen {
  readonly kinds: readonly Kind[];
  readonly names: readonly string[] | undefined;
  readonly labels: string | undefined;
}

function objectSource(
  { kinds, names, labels }: Chosen,
  fields: Fields,
  outer?: Fields,
): SourceSpec {
  return {
    type: "objects",
    ...{ kinds, names, labelSelector: labels, namespaces: namespacesOf(fields) },
    folderAnnotation: fields.get("folderAnnotation")?.text(),
    isUnique: fields.get("uniqueNames")?.flag() ?? false,
    followsUrls: fields.get("followUrls")?.flag() ?? false,
    optional: (fields.get("optional") ?? outer?.get("optional"))?.flag() ?? false,
    ...pollOf(fields),
  };
}

function namespacesOf(fields: Fields): readonly string[] | "*" | undefined {
  const field = fields.get("namespaces") ?? fields.get("namespace");
  if (field === undefined) return undefined;
  const names = field.texts();
  if (names.includes("*")) return "*";
  for (const name of names.filter((one) => dns1123Label(one).length > 0)) {
    field.mistake(`"${name}" is no name of a namespace: small letters, digits and "-"`);
  }
  return names;
}

const URL_DEFAULTS = { intervalMs: 60_000, timeoutMs: 10_000, maxBytes: 10 * 1024 * 1024 };
/** Faster would be an attack on whoever serves it. */
const MIN_INTERVAL_MS = 1000;

function urlSource(
  value: Field,
  fields: Fields = new Fields(value, new Map()),
): SourceSpec | undefined {
  const url = httpUrl(value);
  if (url === undefined) return undefined;
  const intervalMs = fields.durationMs("interval", URL_DEFAULTS.intervalMs);
  if (intervalMs < MIN_INTERVAL_MS) fields.get("interval")?.mistake("it must be 1s or more");
  const file = fields.text("as") ?? lastName(url);
  if (file === "") value.mistake('the address has no file name at its end; say one with "as"');
  return {
    type: "url",
    ...{ url, file, headers: headersOf(fields.get("headers")), auth: authOf(fields.get("auth")) },
    ...{ caFile: fields.absolutePath("caFile"), intervalMs },
    timeoutMs: fields.durationMs("timeout", URL_DEFAULTS.timeoutMs),
    maxBytes: fields.get("maxSize")?.bytes() ?? URL_DEFAULTS.maxBytes,
    ...secrecy(fields),
  };
}

export function httpUrl(field: Field): string | undefined {
  const text = field.text();
  if (text === undefined) return undefined;
  if (!/^https?:\/\//.test(text) || !URL.canParse(text)) {
    return field.mistake("it must be an address that begins with http:// or https://");
  }
  const { username, password } = new URL(text);
  if (username !== "" || password !== "") {
    return field.mistake("no user or password in an address; use auth with files");
  }
  return text;
}

function lastName(url: string): string {
  const { pathname } = new URL(url);
  const name = pathname.slice(pathname.lastIndexOf("/") + 1);
  try {
    return decodeURIComponent(name).replaceAll("/", "_");
  } catch {
    return name;
  }
}

export function headersOf(field: Field | undefined): ReadonlyMap<string, string> {
  const headers = new Map<string, string>();
  for (const [name, value] of field?.fields()?.entries() ?? []) {
    const text = value.text();
    if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name)) value.mistake("it is no name of a header");
    else if (text !== undefined && /\p{Cc}/u.test(text))
      value.mistake("a header cannot have control characters");
    else if (text !== undefined) headers.set(name, text);
  }
  return headers;
}

export function authOf(field: Field | undefined): HttpAuth | undefined {
  const fields = field?.fields(["tokenFile", "username", "usernameFile", "passwordFile"]);
  if (field === undefined || fields === undefined) return undefined;
  const has = (name: string): boolean => fields.get(name) !== undefined;
  const hasBoth = has("passwordFile") && (has("username") || has("usernameFile"));
  if (!has("tokenFile") && !hasBoth) {
    return field.mistake("it needs tokenFile, or passwordFile with username or usernameFile");
  }
  const given = {
    tokenFile: fields.absolutePath("tokenFile"),
    username: fields.text("username"),
    usernameFile: fields.absolutePath("usernameFile"),
    passwordFile: fields.absolutePath("passwordFile"),
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}
