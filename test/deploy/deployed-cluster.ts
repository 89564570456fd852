// A cluster of ours in the place of somebody else's: a server that writes down every request, controllers, a node, and on it the image that the Containerfile
// makes and one with nginx, under the names that the manifests have.

import { execFileSync, spawnSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import type { ApiObject } from "../../src/api/object.ts";
import type { Pod } from "../../src/api/types.ts";
import { type TempDir, tempDir } from "../../src/base/testing/temp-dir.ts";
import { assembleImage } from "../../tools/assemble-image.ts";
import { DriftlessControllers } from "../support/driftless-controllers.ts";
import { DriftlessNode } from "../support/driftless-node.ts";
import { DriftlessServer } from "../support/driftless-server.ts";
import { eventually } from "../up/driftless-up.ts";
import { KUSTOMIZE, objectsOf } from "./built-manifests.ts";

const CHECKOUT = new URL("../..", import.meta.url).pathname;
const program = join(CHECKOUT, "src/cmd/driftless.ts");
const DRIFTLESS = "registry.example/driftless:0.0.0";
export const NGINX = "docker.io/nginxinc/nginx-unprivileged:1.28-alpine";

const policy = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
  - level: Metadata
`;

/** As in the image whose name it has. */
const nginxConf = `pid /tmp/nginx.pid;
error_log stderr;
events {}
http {
  access_log off;
  client_body_temp_path /tmp/body;
  proxy_temp_path /tmp/proxy;
  fastcgi_temp_path /tmp/fastcgi;
  uwsgi_temp_path /tmp/uwsgi;
  scgi_temp_path /tmp/scgi;
  include /etc/nginx/conf.d/*.conf;
}
`;

/** One line of the audit log, as far as it matters here. */
export interface Asked {
  readonly verb: string;
  readonly user: { readonly username: string };
  readonly requestURI: string;
  readonly objectRef?: {
    readonly apiGroup?: string;
    readonly resource: string;
    readonly subresource?: string;
    readonly namespace?: string;
    readonly name?: string;
  };
  readonly responseStatus?: { readonly code?: number };
}

export class DeployedCluster implements AsyncDisposable {
  readonly server: DriftlessServer;
  readonly node: DriftlessNode;
  readonly #parts: AsyncDisposableStack;
  readonly #home: TempDir;
  readonly #kubectl: string;

  private constructor(of: {
    readonly server: DriftlessServer;
    readonly node: DriftlessNode;
    readonly parts: AsyncDisposableStack;
    readonly home: TempDir;
    readonly kubectl: string;
  }) {
    this.server = of.server;
    this.node = of.node;
    this.#parts = of.parts;
    this.#home = of.home;
    this.#kubectl = of.kubectl;
  }

  static async start(programs: {
    readonly kubectl: string;
    readonly nginx: string;
  }): Promise<DeployedCluster> {
    await using parts = new AsyncDisposableStack();
    const home = parts.use(tempDir());
    writeFileSync(home.join("policy.yaml"), policy);
    const log = ["--audit-policy-file", home.join("policy.yaml")];
    const flags = ["--store", "memory", ...log, "--audit-log-path", home.join("audit.log")];
    const server = parts.use(await DriftlessServer.start({ flags }));
    const node = parts.use(await DriftlessNode.start({ server }));
    importDriftless(home.join("driftless"), node.dataDir);
    importNginx(home.join("nginx"), { nginx: programs.nginx, dataDir: node.dataDir });
    const { dataDir } = server;
    // Without what the manifests bring: the reload controller in the pods is the one at work.
    const all = ["--controllers", "*,-reload-controller"];
    parts.use(await DriftlessControllers.start({ dataDir, flags: all }));
    const cluster = new DeployedCluster({
      ...{ server, node, home, kubectl: programs.kubectl },
      parts: parts.move(),
    });
    await cluster.publish();
    return cluster;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#parts.disposeAsync();
  }

  /** Where the API is, for pods: in other clusters the server does it. */
  private async publish(): Promise<void> {
    const ports = [{ name: "https", port: this.server.port }];
    await this.ask("POST", "/api/v1/namespaces/default/services", {
      metadata: { name: "kubernetes" },
      spec: { clusterIP: "127.0.0.1", ports },
    });
  }

  async ask<T>(method: string, path: string, body?: object): Promise<T> {
    const headers = method === "PATCH" ? { "content-type": "application/merge-patch+json" } : {};
    const { status, text } = await this.server.fetch(method, path, body, headers);
    if (status >= 300) throw new Error(`${method} ${path}: ${text}`);
    return JSON.parse(text) as T;
  }

  /** One that accepts nothing but restricted pods, and warns of templates for others; unless it is there. */
  async makeNamespace(name: string): Promise<void> {
    const prefix = "pod-security.kubernetes.io";
    const labels = { [`${prefix}/enforce`]: "restricted", [`${prefix}/warn`]: "restricted" };
    const { status, text } = await this.server.fetch("POST", "/api/v1/namespaces", {
      metadata: { name, labels },
    });
    if (![201, 409].includes(status)) throw new Error(text);
  }

  /** What kubectl says, whether it worked or not. */
  kubectl(
    input: string,
    ...args: readonly string[]
  ): { readonly code: number | null; readonly text: string } {
    const own = ["--kubeconfig", this.server.kubeconfig];
    const { status, stdout, stderr } = spawnSync(this.#kubectl, [...own, ...args], {
      ...{ input, encoding: "utf8", env: { ...process.env, HOME: this.#home.path } },
    });
    return { code: status, text: `${stdout}${stderr}` };
  }

  /** Strictly: an unknown or doubled field is an error. */
  apply(text: string, namespace: string): void {
    const said = this.kubectl(text, "apply", "--validate=strict", "-n", namespace, "-f", "-");
    if (said.code !== 0) throw new Error(said.text);
  }

  async pods(namespace: string, labelSelector: string): Promise<readonly Pod[]> {
    const path = `/api/v1/namespaces/${namespace}/pods?labelSelector=${encodeURIComponent(labelSelector)}`;
    return (await this.ask<{ items: Pod[] }>("GET", path)).items;
  }

  /** The one pod, when it is ready. */
  readyPod(namespace: string, labelSelector: string): Promise<Pod> {
    return eventually(`a pod ${labelSelector} that is ready`, async () => {
      const [pod, ...others] = await this.pods(namespace, labelSelector);
      const conditions = pod?.status?.conditions ?? [];
      const isReady = conditions.some(({ type, status }) => type === "Ready" && status === "True");
      if (pod && isReady && others.length === 0) return pod;
      throw new Error(`${others.length} others, and ${JSON.stringify(pod?.status)}`);
    });
  }

  logs(namespace: string, pod: string, container: string): string {
    return this.kubectl("", "-n", namespace, "logs", pod, "-c", container).text;
  }

  /** All that a service account has asked for, in the order in which it was answered. */
  askedBy(namespace: string, name: string): readonly Asked[] {
    const username = `system:serviceaccount:${namespace}:${name}`;
    return readFileSync(this.#home.join("audit.log"), "utf8")
      .split("\n")
      .filter((line) => line.includes(username))
      .map((line) => JSON.parse(line) as Asked)
      .filter(({ user }) => user.username === username);
  }

  /** All but the namespace: the next one has a use for it. */
  async remove(text: string, namespace: string): Promise<void> {
    const items = objectsOf(text).filter(({ kind }) => kind !== "Namespace");
    const list = JSON.stringify({ apiVersion: "v1", kind: "List", items });
    this.kubectl(list, "delete", "-n", namespace, "--wait=false", "--ignore-not-found", "-f", "-");
    await eventually(`the end of all pods in ${namespace}`, async () => {
      const { items } = await this.ask<{ items: ApiObject[] }>(
        "GET",
        `/api/v1/namespaces/${namespace}/pods`,
      );
      if (items.length > 0) throw new Error(items.map((one) => one.metadata.name).join(", "));
    });
  }
}

/** With what the Containerfile says of it, which is what a builder would put into the image's configuration. */
function importDriftless(root: string, dataDir: string): void {
  assembleImage({ checkout: CHECKOUT.replace(/\/$/, ""), root, node: process.execPath });
  const [, text = ""] = readFileSync(join(KUSTOMIZE, "Containerfile"), "utf8").split(
    "FROM scratch",
  );
  const said = (instruction: string): string =>
    new RegExp(`^${instruction} (.*)$`, "m").exec(text)?.[1] ?? "";
  importImage(DRIFTLESS, root, dataDir, [
    ...(JSON.parse(said("ENTRYPOINT")) as string[]).flatMap((word) => ["--entrypoint", word]),
    ...said("ENV")
      .split(" ")
      .flatMap((one) => ["--env", one]),
    ...["--user", said("USER"), "--workdir", said("WORKDIR")],
  ]);
}

function importNginx(
  root: string,
  { nginx, dataDir }: { readonly nginx: string; readonly dataDir: string },
): void {
  const libraries = execFileSync("ldd", [nginx], { encoding: "utf8" }).matchAll(/(\/\S+) \(0x/g);
  for (const [, path = ""] of libraries) copyTo(root, path, path);
  copyTo(root, nginx, "/usr/sbin/nginx");
  for (const folder of ["etc/nginx/conf.d", "var/lib/nginx", "var/log/nginx", "tmp"])
    mkdirSync(join(root, folder), { recursive: true });
  chmodSync(join(root, "tmp"), 0o1777);
  writeFileSync(join(root, "etc/nginx/nginx.conf"), nginxConf);
  const words = ["/usr/sbin/nginx", "-e", "stderr", "-g", "daemon off;"];
  importImage(
    NGINX,
    root,
    dataDir,
    words.flatMap((word) => ["--entrypoint", word]),
  );
}

function copyTo(root: string, from: string, to: string): void {
  mkdirSync(dirname(join(root, to)), { recursive: true });
  copyFileSync(realpathSync(from), join(root, to));
  chmodSync(join(root, to), 0o755);
}

function importImage(name: string, root: string, dataDir: string, flags: readonly string[]): void {
  const argv = [program, "image", "import", name, root, "--data-dir", dataDir, ...flags];
  execFileSync(process.execPath, argv, { encoding: "utf8" });
}
