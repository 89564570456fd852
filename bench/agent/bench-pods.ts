// Pods and ConfigMaps for measuring: made over HTTP, as an admin does.

import { setTimeout as sleep } from "node:timers/promises";
import type { Pod } from "../../src/api/types.ts";
import type { DriftlessServer } from "../../test/support/driftless-server.ts";

const core = "/api/v1/namespaces/default";

export async function makeConfigMap(server: DriftlessServer, name: string): Promise<void> {
  await asked(server, "POST", `${core}/configmaps`, {
    metadata: { name },
    data: { key: "first", other: "x".repeat(500) },
  });
}

export async function setValue(
  server: DriftlessServer,
  name: string,
  value: string,
): Promise<void> {
  const headers = { "content-type": "application/merge-patch+json" };
  const { status, text } = await server.fetch(
    "PATCH",
    `${core}/configmaps/${name}`,
    { data: { key: value } },
    headers,
  );
  if (status !== 200) throw new Error(`cannot change the ConfigMap ${name}: ${text}`);
}

/** With a volume of the same name for each ConfigMap. */
export async function makePod(
  server: DriftlessServer,
  of: { readonly name: string; readonly node: string; readonly configMaps: readonly string[] },
): Promise<void> {
  await asked(server, "POST", `${core}/pods`, {
    metadata: { name: of.name },
    spec: {
      nodeName: of.node,
      automountServiceAccountToken: false,
      terminationGracePeriodSeconds: 0,
      containers: [
        {
          name: "main",
          image: "host",
          command: ["sleep", "infinity"],
          volumeMounts: of.configMaps.map((name) => ({ name, mountPath: `/etc/bench/${name}` })),
        },
      ],
      volumes: of.configMaps.map((name) => ({ name, configMap: { name } })),
    },
  });
}

export async function running(server: DriftlessServer, name: string): Promise<Pod> {
  for (;;) {
    const pod = JSON.parse((await server.fetch("GET", `${core}/pods/${name}`)).text) as Pod;
    if (pod.status?.phase === "Running") return pod;
    if (pod.status?.phase === "Failed")
      throw new Error(`the pod ${name} failed: ${JSON.stringify(pod.status)}`);
    await sleep(50);
  }
}

export async function deletePod(server: DriftlessServer, name: string): Promise<void> {
  await server.fetch("DELETE", `${core}/pods/${name}`);
  while ((await server.fetch("GET", `${core}/pods/${name}`)).status !== 404) await sleep(50);
}

async function asked(
  server: DriftlessServer,
  method: string,
  path: string,
  body: object,
): Promise<void> {
  const { status, text } = await server.fetch(method, path, body);
  if (status >= 300) throw new Error(`${method} ${path}: ${text}`);
}
