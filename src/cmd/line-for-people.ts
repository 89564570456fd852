// A line of the log as people read it: without braces, with what happened first and the circumstances after it.

import { inspect, styleText } from "node:util";
import { shortVersion } from "../base/content-version.ts";
import { describe } from "../base/errors.ts";

interface Line {
  readonly level: string;
  readonly message: string;
  readonly time?: string;
}

export interface LineLook {
  readonly hasColour: boolean;
  /** The time of the day, for those who watch it happen. */
  readonly hasTime?: boolean;
}

type Style = Parameters<typeof styleText>[0];

const LEVEL_STYLES: Readonly<Record<string, Style>> = { error: "red", warn: "yellow" };

/** Of one line of JSON, as a Logger writes it. */
export function lineForPeople(json: string, { hasColour, hasTime = false }: LineLook): string {
  const { level, message, time, ...circumstances } = JSON.parse(json) as Line;
  const { why, fields } = whyOf(level, circumstances);
  const paint = (style: Style, text: string): string =>
    hasColour ? styleText(style, text, { validateStream: false }) : text;
  const named = Object.entries(fields).map(([name, value]) => `${name}=${shown(value)}`);
  const clock = hasTime && time !== undefined ? `${paint("dim", timeOfDay(time))} ` : "";
  const head = clock + paint(LEVEL_STYLES[level] ?? "dim", level);
  const rest = named.length === 0 ? "" : `  ${paint("dim", named.join(" "))}`;
  return `${head}  ${message}${why}${rest}`;
}

/** Of what went wrong the reason comes first: an error, or what the line itself calls the reason. */
function whyOf(
  level: string,
  { err, ...fields }: Readonly<Record<string, unknown>>,
): { readonly why: string; readonly fields: object } {
  const { reason, ...rest } = fields;
  const isReason = err === undefined && typeof reason === "string" && level in LEVEL_STYLES;
  const text = isReason ? reason : err === undefined ? "" : reasonOf(err);
  const why = text === "" ? "" : `: ${text.replace(/\p{Cc}+/gu, " ")}`;
  return { why, fields: isReason ? rest : fields };
}

/** Where they are. */
function timeOfDay(time: string): string {
  return new Date(time).toLocaleTimeString("en-GB");
}

/** As pino writes errors. */
function reasonOf(err: unknown): string {
  const { message } = err as { readonly message?: unknown };
  return typeof message === "string" ? message : describe(err);
}

const WHOLE_VERSION = /^[0-9a-f]{64}$/;

function shown(value: unknown): string {
  if (Array.isArray(value)) return value.map(shown).join(",");
  if (typeof value !== "string") {
    return inspect(value, { breakLength: Number.POSITIVE_INFINITY });
  }
  if (WHOLE_VERSION.test(value)) return shortVersion(value);
  return /^[^\s"=\p{Cc}]+$/u.test(value) ? value : JSON.stringify(value);
}
