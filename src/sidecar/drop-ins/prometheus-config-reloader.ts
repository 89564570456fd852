// prometheus-config-reloader: one file, unpacked and with $(VAR) filled in, and directories that are only watched; then Prometheus is told by HTTP or SIGHUP.

import { basename, dirname, resolve } from "node:path";
import type { LogLevel } from "../../base/logger.ts";
import type { Compose, FileSpec, ReloadActionSpec, SourceSpec } from "../compose-model.ts";
import type { Repeats } from "./arguments.ts";
import type { DropIn, LogOptions } from "./drop-in-model.ts";
import { parseListenText } from "./listen-text.ts";
import { NO_GATE } from "./no-gate.ts";
import { quoted, type Settings } from "./settings.ts";

export const PROMETHEUS_CONFIG_RELOADER_FLAGS: Readonly<Record<string, Repeats>> = {
  "--config-file": "once",
  "--config-envsubst-file": "once",
  "--watched-dir": "many",
  "--watch-interval": "once",
  "--delay-interval": "once",
  "--retry-interval": "once",
  "--reload-timeout": "once",
  "--reload-method": "once",
  "--process-executable-name": "once",
  "--reload-url": "once",
  "--runtimeinfo-url": "once",
  "--statefulset-ordinal-from-envvar": "once",
  "--listen-address": "once",
  "--web-config-file": "once",
  "--auto-gomemlimit-ratio": "once",
  "--log-format": "once",
  "--log-level": "once",
};

const LEVELS: Readonly<Record<string, LogLevel>> = {
  all: "debug",
  debug: "debug",
  info: "info",
  warn: "warn",
  error: "error",
  none: "error",
};

/** A directory in which something changes all the time put the reload off for ever. */
const LONGEST_DELAYS = 10;

export function prometheusConfigReloader(settings: Settings): Omit<DropIn, "notes" | "rest"> {
  const intervalMs = settings.duration("--watch-interval", 180_000);
  const isOnce = intervalMs === 0;
  const delayMs = settings.duration("--delay-interval", 1000);
  const retryMaxMs = Math.max(1, settings.duration("--retry-interval", 5000));
  const action = reloadAction(settings, intervalMs);
  const listen = listenOf(settings);
  if (settings.text("--auto-gomemlimit-ratio") !== undefined) {
    settings.note("--auto-gomemlimit-ratio has no effect: it is about the memory of Go programs");
  }
  return {
    compose: {
      ...contents(settings, intervalMs),
      gate: NO_GATE,
      reload: {
        actions: isOnce || action === undefined ? [] : [action],
        minWaitMs: delayMs,
        maxWaitMs: delayMs * LONGEST_DELAYS,
        onStart: true,
        retryMaxMs,
      },
    },
    options: {
      program: "prometheus-config-reloader",
      isOnce,
      onceTries: undefined,
      kubeconfig: undefined,
      skipsApiTlsVerify: false,
      listen: isOnce ? undefined : listen,
      log: logOf(settings),
    },
  };
}

/** What is read, and what becomes of it. */
function contents(
  settings: Settings,
  intervalMs: number,
): Pick<Compose, "sources" | "files" | "watched" | "output"> {
  const configFile = settings.text("--config-file");
  const outputFile = settings.text("--config-envsubst-file");
  const directories = settings.all("--watched-dir");
  const variables = new Map([["STATEFULSET_ORDINAL_NUMBER", ordinal(settings)]]);
  if (configFile === undefined && directories.length === 0) {
    settings.problem("There is nothing to watch: name --config-file, --watched-dir or both");
  }
  const net = intervalMs === 0 ? {} : { pollMs: intervalMs };
  const watched = directories.map((path, index): [string, SourceSpec] => [
    `watched-${index + 1}`,
    { type: "directory", path, optional: false, ...net },
  ]);
  const config: SourceSpec = { type: "file", path: configFile ?? "", optional: false, ...net };
  const sources = new Map(configFile === undefined ? watched : [["config", config], ...watched]);
  if (outputFile === undefined) return { sources, files: [], output: { type: "none" } };
  if (configFile === undefined) {
    settings.problem("--config-envsubst-file needs --config-file: the file that it is made of");
  } else if (resolve(configFile) === resolve(outputFile)) {
    settings.problem(
      "--config-envsubst-file is the same as --config-file: it would be its own input",
    );
  }
  const file: FileSpec = {
    path: basename(outputFile),
    make: {
      type: "envsubst",
      from: `config/${basename(configFile ?? "")}`,
      variables,
      keepsUnset: true,
    },
    decode: [],
    mode: 0o644,
    owner: undefined,
  };
  // An init container may have written the file.
  const manner = { removesOthers: true, takesOver: true };
  const output = { type: "files", path: dirname(outputFile), ...manner } as const;
  return { sources, files: [file], watched: watched.map(([name]) => name), output };
}

/** The digits at the end of a pod's name; "" if there are none, which counts as set. */
function ordinal(settings: Settings): string {
  const from = settings.text("--statefulset-ordinal-from-envvar") ?? "POD_NAME";
  return /\d+$/.exec(settings.text(from) ?? "")?.[0] ?? "";
}

function reloadAction(settings: Settings, intervalMs: number): ReloadActionSpec | undefined {
  const timeoutMs = Math.max(1, settings.duration("--reload-timeout", 30_000));
  const processName = settings.text("--process-executable-name") ?? "prometheus";
  const methods = { http: "http", signal: "signal" } as const;
  const method = settings.choice<"http" | "signal">("--reload-method", methods, "http");
  const reload = settings.isSet("--reload-url")
    ? settings.address("--reload-url")
    : { url: "http://127.0.0.1:9090/-/reload", auth: undefined };
  const info = settings.isSet("--runtimeinfo-url")
    ? settings.address("--runtimeinfo-url")
    : { url: "http://127.0.0.1:9090/api/v1/status/runtimeinfo", auth: undefined };
  if (method === "signal") {
    const target = { processName };
    const confirmation = info && { runtimeInfoUrl: info.url, timeoutMs: intervalMs };
    return { type: "signal", signal: "SIGHUP", target, ...confirmation };
  }
  if (reload === undefined) {
    if (settings.isSet("--reload-url")) settings.problem("--reload-url is empty: name an address");
    return undefined;
  }
  return {
    type: "http",
    method: "POST",
    ...reload,
    headers: new Map(),
    body: undefined,
    expectedStatus: [200],
    timeoutMs,
    // As it was: Prometheus beside it has a certificate for its name outside.
    skipsTlsVerify: true,
  };
}

function listenOf(settings: Settings): DropIn["options"]["listen"] {
  if (settings.text("--web-config-file") !== undefined) {
    settings.problem(
      "--web-config-file is not supported: metrics would be served without the TLS and passwords that it asks for. Leave it out, and listen on 127.0.0.1",
    );
  }
  const text = settings.text("--listen-address");
  if (text === undefined) return undefined;
  const place = parseListenText(text);
  if (place === undefined) {
    settings.problem(`--listen-address is ${quoted(text)}: must be HOST:PORT or :PORT`);
  }
  const health = { path: "/healthz", is: "up", text: '{"status":"up"}' } as const;
  return place && { ...place, isOptional: false, metricsPath: "/metrics", health };
}

function logOf(settings: Settings): LogOptions {
  const formats = { logfmt: "logfmt", json: "json" } as const;
  return {
    level: settings.choice("--log-level", LEVELS, "info"),
    format: settings.choice<LogOptions["format"]>("--log-format", formats, "logfmt"),
    timeZone: "utc",
  };
}
