import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createMetrics } from "../../base/metrics.ts";
import type { ReloadActionSpec } from "../compose-model.ts";
import type { ReloadEnd, SidecarObserver } from "../report/observer.ts";
import { dropIn } from "./drop-in.ts";
import { createOldMetrics } from "./old-metrics.ts";

async function counted(
  argv: readonly string[],
  happens: (old: SidecarObserver, action: ReloadActionSpec) => void,
): Promise<string[]> {
  const one = dropIn({ argv, env: {} });
  const metrics = createMetrics();
  const actions = one?.compose.reload.actions ?? [];
  const program = one?.options.program ?? "k8s-sidecar";
  const old = createOldMetrics({
    program,
    actions,
    sources: one?.compose.sources.size ?? 0,
    metrics,
  });
  assert.ok(old !== undefined && actions[0] !== undefined);
  happens(old, actions[0]);
  return (await metrics.text()).split("\n").filter((line) => line !== "" && !line.startsWith("#"));
}

const end: Omit<ReloadEnd, "action"> = { isGood: true, status: 200, seconds: 0.25, atMs: 5000 };

describe("the metrics that configmap-reload had", () => {
  const argv = ["--as=configmap-reload", "--volume-dir=/v", "--webhook-url=http://u:hush@a/r"];
  const webhook = 'webhook="http://u:xxxxx@a/r"';

  it("count a request that succeeded, without its password", async () => {
    const lines = await counted(argv, (old, action) => old.reloadEnded({ action, ...end }));
    assert.deepEqual(lines, [
      `configmap_reload_last_reload_error{${webhook}} 0`,
      `configmap_reload_last_request_duration_seconds{${webhook}} 0.25`,
      `configmap_reload_success_reloads_total{${webhook}} 1`,
      "configmap_reload_watcher_errors_total 0",
      `configmap_reload_requests_total{${webhook},status_code="200"} 1`,
    ]);
  });

  it("count requests that failed, by reason", async () => {
    const lines = await counted(argv, (old, action) => {
      old.reloadEnded({ action, ...end, isGood: false, status: 500 });
      old.reloadEnded({ action, ...end, isGood: false, status: undefined });
      old.sourceFailed();
      old.sourceChanged();
      old.applied({ isGood: false, unsetVariables: 1 });
    });
    assert.deepEqual(lines, [
      `configmap_reload_last_reload_error{${webhook}} 1`,
      `configmap_reload_request_errors_total{${webhook},reason="client_response"} 1`,
      `configmap_reload_request_errors_total{${webhook},reason="client_request_do"} 1`,
      "configmap_reload_watcher_errors_total 1",
      `configmap_reload_requests_total{${webhook},status_code="500"} 1`,
    ]);
  });
});

describe("the metrics that prometheus-config-reloader had", () => {
  const argv = ["--as=prometheus-config-reloader", "--config-file=/c", "--watched-dir=/d"];

  it("count reloads, what was applied, and changes", async () => {
    const lines = await counted(argv, (old, action) => {
      old.reloadEnded({ action, ...end, isGood: false });
      old.reloadEnded({ action, ...end });
      old.applied({ isGood: true, unsetVariables: 0 });
      old.applied({ isGood: false, unsetVariables: 2 });
      old.sourceChanged();
      old.sourceFailed();
    });
    assert.deepEqual(lines.toSorted(), [
      "reloader_config_apply_operations_failed_total 1",
      "reloader_config_apply_operations_total 2",
      "reloader_config_environment_variable_expansion_errors 2",
      'reloader_info{method="http"} 1',
      "reloader_last_reload_success_timestamp_seconds 5",
      "reloader_last_reload_successful 1",
      "reloader_reloads_failed_total 1",
      "reloader_reloads_total 2",
      "reloader_watch_errors_total 1",
      "reloader_watch_events_total 1",
      "reloader_watches 2",
    ]);
  });

  it("say that a last reload failed, and how it is told", async () => {
    const signal = [...argv, "--reload-method=signal"];
    const lines = await counted(signal, (old, action) =>
      old.reloadEnded({ action, ...end, isGood: false }),
    );
    assert.ok(lines.includes("reloader_last_reload_successful 0"));
    assert.ok(lines.includes('reloader_info{method="signal"} 1'));
  });
});

describe("createOldMetrics", () => {
  it("has none for k8s-sidecar, which had none", () => {
    const options = { program: "k8s-sidecar", actions: [], sources: 0 } as const;
    assert.equal(createOldMetrics({ ...options, metrics: createMetrics() }), undefined);
  });
});
