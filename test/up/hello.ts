// The example of the first minute, as tests look at it.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { parseAllDocuments } from "yaml";
import type { Pod } from "../../src/api/types.ts";
import { type DriftlessUp, eventually } from "./driftless-up.ts";

export const ROOT: string = new URL("../..", import.meta.url).pathname;
const core = "/api/v1/namespaces/default";

/** Makes what examples/hello.yaml says, and waits for its pod. */
export async function applyHello(up: DriftlessUp): Promise<Pod> {
  const text = readFileSync(`${ROOT}/examples/hello.yaml`, "utf8");
  const [configMap, deployment] = parseAllDocuments(text).map((one) => one.toJS() as object);
  await up.ask("POST", `${core}/configmaps`, configMap);
  await up.ask("POST", "/apis/apps/v1/namespaces/default/deployments", deployment);
  return helloPod(up);
}

/** The one that runs. */
export async function helloPod(up: DriftlessUp): Promise<Pod> {
  return eventually("a pod of hello that runs", async () => {
    const pods = await helloPods(up);
    const ready = pods.filter(
      ({ metadata, status }) =>
        metadata.deletionTimestamp === undefined &&
        status?.conditions?.some(({ type, status: is }) => type === "Ready" && is === "True"),
    );
    assert.equal(ready.length, 1, JSON.stringify(pods.map(({ status }) => status)));
    return ready[0] as Pod;
  });
}

export async function helloPods(up: DriftlessUp): Promise<readonly Pod[]> {
  const path = `${core}/pods?labelSelector=app%3Dhello`;
  return (await up.ask<{ readonly items: readonly Pod[] }>("GET", path)).items;
}

/** What tells whether it is still the same. */
export function containerOf({ metadata, status }: Pod): object {
  const [one] = status?.containerStatuses ?? [];
  return { uid: metadata.uid, id: one?.containerID, restarts: one?.restartCount };
}
