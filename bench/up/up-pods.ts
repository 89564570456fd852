// Many pods of one Deployment on one node: made, and replaced by a rolling restart. Each container begins as a process of Node, so
// that many starts of a plain one are what there is to compare with.

import type { Deployment } from "../../src/api/types.ts";
import type { DriftlessUp } from "../../test/up/driftless-up.ts";
import { nodeStartMs } from "../agent/node-start.ts";
import { cpuMs } from "../api/process-usage.ts";
import { ratioAim, report } from "../report.ts";
import { UpClient } from "./up-client.ts";

const NAME = "many";
const AT_ONCE = 20;
/** As for pods that are made one by one. */
const AIM_RATIO = 6;

export interface PodsOptions {
  readonly up: DriftlessUp;
  readonly pods: number;
}

/** They are left running. */
export async function benchUpPods({ up, pods }: PodsOptions): Promise<void> {
  using client = new UpClient(up);
  const path = "/apis/apps/v1/namespaces/default/deployments";
  const pid = up.process.pid ?? 0;
  const measure = async (name: string, change: () => Promise<Deployment>): Promise<void> => {
    const baseline = (await plainStartsMs(pods)) / 1000;
    const before = cpuMs(pid);
    const ours = (await rolledOutMs(client, change)) / 1000;
    const each = (cpuMs(pid) - before) / pods;
    report({ name, unit: "s", ours, baseline, aim: ratioAim(AIM_RATIO, ours, baseline) });
    report({ name: "  processor time of up for each pod", unit: "ms", ours: each });
  };
  await measure(`up, ${pods} pods of a Deployment made → all are ready`, () =>
    client.ask<Deployment>("POST", path, manifest(pods)),
  );
  const template = { metadata: { annotations: { restarted: "1" } } };
  await measure(`up, rolling restart of ${pods} pods`, () =>
    client.ask<Deployment>("PATCH", `${path}/${NAME}`, { spec: { template } }),
  );
}

/** Milliseconds until every pod is as wanted. */
async function rolledOutMs(client: UpClient, change: () => Promise<Deployment>): Promise<number> {
  const began = performance.now();
  const { metadata, spec } = await change();
  const { replicas } = spec;
  const ended = await client.untilDeployment(NAME, ({ status }) => {
    if (status.observedGeneration !== metadata.generation) return false;
    const { updatedReplicas, availableReplicas, replicas: all } = status;
    return [updatedReplicas, availableReplicas, all].every((count) => count === replicas);
  });
  return ended - began;
}

async function plainStartsMs(count: number): Promise<number> {
  let ms = 0;
  for (let i = 0; i < count; i += AT_ONCE) ms += await nodeStartMs(Math.min(AT_ONCE, count - i));
  return ms;
}

function manifest(pods: number) {
  const labels = { app: NAME };
  const spec = {
    terminationGracePeriodSeconds: 0,
    containers: [{ name: "main", image: "host", command: ["sleep", "infinity"] }],
  };
  return {
    metadata: { name: NAME },
    spec: {
      replicas: pods,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec },
    },
  };
}
