// What is checked before a set of files goes live, and who is told after, in compose.yaml.

import { constants } from "node:os";
import type { Field, Fields } from "./compose-fields.ts";
import { authOf, headersOf, httpUrl } from "./compose-file-sources.ts";
import type { GateSpec, ReloadActionSpec, ReloadSpec } from "./compose-model.ts";

const GATE = { schemas: [], command: undefined, timeoutMs: 10_000, failsReadiness: false };

export function gateOf(field: Field | undefined): GateSpec {
  const fields = field?.fields(["schemas", "command", "timeout", "failsReadiness"]);
  if (fields === undefined) return GATE;
  const schemas: { file: string; schemaFile: string }[] = [];
  for (const [file, schema] of fields.get("schemas")?.fields()?.entries() ?? []) {
    const schemaFile = schema.absolutePath();
    if (schemaFile !== undefined) schemas.push({ file, schemaFile });
  }
  return {
    schemas,
    command: commandOf(fields.get("command")),
    timeoutMs: fields.get("timeout")?.durationMs() ?? GATE.timeoutMs,
    failsReadiness: fields.get("failsReadiness")?.flag() ?? GATE.failsReadiness,
  };
}

/** A list, or one line that is cut at its blanks. No shell reads it. */
function commandOf(field: Field | undefined): readonly string[] | undefined {
  if (field === undefined) return undefined;
  if (!field.isScalar) {
    const argv = field.texts();
    return argv.length > 0 ? argv : field.mistake("it needs a program");
  }
  const text = field.text() ?? "";
  if (/["'$`|&;<>\\*]/.test(text)) {
    return field.mistake('no shell reads it: write a list, such as [sh, -c, "…"]');
  }
  const argv = text.split(/\s+/).filter((word) => word !== "");
  return argv.length > 0 ? argv : field.mistake("it needs a program");
}

const WAIT_FIELDS = ["minWait", "maxWait", "onStart", "retryMax"];
const WAITS = { minWaitMs: 100, maxWaitMs: 2000 };

/** One action, which may have the waits beside it; a list of them; or a map of list and waits. */
export function reloadOf(field: Field | undefined): ReloadSpec {
  const nothing = { actions: [], ...WAITS, onStart: true };
  if (field === undefined) return nothing;
  if (field.isScalar && field.text() === "none") return nothing;
  if (field.isList) return { ...nothing, actions: actionsOf(field) };
  if (!field.isMap)
    return field.mistake('it must be an action, a list of them, or "none"') ?? nothing;
  const names = field.fields()?.names ?? [];
  if (names.some((name) => ACTIONS.some((one) => one === name))) {
    const actions = [actionOf(field, WAIT_FIELDS)].filter((one) => one !== undefined);
    return { ...nothing, ...reloadMap(field.fields(), field), actions };
  }
  return reloadMap(field.fields(["actions", ...WAIT_FIELDS]), field) ?? nothing;
}

function reloadMap(fields: Fields | undefined, field: Field): ReloadSpec | undefined {
  if (fields === undefined) return undefined;
  const listed = fields.get("actions");
  const minWaitMs = fields.get("minWait")?.durationMs() ?? WAITS.minWaitMs;
  const maxWaitMs = fields.get("maxWait")?.durationMs() ?? Math.max(WAITS.maxWaitMs, minWaitMs);
  if (maxWaitMs < minWaitMs) field.mistake("maxWait is shorter than minWait");
  const retryMaxMs = fields.get("retryMax")?.durationMs();
  return {
    actions: listed === undefined ? [] : actionsOf(listed),
    ...{ minWaitMs, maxWaitMs, onStart: fields.get("onStart")?.flag() ?? true },
    ...(retryMaxMs !== undefined && { retryMaxMs }),
  };
}

function actionsOf(field: Field): readonly ReloadActionSpec[] {
  return field
    .items()
    .map((item) => actionOf(item))
    .filter((one) => one !== undefined);
}

const ACTIONS = ["signal", "http", "command", "touch"] as const;
const MORE: Readonly<Record<(typeof ACTIONS)[number], readonly string[]>> = {
  signal: ["pidFile", "process"],
  http: ["method", "headers", "auth", "body", "expectedStatus", "timeout", "skipTlsVerify"],
  command: ["timeout"],
  touch: [],
};

/** `beside`: what else may stand there. */
function actionOf(field: Field, beside: readonly string[] = []): ReloadActionSpec | undefined {
  const names = field.fields()?.names;
  if (names === undefined) return undefined;
  const more = ACTIONS.filter((type) => names.includes(type)).flatMap((type) => MORE[type]);
  const fields = field.fields([...ACTIONS, ...more, ...beside]);
  const [type, value] = fields?.exactlyOne(ACTIONS) ?? [];
  if (fields === undefined || type === undefined || value === undefined) return undefined;
  return ACTION_READERS[type](value, fields);
}

const ACTION_READERS: Readonly<
  Record<(typeof ACTIONS)[number], (value: Field, fields: Fields) => ReloadActionSpec | undefined>
> = {
  signal: signalOf,
  http: httpOf,
  command: (value, fields) => {
    const argv = commandOf(value);
    const timeoutMs = fields.durationMs("timeout", 30_000);
    return argv === undefined ? undefined : { type: "command", argv, timeoutMs };
  },
  touch: (value) => {
    const path = value.absolutePath();
    return path === undefined ? undefined : { type: "touch", path };
  },
};

function signalOf(value: Field, fields: Fields): ReloadActionSpec | undefined {
  const name = (value.text() ?? "").toUpperCase();
  const signal = name.startsWith("SIG") ? name : `SIG${name}`;
  if (!Object.hasOwn(constants.signals, signal))
    return value.mistake(`"${name}" is no signal; HUP is the usual one`);
  const [by, which] = fields.exactlyOne(["pidFile", "process"]) ?? [];
  if (by === undefined || which === undefined) return undefined;
  const text = by === "pidFile" ? which.absolutePath() : which.text();
  if (text === undefined) return undefined;
  const target = by === "pidFile" ? { pidFile: text } : { processName: text };
  return { type: "signal", signal, target };
}

function httpOf(value: Field, fields: Fields): ReloadActionSpec | undefined {
  const url = httpUrl(value);
  if (url === undefined) return undefined;
  const expected = fields.get("expectedStatus");
  return {
    ...{ type: "http", url, method: methodOf(fields.get("method")) },
    ...{ headers: headersOf(fields.get("headers")), auth: authOf(fields.get("auth")) },
    body: fields.get("body")?.text(),
    expectedStatus: expected === undefined ? undefined : statusesOf(expected),
    timeoutMs: fields.get("timeout")?.durationMs() ?? 10_000,
    skipsTlsVerify: fields.get("skipTlsVerify")?.flag() ?? false,
  };
}

function methodOf(field: Field | undefined): string {
  const method = field?.text() ?? "POST";
  if (!/^[A-Z]+$/.test(method)) field?.mistake("it must be a method, such as POST");
  return method;
}

function statusesOf(field: Field): readonly number[] {
  const each = field.isScalar ? [field] : field.items();
  return each.map(statusOf).filter((one) => one !== undefined);
}

function statusOf(field: Field): number | undefined {
  const status = field.wholeNumber();
  if (status === undefined || (status >= 200 && status <= 599)) return status;
  return field.mistake(`${status} is no status of an answer; those are 200 to 599`);
}
