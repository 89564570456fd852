// What k8s-sidecar does after a change, and how it makes requests: a script first, then an HTTP request; the same user and time limit for what ".url" keys name.

import { Secret } from "../../base/secret.ts";
import type { HttpAuth, ObjectUrlsSpec, ReloadActionSpec } from "../compose-model.ts";
import type { Times } from "./k8s-sidecar.ts";
import { quoted, type Settings } from "./settings.ts";

export interface Requests {
  readonly actions: readonly ReloadActionSpec[];
  readonly onStart: boolean;
  readonly urls: ObjectUrlsSpec;
  readonly onceTries: number;
}

/** It had no limit; whatever takes longer hangs. */
const SCRIPT_TIMEOUT_MS = 600_000;

/** What can be run is run, anything else goes to sh. */
const RUN_SCRIPT = 'if [ -x "$0" ]; then exec "$0"; else exec sh "$0"; fi';

/** Done, or done and now look at another page. Anything else was taken for success there, and is not here. */
const TOLD: readonly number[] = [
  ...Array.from({ length: 100 }, (_, index) => 200 + index),
  302,
  303,
];

const ENCODINGS: Readonly<Record<string, "latin1" | "utf-8">> = {
  latin1: "latin1",
  "latin-1": "latin1",
  "iso-8859-1": "latin1",
  ascii: "latin1",
  "utf-8": "utf-8",
  utf8: "utf-8",
};

export function requestsOf(settings: Settings, { isOnce, urlIntervalMs }: Times): Requests {
  const auth = authOf(settings);
  const timeoutMs = settings.number("REQ_TIMEOUT", { fallback: 10, min: 0.001 }) * 1000;
  const skipsTlsVerify = settings.isTrue("REQ_SKIP_TLS_VERIFY", { isExact: true });
  const takesServerErrors = settings.isTrue("ENABLE_5XX");
  // It is about watching only.
  const skipsStart = settings.isTrue("REQ_SKIP_INIT") && !isOnce;
  const script = scriptOf(settings);
  const http = httpOf(settings, { auth, timeoutMs, skipsTlsVerify });
  const isBoth = script !== undefined && http !== undefined;
  const request = http && (skipsStart && isBoth ? { ...http, skipsStart } : http);
  return {
    actions: [script, request].filter((action) => action !== undefined),
    onStart: !skipsStart || isBoth || http === undefined,
    urls: { auth, timeoutMs, intervalMs: urlIntervalMs, skipsTlsVerify, takesServerErrors },
    onceTries: retriesOf(settings) + 1,
  };
}

function scriptOf(settings: Settings): ReloadActionSpec | undefined {
  const script = settings.text("SCRIPT");
  if (script === undefined) return undefined;
  return {
    type: "command",
    argv: ["sh", "-c", RUN_SCRIPT, script],
    timeoutMs: SCRIPT_TIMEOUT_MS,
  };
}

interface HttpManner {
  readonly auth: HttpAuth | undefined;
  readonly timeoutMs: number;
  readonly skipsTlsVerify: boolean;
}

function httpOf(
  settings: Settings,
  manner: HttpManner,
): Extract<ReloadActionSpec, { readonly type: "http" }> | undefined {
  const methods = { get: "GET", post: "POST" } as const;
  const method = settings.choice<"GET" | "POST">("REQ_METHOD", methods, "GET");
  const body = bodyOf(settings);
  const address = settings.address("REQ_URL");
  if (address === undefined) return undefined;
  const isPosted = method === "POST" && body !== undefined;
  if (method === "GET" && body !== undefined) {
    settings.note("REQ_PAYLOAD has no effect without REQ_METHOD=POST");
  }
  return {
    type: "http",
    ...manner,
    method,
    url: address.url,
    auth: manner.auth ?? address.auth,
    headers: new Map(isPosted ? [["Content-Type", "application/json"]] : []),
    body: isPosted ? body : undefined,
    expectedStatus: TOLD,
  };
}

/** JSON as it is; anything else as a JSON string. */
function bodyOf(settings: Settings): string | undefined {
  const payload = settings.text("REQ_PAYLOAD");
  if (payload === undefined) return undefined;
  try {
    JSON.parse(payload);
    return payload;
  } catch {
    // It has always been allowed not to be JSON.
    return JSON.stringify(payload);
  }
}

/** Flags count for more than variables, and files for more than values. */
function authOf(settings: Settings): HttpAuth | undefined {
  const username = settings.text("REQ_USERNAME");
  const password = settings.text("REQ_PASSWORD");
  const usernameFile = firstOf(settings, "--req-username-file", "REQ_USERNAME_FILE");
  const passwordFile = firstOf(settings, "--req-password-file", "REQ_PASSWORD_FILE");
  const encoding = encodingOf(settings);
  const name = {
    ...(username === undefined ? {} : { username }),
    ...(usernameFile === undefined ? {} : { usernameFile }),
  };
  const proof = {
    ...(password === undefined ? {} : { password: new Secret(Buffer.from(password)) }),
    ...(passwordFile === undefined ? {} : { passwordFile }),
  };
  const [hasName, hasProof] = [name, proof].map((part) => Object.keys(part).length > 0);
  if (hasName === true && hasProof === true) return { ...name, ...proof, encoding };
  if (hasName !== hasProof) {
    const missing = hasName === true ? "password" : "user name";
    settings.note(`Requests are made without basic authentication: there is no ${missing}`);
  }
  return undefined;
}

/** All are asked for, so that it is known which there are. */
function firstOf(settings: Settings, ...names: readonly string[]): string | undefined {
  return names.map((name) => settings.text(name)).find((text) => text !== undefined);
}

function encodingOf(settings: Settings): "latin1" | "utf-8" {
  const text = settings.text("REQ_BASIC_AUTH_ENCODING");
  const encoding = ENCODINGS[(text ?? "latin1").toLowerCase()];
  if (encoding !== undefined) return encoding;
  settings.problem(`REQ_BASIC_AUTH_ENCODING is ${quoted(text ?? "")}: must be latin1 or utf-8`);
  return "latin1";
}

/** They count only where there is one round: otherwise it is tried until it succeeds, or something newer is to be told. */
function retriesOf(settings: Settings): number {
  const whole = { min: 0, isWhole: true };
  settings.number("REQ_RETRY_CONNECT", { ...whole, fallback: 10 });
  settings.number("REQ_RETRY_READ", { ...whole, fallback: 5 });
  settings.number("REQ_RETRY_BACKOFF_FACTOR", { min: 0, fallback: 1.1 });
  return settings.number("REQ_RETRY_TOTAL", { ...whole, fallback: 5 });
}
