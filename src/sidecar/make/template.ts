// Liquid templates over the files of all sources. What is undefined is an error; there are no includes, no files, no time and no chance: the same contents give the
// same text. Loops and memory have limits. What a template touches is noted, so that a text is as secret as what went into it.

import { createRequire } from "node:module";
import type { Context, Liquid } from "liquidjs";
import { type Input, MakeError, textOf } from "./make-error.ts";
import { jsonOf, plainValue, treeOf, yamlOf } from "./tree.ts";

/** Loaded by whoever has a template: the engine alone is 2 MiB of memory. */
const load = createRequire(import.meta.url);

/** Of each source, by name. */
export type TemplateSources = ReadonlyMap<string, ReadonlyMap<string, Input>>;

export interface Rendered {
  readonly data: Uint8Array;
  readonly isSecret: boolean;
}

const LIMITS = { parseLimit: 4 * 1024 * 1024, renderLimit: 1000, memoryLimit: 32 * 1024 * 1024 };
const MAX_TEXT_BYTES = 16 * 1024 * 1024;
/** They reach for files. */
const FORBIDDEN_TAGS = ["include", "render", "layout", "block"];
/** Of these "now" is a value, or chance. */
const FORBIDDEN_FILTERS = [
  "date",
  "date_to_xmlschema",
  "date_to_rfc822",
  "date_to_string",
  "date_to_long_string",
  "sample",
];

export function rendered(template: Input, sources: TemplateSources): Rendered {
  const secrets = { isTouched: template.isSecret };
  const text = textOf(template);
  let data: Buffer;
  try {
    const engine = newEngine();
    const scope = scopeOf(sources, () => {
      secrets.isTouched = true;
    });
    data = Buffer.from(String(engine.parseAndRenderSync(text, scope)));
  } catch (err) {
    throw new MakeError(`${template.address}: ${reasonOf(err, secrets.isTouched)}`);
  }
  if (data.length > MAX_TEXT_BYTES) {
    throw new MakeError(`${template.address}: its text is larger than ${MAX_TEXT_BYTES} bytes`);
  }
  return { data, isSecret: secrets.isTouched };
}

function newEngine(): Liquid {
  const { Liquid: Engine } = load("liquidjs") as typeof import("liquidjs");
  const engine = new Engine({
    ...{ strictVariables: true, strictFilters: true, lenientIf: true, ownPropertyOnly: true },
    ...{ templates: {}, cache: false, ...LIMITS },
  });
  for (const tag of FORBIDDEN_TAGS) delete engine.tags[tag];
  for (const filter of FORBIDDEN_FILTERS) delete engine.filters[filter];
  engine.registerFilter(
    "yaml",
    parsedOr((value) => yamlOf(treeFrom(value))),
  );
  engine.registerFilter(
    "json",
    parsedOr((value) => jsonOf(treeFrom(value))),
  );
  engine.registerFilter("to_yaml", (value: unknown) => yamlOf(treeFrom(value)));
  engine.registerFilter("to_json", (value: unknown) => jsonOf(treeFrom(value)));
  engine.registerFilter("toml", (value: unknown) => parsedToml(String(value)));
  return engine;
}

/** A text is parsed; anything else is written. */
function parsedOr(
  write: (value: unknown) => string,
): (this: { context: Context }, value: unknown) => unknown {
  return function (value) {
    if (typeof value !== "string") return write(value);
    this.context.memoryLimit.use(value.length);
    return plainValue(treeOf(inputOf(value)));
  };
}

function inputOf(text: string): Input {
  // As if secret: what a parser quotes of it could be.
  return { address: "what it parses", name: "", data: Buffer.from(text), isSecret: true };
}

function parsedToml(text: string): unknown {
  const { parse } = load("smol-toml") as typeof import("smol-toml");
  try {
    return parse(text);
  } catch {
    throw new MakeError("what it parses is not valid TOML");
  }
}

function treeFrom(value: unknown): ReturnType<typeof treeOf> {
  return treeOf(inputOf(JSON.stringify(value) ?? "null"));
}

/** Files are texts behind getters: only what a template reads is decoded, and noted. */
function scopeOf(sources: TemplateSources, onSecret: () => void): object {
  const scope = Object.create(null) as Record<string, object>;
  for (const [name, files] of sources) {
    const object = Object.create(null) as object;
    for (const [file, input] of files) {
      const get = (): string => {
        if (input.isSecret) onSecret();
        return textOf(input);
      };
      Object.defineProperty(object, file, { enumerable: true, get });
    }
    scope[name] = object;
  }
  return scope;
}

/** The first line: the others show the template. Of secrets only the place. */
function reasonOf(err: unknown, isSecret: boolean): string {
  const message = err instanceof Error ? (err.message.split("\n")[0] ?? "") : "cannot be rendered";
  const place = /, line:(\d+), col:(\d+)/.exec(message);
  const at = place === null ? "" : `${place[1]}:${place[2]}: `;
  const what = place === null ? message : message.slice(0, place.index);
  return isSecret && !/^(?:undefined variable|template render|memory alloc|parse length)/.test(what)
    ? `${at}cannot be rendered`
    : `${at}${what}`;
}
