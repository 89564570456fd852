// kiwigrid's k8s-sidecar: labelled ConfigMaps and Secrets become files in a folder, then a script runs, then an HTTP request is made.

import { createHash } from "node:crypto";
import type { LogLevel } from "../../base/logger.ts";
import type { Compose, FileSpec } from "../compose-model.ts";
import type { Repeats } from "./arguments.ts";
import type { DropIn, ListenOptions, LogOptions } from "./drop-in-model.ts";
import { objectSources } from "./k8s-sidecar-objects.ts";
import { requestsOf } from "./k8s-sidecar-requests.ts";
import { NO_GATE } from "./no-gate.ts";
import { quoted, type Settings } from "./settings.ts";

export const K8S_SIDECAR_FLAGS: Readonly<Record<string, Repeats>> = {
  "--req-username-file": "last",
  "--req-password-file": "last",
};

const LEVELS: Readonly<Record<string, LogLevel>> = {
  notset: "debug",
  debug: "debug",
  info: "info",
  warn: "warn",
  warning: "warn",
  error: "error",
  critical: "error",
  fatal: "error",
};

/** As it was: it replaces what is in its way, goes where annotations say, and one that leads nowhere harms nobody else. */
const OPEN_HANDED = {
  removesOthers: true,
  takesOver: true,
  allowsOutside: true,
  leavesOut: true,
};

/** It told of each object by itself, and so loaded half a configuration: what comes together is told once. */
const WAITS = { minWaitMs: 100, maxWaitMs: 2000 };

export function k8sSidecar(settings: Settings): Omit<DropIn, "notes" | "rest"> {
  const folder = settings.text("FOLDER");
  if (folder === undefined) settings.problem("FOLDER is missing: name the directory for the files");
  const times = timesOf(settings);
  const { actions, onStart, urls, onceTries } = requestsOf(settings, times);
  const sources = objectSources(settings, { ...times, urls });
  const mode = modeOf(settings);
  const compose: Compose = {
    sources,
    files: [...sources.keys()].map((name) => fileOf(name, mode)),
    output: { type: "files", path: folder ?? "", ...OPEN_HANDED, share: shareOf(settings) },
    gate: NO_GATE,
    reload: { actions, ...WAITS, onStart },
  };
  noteWhatHasNoEffect(settings);
  return {
    compose,
    options: {
      program: "k8s-sidecar",
      isOnce: times.isOnce,
      onceTries: times.isOnce ? onceTries : undefined,
      kubeconfig: settings.text("KUBECONFIG"),
      skipsApiTlsVerify: settings.isTrue("SKIP_TLS_VERIFY", { isExact: true }),
      listen: listenOf(settings),
      log: logOf(settings),
    },
  };
}

/** Several of them may have one folder: each is known by what it collects. */
function shareOf(settings: Settings): string {
  const names = ["LABEL", "LABEL_VALUE", "NAMESPACE", "RESOURCE", "RESOURCE_NAME"];
  const values = names.map((name) => settings.text(name) ?? "");
  return createHash("sha256").update(JSON.stringify(values)).digest("hex").slice(0, 8);
}

function fileOf(source: string, mode: number): FileSpec {
  const make = { type: "copy", from: `${source}/**`, rename: undefined } as const;
  return { path: "", make, decode: [], mode, owner: undefined };
}

/** When it looks again. */
export interface Times {
  readonly isOnce: boolean;
  /** Listed this often besides; where the account may not watch, in place of it. */
  readonly pollMs: number | undefined;
  /** How often addresses in ".url" keys were asked again; undefined: when the object changes. */
  readonly urlIntervalMs: number | undefined;
}

function timesOf(settings: Settings): Times {
  const method = settings.text("METHOD") ?? "";
  if (/^(list|sleep)$/i.test(method) && method !== method.toUpperCase()) {
    settings.note(
      `METHOD is ${quoted(method)}, which means to watch: ${method.toUpperCase()} is written in capitals`,
    );
  }
  const sleepMs = seconds(settings, "SLEEP_TIME", 60);
  const watchMs = seconds(settings, "WATCH_SERVER_TIMEOUT", 60);
  const isOnce = method === "LIST";
  const isByName = settings.text("RESOURCE_NAME") !== undefined;
  // The rights to list, or to get by name, were enough for these.
  const pollMs = isOnce || isByName || method === "SLEEP" ? sleepMs : undefined;
  // With each new watch it went through all objects again, unless it was told to leave out those that it knew.
  const isOften = !isOnce && !settings.isTrue("IGNORE_ALREADY_PROCESSED");
  return { isOnce, pollMs, urlIntervalMs: isOften ? (pollMs ?? watchMs) : undefined };
}

/** In milliseconds; at least one second, below which it only kept the API busy. */
function seconds(settings: Settings, name: string, fallback: number): number {
  return Math.max(1, settings.number(name, { fallback, min: 0, isWhole: true })) * 1000;
}

/** 0644 for Secrets, too, as it was: the app that reads them may be another user. */
function modeOf(settings: Settings): number {
  const text = settings.text("DEFAULT_FILE_MODE");
  if (text === undefined) return 0o644;
  const [, digits] = /^(?:0o)?([0-7]{1,4})$/i.exec(text.trim()) ?? [];
  if (digits !== undefined) return Number.parseInt(digits, 8);
  settings.problem(`DEFAULT_FILE_MODE is ${quoted(text)}: must be octal digits, such as 440`);
  return 0o644;
}

function listenOf(settings: Settings): ListenOptions {
  return {
    host: settings.text("HEALTH_HOST"),
    port: settings.number("HEALTH_PORT", { fallback: 8080, min: 0, max: 65_535, isWhole: true }),
    isOptional: true,
    metricsPath: "/metrics",
    health: { path: "/healthz", is: "ready", text: "OK" },
  };
}

function logOf(settings: Settings): LogOptions {
  if (settings.text("LOG_CONFIG") !== undefined) {
    settings.note("LOG_CONFIG has no effect: it is a configuration of Python's logging");
  }
  const formats = { json: "json", logfmt: "logfmt" } as const;
  const zones = { local: "local", utc: "utc" } as const;
  return {
    level: settings.choice("LOG_LEVEL", LEVELS, "info"),
    format: settings.choice<LogOptions["format"]>("LOG_FORMAT", formats, "json"),
    timeZone: settings.choice<LogOptions["timeZone"]>("LOG_TZ", zones, "local"),
  };
}

/** Checked, so that a mistake is found, and then not needed. */
function noteWhatHasNoEffect(settings: Settings): void {
  settings.number("ERROR_THROTTLE_SLEEP", { fallback: 5, min: 0, isWhole: true });
  settings.number("WATCH_CLIENT_TIMEOUT", { fallback: 66, min: 0 });
  settings.isTrue("DISABLE_X509_STRICT_VERIFICATION");
  if (settings.text("REQUESTS_CA_BUNDLE") !== undefined) {
    settings.note("REQUESTS_CA_BUNDLE has no effect: name the file in NODE_EXTRA_CA_CERTS");
  }
}
