// A server with a node, pods and reports on them that a test writes by hand: for states that are hard to bring about, and at just the time that
// the test wants them.

import { equal } from "node:assert/strict";
import type { ConfigMap, ConfigUse, Secret } from "../../src/api/types.ts";
import { contentVersion } from "../../src/base/content-version.ts";
import { objectContent } from "../../src/base/object-content.ts";
import { DriftlessServer } from "../support/driftless-server.ts";

const MERGE = { "content-type": "application/merge-patch+json" };

export class ReportedCluster implements AsyncDisposable {
  readonly server: DriftlessServer;

  private constructor(server: DriftlessServer) {
    this.server = server;
  }

  static async start(): Promise<ReportedCluster> {
    const cluster = new ReportedCluster(
      await DriftlessServer.start({ flags: ["--store", "memory"] }),
    );
    for (const name of ["here", "away"]) {
      await cluster.send("POST", "/api/v1/nodes", { metadata: { name } });
      await cluster.setReady(name, name === "here");
    }
    return cluster;
  }

  async send<T>(method: string, path: string, body?: object): Promise<T> {
    const headers = method === "PATCH" ? MERGE : undefined;
    const { status, text } = await this.server.fetch(method, path, body, headers);
    equal(status < 300, true, `${method} ${path}: ${text}`);
    return JSON.parse(text) as T;
  }

  async setReady(node: string, isReady: boolean): Promise<void> {
    const lastTransitionTime = "2026-01-02T03:04:05Z";
    const ready = { type: "Ready", status: isReady ? "True" : "Unknown", lastTransitionTime };
    await this.send("PATCH", `/api/v1/nodes/${node}/status`, { status: { conditions: [ready] } });
  }

  async namespace(name: string): Promise<void> {
    await this.send("POST", "/api/v1/namespaces", { metadata: { name } });
  }

  /** Makes it or changes it; its version. */
  async configMap(namespace: string, data: Readonly<Record<string, string>>): Promise<string> {
    return this.#object("ConfigMap", namespace, data);
  }

  async secret(namespace: string, data: Readonly<Record<string, string>>): Promise<string> {
    return this.#object("Secret", namespace, data);
  }

  async #object(
    kind: "ConfigMap" | "Secret",
    namespace: string,
    data: Readonly<Record<string, string>>,
  ): Promise<string> {
    const path = `/api/v1/namespaces/${namespace}/${kind.toLowerCase()}s`;
    const isThere = (await this.server.fetch("GET", `${path}/app`)).status === 200;
    const content = kind === "Secret" ? { stringData: data } : { data };
    const object = isThere
      ? await this.send<ConfigMap | Secret>("PATCH", `${path}/app`, content)
      : await this.send<ConfigMap | Secret>("POST", path, {
          metadata: { name: "app" },
          ...content,
        });
    return contentVersion({ kind, uid: object.metadata.uid ?? "" }, objectContent(kind, object));
  }

  /** Runs, as far as anybody can tell, and uses configmap/app or secret/app in /etc/app. */
  async pod(
    namespace: string,
    name: string,
    of: "configMap" | "secret" = "configMap",
  ): Promise<void> {
    const source =
      of === "secret" ? { secret: { secretName: "app" } } : { configMap: { name: "app" } };
    const path = `/api/v1/namespaces/${namespace}/pods`;
    await this.send("POST", path, {
      metadata: { name },
      spec: {
        automountServiceAccountToken: false,
        nodeName: name.startsWith("away") ? "away" : "here",
        volumes: [{ name: "app", ...source }],
        containers: [
          { name: "web", image: "host", volumeMounts: [{ name: "app", mountPath: "/etc/app" }] },
        ],
      },
    });
    await this.send("PATCH", `${path}/${name}/status`, { status: { phase: "Running" } });
  }

  /** What a node says of the pod's one use. */
  async report(namespace: string, name: string, use: Partial<ConfigUse>): Promise<void> {
    const path = `/apis/driftless.dev/v1/namespaces/${namespace}/configviews`;
    const uses = [
      {
        kind: "ConfigMap",
        name: "app",
        how: "volume",
        container: "web",
        mountPath: "/etc/app",
        ...use,
      },
    ];
    const isThere = (await this.server.fetch("GET", `${path}/${name}`)).status === 200;
    if (isThere) await this.send("PATCH", `${path}/${name}`, { uses });
    else await this.send("POST", path, { metadata: { name }, pod: { name }, node: "here", uses });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server[Symbol.asyncDispose]();
  }
}

/** Has it since then. */
export function has(hash: string): Partial<ConfigUse> {
  const at = "2026-01-02T03:04:05.000000Z";
  return { wanted: { hash, at }, onDisk: { hash, at } };
}
