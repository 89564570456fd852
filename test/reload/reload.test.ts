// The reload controller with everything real: `driftless up`, its node, and kubectl. What counts is the environment of the program in the pod.

import { deepEqual, equal, match } from "node:assert/strict";
import { execFile } from "node:child_process";
import { after, before, describe, it } from "node:test";
import { promisify } from "node:util";
import type { Deployment, Event, Pod } from "../../src/api/types.ts";
import { Kubectl } from "../agent/kubectl-session.ts";
import { type DriftlessUp, eventually, program, UpDirectory } from "../up/driftless-up.ts";

const skip = process.getuid?.() === 0 ? false : "needs root, for a node";
const core = "/api/v1/namespaces/default";
const deployments = "/apis/apps/v1/namespaces/default/deployments";
/** Counts templates; the generation counts annotations as well. */
const revision = "deployment.kubernetes.io/revision";
const run = promisify(execFile);

describe("the reload controller", { skip, timeout: 180_000 }, () => {
  let directory: UpDirectory;
  let up: DriftlessUp;

  before(async () => {
    directory = new UpDirectory();
    up = await directory.start();
  });

  after(() => directory[Symbol.asyncDispose]());

  it("rolls a Deployment out once when its environment changes, and not for a key that it does not use", async (t) => {
    const kubectl = await Kubectl.of("1.36", directory.kubeconfig);
    if (typeof kubectl === "string") {
      t.skip(kubectl);
      return;
    }
    const data = { level: "info", unused: "1" };
    await up.ask("POST", `${core}/configmaps`, { metadata: { name: "app" }, data });
    await up.ask("POST", deployments, deployment());
    const first = await running(up, "info");

    const unused = await kubectl.run("patch", "configmap/app", "-p", '{"data":{"unused":"2"}}');
    equal(unused.code, 0, unused.stderr);
    const used = await kubectl.run("patch", "configmap/app", "-p", '{"data":{"level":"debug"}}');
    equal(used.code, 0, used.stderr);
    const second = await running(up, "debug");
    equal(second === first, false);
    const done = await kubectl.run("rollout", "status", "deployment/web", "--timeout=60s");
    equal(done.code, 0, done.stderr);

    const { metadata, spec } = await up.ask<Deployment>("GET", `${deployments}/web`);
    equal(metadata.annotations?.[revision], "2");
    const reason = spec.template.metadata?.annotations?.["driftless.dev/reloaded-for"] ?? "";
    deepEqual((JSON.parse(reason) as { readonly changed: object }).changed, {
      "configmap/app": ["level"],
    });
    const { items } = await up.ask<{ items: Event[] }>("GET", `${core}/events`);
    const told = items.filter((event) => event.reason === "ConfigReload");
    deepEqual(
      told.map(({ message }) => message),
      ["configmap/app changed (level): restarting"],
    );

    const { stdout } = await run(process.execPath, [
      ...[program, "explain", `pod/${second}`],
      ...["--kubeconfig", directory.kubeconfig],
    ]);
    match(stdout, /of deployment\/web; on /);
    match(
      stdout,
      /Its template was last rolled because configmap\/app changed \(level\), [^\n]+ ago\./,
    );
    match(
      stdout,
      /configmap\/app, env of web\n +level: restart, driftless\.dev\/reload: auto; envi/,
    );
    match(stdout, /ConfigReload: configmap\/app changed \(level\): restarting/);
  });

  it("restarts nothing when everything starts again", async () => {
    await up.end("SIGKILL");
    up = await directory.start();
    await running(up, "debug");
    // A change that is acted on proves that the controller has looked at all that there was before.
    const data = { level: "trace" };
    await up.ask("PATCH", `${core}/configmaps/app`, { data }, "application/merge-patch+json");
    await running(up, "trace");
    const { metadata } = await up.ask<Deployment>("GET", `${deployments}/web`);
    equal(metadata.annotations?.[revision], "3");
  });
});

function deployment(): object {
  const labels = { app: "web" };
  const env = [{ name: "LEVEL", valueFrom: { configMapKeyRef: { name: "app", key: "level" } } }];
  // A log that is JSON, as all that is asked for here.
  const command = ["sh", "-c", 'echo "\\"$LEVEL\\""; exec sleep infinity'];
  const container = { name: "web", image: "host", command, env };
  return {
    metadata: { name: "web", annotations: { "driftless.dev/reload": "auto" } },
    spec: {
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: { terminationGracePeriodSeconds: 0, containers: [container] },
      },
    },
  };
}

/** The name of the pod that was started with this level. */
async function running(up: DriftlessUp, level: string): Promise<string> {
  return eventually(`a pod with ${level}`, async () => {
    const { items } = await up.ask<{ items: Pod[] }>("GET", `${core}/pods`);
    const names = items
      .filter(({ metadata, status }) => !metadata.deletionTimestamp && status.phase === "Running")
      .map(({ metadata }) => metadata.name ?? "");
    const levels = await Promise.all(
      names.map((name) => up.ask<string>("GET", `${core}/pods/${name}/log`)),
    );
    const found = names[levels.indexOf(level)];
    if (found === undefined) throw new Error(`only ${levels.join(", ")}`);
    return found;
  });
}
