// A cluster that has been used for a while: ConfigMaps, Secrets, pods, and Deployments with their ReplicaSets. Nothing of it runs: the
// pods wait for a scheduler that is not there, and the Deployments have none.

import type { UpClient } from "./up-client.ts";

const AT_ONCE = 16;
/** Of a hundred; the rest are Deployments, each with its ReplicaSet. */
const SHARES = { configmaps: 48, secrets: 30, pods: 14 };

interface Made {
  readonly path: string;
  readonly object: object;
}

/** Settles when the controllers have done what there is to do. */
export async function fillWithObjects(client: UpClient, count: number): Promise<void> {
  const all = Array.from(objects(count));
  let next = 0;
  const maker = async (): Promise<void> => {
    for (let one = all[next++]; one !== undefined; one = all[next++]) {
      await client.ask("POST", one.path, one.object);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, maker));
  const last = `deployments-${deploymentsOf(count) - 1}`;
  await client.untilDeployment(last, ({ status }) => status.observedGeneration === 1);
}

function* objects(count: number): Generator<Made> {
  const core = "/api/v1/namespaces/default";
  for (const [resource, share] of Object.entries(SHARES)) {
    for (let i = 0; i < (count * share) / 100; i++) {
      const metadata = { name: `${resource}-${i}` };
      yield { path: `${core}/${resource}`, object: { metadata, ...contentOf(resource) } };
    }
  }
  const labels = { app: "none" };
  const template = { metadata: { labels }, spec: podSpec };
  const spec = { replicas: 0, selector: { matchLabels: labels }, template };
  for (let i = 0; i < deploymentsOf(count); i++) {
    const path = "/apis/apps/v1/namespaces/default/deployments";
    yield { path, object: { metadata: { name: `deployments-${i}` }, spec } };
  }
}

function deploymentsOf(count: number): number {
  const { configmaps, secrets, pods } = SHARES;
  return Math.floor((count * (100 - configmaps - secrets - pods)) / 200);
}

function contentOf(resource: string): object {
  if (resource === "pods") return { spec: podSpec };
  const text = "x".repeat(1000);
  return resource === "secrets" ? { stringData: { key: text } } : { data: { key: text } };
}

const podSpec = {
  schedulerName: "nobody",
  containers: [{ name: "main", image: "host", command: ["sleep", "infinity"] }],
};
