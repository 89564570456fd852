// Metrics under the names that dashboards and alerts already have; k8s-sidecar had none. What happened is said here once, and counted by whichever names the
// program had that is stood in for.

import type { Metrics } from "../../base/metrics.ts";
import type { ReloadActionSpec } from "../compose-model.ts";
import type { SidecarObserver } from "../report/observer.ts";
import type { ProgramName } from "./drop-in-model.ts";

export interface OldMetricsOptions {
  readonly program: ProgramName;
  readonly actions: readonly ReloadActionSpec[];
  /** How many sources there are. */
  readonly sources: number;
  readonly metrics: Metrics;
}

/** Undefined for a program that had no metrics. */
export function createOldMetrics(options: OldMetricsOptions): SidecarObserver | undefined {
  switch (options.program) {
    case "k8s-sidecar":
      return undefined;
    case "configmap-reload":
      return ofConfigmapReload(options);
    case "prometheus-config-reloader":
      return ofPrometheusConfigReloader(options);
  }
}

function ofConfigmapReload({ metrics }: OldMetricsOptions): SidecarObserver {
  const lastError = metrics.gauge({
    name: "configmap_reload_last_reload_error",
    help: "1 if the last request of this webhook failed, else 0.",
    labels: ["webhook"],
  });
  const duration = metrics.gauge({
    name: "configmap_reload_last_request_duration_seconds",
    help: "How long the last request that succeeded took.",
    labels: ["webhook"],
  });
  const successes = metrics.counter({
    name: "configmap_reload_success_reloads_total",
    help: "Requests that succeeded.",
    labels: ["webhook"],
  });
  const errors = metrics.counter({
    name: "configmap_reload_request_errors_total",
    help: "Requests that failed: client_response for a wrong status, client_request_do for no answer.",
    labels: ["webhook", "reason"],
  });
  const watcherErrors = metrics.counter({
    name: "configmap_reload_watcher_errors_total",
    help: "Times that a directory could not be watched or read.",
  });
  const requests = metrics.counter({
    name: "configmap_reload_requests_total",
    help: "Requests that were answered, by status.",
    labels: ["webhook", "status_code"],
  });
  return {
    reloadEnded({ action, isGood, status, seconds }) {
      const webhook = webhookLabel(action);
      lastError.set(isGood ? 0 : 1, { webhook });
      if (status !== undefined) requests.inc({ webhook, status_code: String(status) });
      if (isGood) {
        duration.set(seconds, { webhook });
        successes.inc({ webhook });
      } else {
        const reason = status === undefined ? "client_request_do" : "client_response";
        errors.inc({ webhook, reason });
      }
    },
    applied: () => undefined,
    sourceChanged: () => undefined,
    sourceFailed: () => watcherErrors.inc(),
  };
}

function ofPrometheusConfigReloader({
  metrics,
  actions,
  sources,
}: OldMetricsOptions): SidecarObserver {
  const counter = (name: string, help: string) => metrics.counter({ name, help });
  const gauge = (name: string, help: string) => metrics.gauge({ name, help });
  const reloads = counter("reloader_reloads_total", "Tries to reload.");
  const failed = counter("reloader_reloads_failed_total", "Tries to reload that failed.");
  const isGoodNow = gauge(
    "reloader_last_reload_successful",
    "1 if the last try succeeded, else 0.",
  );
  const goodAt = gauge(
    "reloader_last_reload_success_timestamp_seconds",
    "When a try last succeeded.",
  );
  const applies = counter(
    "reloader_config_apply_operations_total",
    "Times that the files were made anew.",
  );
  const failedApplies = counter(
    "reloader_config_apply_operations_failed_total",
    "Times that they could not be made or written.",
  );
  const unset = gauge(
    "reloader_config_environment_variable_expansion_errors",
    "Variables that the configuration refers to and that are not set.",
  );
  const events = counter("reloader_watch_events_total", "Changes that sources told of.");
  const watchErrors = counter(
    "reloader_watch_errors_total",
    "Times that a file or directory could not be watched or read.",
  );
  const method = actions.some(({ type }) => type === "signal") ? "signal" : "http";
  metrics
    .gauge({ name: "reloader_info", help: "1, with the way of telling.", labels: ["method"] })
    .set(1, { method });
  gauge("reloader_watches", "Files and directories that are watched.").set(sources);
  return {
    reloadEnded({ isGood, atMs }) {
      reloads.inc();
      isGoodNow.set(isGood ? 1 : 0);
      if (isGood) goodAt.set(atMs / 1000);
      else failed.inc();
    },
    applied({ isGood, unsetVariables }) {
      applies.inc();
      if (!isGood) failedApplies.inc();
      unset.set(unsetVariables);
    },
    sourceChanged: () => events.inc(),
    sourceFailed: () => watchErrors.inc(),
  };
}

/** The address as it was given, with its password hidden. */
function webhookLabel(action: ReloadActionSpec): string {
  if (action.type !== "http") return "";
  const { url, auth } = action;
  if (auth?.username === undefined) return url;
  const user = encodeURIComponent(auth.username);
  return url.replace(/^(\s*https?:\/\/)/i, (scheme) => `${scheme}${user}:xxxxx@`);
}
