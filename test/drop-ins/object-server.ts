// A real API server for sidecars, seen as a cluster: objects are written as their owners would, accounts have the rights that a test gives them, and the wire can be cut.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { DriftlessServer, type HttpAnswer, readCredentials } from "../support/driftless-server.ts";

interface ObjectFields {
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly data?: Readonly<Record<string, string>>;
  readonly binaryData?: Readonly<Record<string, string>>;
}

interface KubeconfigFields {
  readonly url?: string;
  /** Another authority than the server's. */
  readonly authority?: string;
  readonly namespace?: string;
  /** In place of the admin's certificate. */
  readonly token?: string;
}

const rbac = "/apis/rbac.authorization.k8s.io/v1";

export class ObjectServer implements AsyncDisposable {
  readonly #server: DriftlessServer;
  #files = 0;

  private constructor(server: DriftlessServer) {
    this.#server = server;
  }

  static async start(...namespaces: readonly string[]): Promise<ObjectServer> {
    const server = new ObjectServer(await DriftlessServer.start());
    for (const name of namespaces) {
      await server.must("POST", "/api/v1/namespaces", { metadata: { name } });
    }
    return server;
  }

  get url(): string {
    return this.#server.url;
  }

  get port(): number {
    return this.#server.port;
  }

  get authority(): string {
    return readCredentials(this.#server.kubeconfig).ca.toString();
  }

  async must(method: string, path: string, body?: unknown, type?: string): Promise<HttpAnswer> {
    const headers: Record<string, string> = type === undefined ? {} : { "content-type": type };
    const answer = await this.#server.fetch(method, path, body, headers);
    if (answer.status > 299) throw new Error(`${method} ${path}: ${answer.text}`);
    return answer;
  }

  /** "configmaps/NAMESPACE/NAME" is this from now on, whatever it was. */
  async apply(what: string, { labels, annotations, ...content }: ObjectFields): Promise<void> {
    const [resource = "", namespace = "", name = ""] = what.split("/");
    const path = `/api/v1/namespaces/${namespace}/${resource}/${name}`;
    const kind = resource === "secrets" ? "Secret" : "ConfigMap";
    const metadata = { name, namespace, labels, annotations };
    const body = { apiVersion: "v1", kind, metadata, ...encoded(kind, content) };
    const query = "?fieldManager=test&force=true";
    await this.must("PATCH", path + query, body, "application/apply-patch+yaml");
  }

  async remove(what: string): Promise<void> {
    const [resource = "", namespace = "", name = ""] = what.split("/");
    await this.must("DELETE", `/api/v1/namespaces/${namespace}/${resource}/${name}`);
  }

  /** An account that may do this in the namespace, and its token. */
  async account(
    namespace: string,
    name: string,
    rules: readonly { readonly resources: readonly string[]; readonly verbs: readonly string[] }[],
  ): Promise<string> {
    const metadata = { name };
    await this.must("POST", `/api/v1/namespaces/${namespace}/serviceaccounts`, { metadata });
    await this.must("POST", `${rbac}/namespaces/${namespace}/roles`, {
      metadata,
      rules: rules.map((rule) => ({ apiGroups: [""], ...rule })),
    });
    await this.must("POST", `${rbac}/namespaces/${namespace}/rolebindings`, {
      metadata,
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name },
      subjects: [{ kind: "ServiceAccount", name, namespace }],
    });
    const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`;
    const { text } = await this.must("POST", path, {});
    return (JSON.parse(text) as { readonly status: { readonly token: string } }).status.token;
  }

  /** A file of its own. */
  kubeconfig({ url = this.url, authority, namespace, token }: KubeconfigFields = {}): string {
    const { ca, cert, key } = readCredentials(this.#server.kubeconfig);
    const base64 = (bytes: Buffer): string => bytes.toString("base64");
    const user =
      token === undefined
        ? { "client-certificate-data": base64(cert), "client-key-data": base64(key) }
        : { token };
    const trusted = authority === undefined ? ca : Buffer.from(authority);
    const cluster = { server: url, "certificate-authority-data": base64(trusted) };
    const file = join(this.#server.dataDir, `test-${this.#files++}.json`);
    writeFileSync(
      file,
      JSON.stringify({
        ...{ apiVersion: "v1", kind: "Config", "current-context": "a" },
        clusters: [{ name: "a", cluster }],
        users: [{ name: "a", user }],
        contexts: [{ name: "a", context: { cluster: "a", user: "a", namespace } }],
      }),
    );
    return file;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server[Symbol.asyncDispose]();
  }
}

function encoded(kind: string, { data = {}, binaryData }: ObjectFields): object {
  if (kind === "ConfigMap") return { data, ...(binaryData && { binaryData }) };
  const values: Record<string, string> = {};
  for (const [key, text] of Object.entries(data))
    values[key] = Buffer.from(text).toString("base64");
  return { data: values };
}
