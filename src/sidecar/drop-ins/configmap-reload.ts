// configmap-reload: watches directories, and asks addresses by HTTP when one of them changes. It writes nothing.

import type { ReloadActionSpec, SourceSpec } from "../compose-model.ts";
import type { Repeats } from "./arguments.ts";
import type { DropIn } from "./drop-in-model.ts";
import { parseListenText } from "./listen-text.ts";
import { NO_GATE } from "./no-gate.ts";
import { quoted, type Settings } from "./settings.ts";

export const CONFIGMAP_RELOAD_FLAGS: Readonly<Record<string, Repeats>> = {
  "--volume-dir": "many",
  "--webhook-url": "many",
  "--webhook-method": "last",
  "--webhook-status-code": "last",
  "--webhook-retries": "last",
  "--web.listen-address": "last",
  "--web.telemetry-path": "last",
};

/** It had none, and a request without an answer blocked it for ever. */
const REQUEST_TIMEOUT_MS = 60_000;
/** What it slept between two tries. */
const RETRY_MS = 10_000;
/** Several volumes of one pod are written within this time of each other. */
const WAITS = { minWaitMs: 100, maxWaitMs: 2000 };

export function configmapReload(settings: Settings): Omit<DropIn, "notes" | "rest"> {
  const directories = settings.all("--volume-dir");
  if (directories.length === 0)
    settings.problem("--volume-dir is missing: name a directory to watch");
  const sources = directories.map((path, index): [string, SourceSpec] => [
    `volume-${index + 1}`,
    { type: "directory", path, optional: false },
  ]);
  return {
    compose: {
      sources: new Map(sources),
      files: [],
      output: { type: "none" },
      gate: NO_GATE,
      reload: { actions: webhooks(settings), ...WAITS, onStart: true, retryMaxMs: RETRY_MS },
    },
    options: {
      program: "configmap-reload",
      isOnce: false,
      onceTries: undefined,
      kubeconfig: undefined,
      skipsApiTlsVerify: false,
      listen: listen(settings),
      log: { level: "info", format: "json", timeZone: "utc" },
    },
  };
}

function webhooks(settings: Settings): readonly ReloadActionSpec[] {
  const method = settings.text("--webhook-method") ?? "POST";
  const codes = { fallback: 200, min: 100, max: 599, isWhole: true };
  const status = settings.number("--webhook-status-code", codes);
  const tries = settings.number("--webhook-retries", {
    fallback: 1,
    min: -Infinity,
    isWhole: true,
  });
  if (tries === 0) {
    settings.note(
      "--webhook-retries is 0, with which nothing would ever be told: it is told all the same",
    );
  }
  if (!/^[A-Za-z]+$/.test(method)) {
    settings.problem(`--webhook-method is ${quoted(method)}: must be a method such as POST`);
  }
  if (settings.all("--webhook-url").length === 0) {
    settings.problem("--webhook-url is missing: name an address to ask after a change");
  }
  return settings.addresses("--webhook-url").map(({ url, auth }) => ({
    type: "http",
    method: method.toUpperCase(),
    url,
    headers: new Map(),
    auth,
    body: undefined,
    expectedStatus: [status],
    timeoutMs: REQUEST_TIMEOUT_MS,
    skipsTlsVerify: false,
  }));
}

function listen(settings: Settings): DropIn["options"]["listen"] {
  const text = settings.text("--web.listen-address") ?? ":9533";
  const place = parseListenText(text);
  if (place === undefined) {
    settings.problem(`--web.listen-address is ${quoted(text)}: must be HOST:PORT or :PORT`);
  }
  const metricsPath = settings.text("--web.telemetry-path") ?? "/metrics";
  if (!metricsPath.startsWith("/")) {
    settings.problem(`--web.telemetry-path is ${quoted(metricsPath)}: must begin with "/"`);
  }
  return place && { ...place, isOptional: false, metricsPath, health: undefined };
}
