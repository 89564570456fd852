// A server with three who know it: a node, a user, and one who will flood it. None of them is in system:masters.

import { tempDir } from "../../src/base/testing/temp-dir.ts";
import { driftless } from "../../test/identity/command.ts";
import { DriftlessServer, readCredentials } from "../../test/support/driftless-server.ts";
import type { Target } from "../api/jobs.ts";
import { LISTED, LISTED_NAMESPACE, WRITTEN, WRITTEN_NAMESPACE } from "./flood-request.ts";

export const NODE = "n1";
export const LEASE_PATH: string = `/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/${NODE}`;
export const USER_NAMESPACE = "flood-user";

const BINDINGS = "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings";
const LEASES = LEASE_PATH.slice(0, LEASE_PATH.lastIndexOf("/"));

export interface Identities {
  readonly node: Target;
  readonly user: Target;
  readonly flooder: Target;
}

export class FloodPlace implements AsyncDisposable {
  readonly server: DriftlessServer;
  readonly identities: Identities;

  private constructor(server: DriftlessServer, identities: Identities) {
    this.server = server;
    this.identities = identities;
  }

  static async start(): Promise<FloodPlace> {
    const server = await DriftlessServer.start();
    const make = async (name: string, ...flags: readonly string[]): Promise<Target> =>
      identity(server, name, flags);
    const identities = {
      node: await make(`system:node:${NODE}`, "--group", "system:nodes", "--allow-system"),
      user: await make("user"),
      flooder: await make("flooder"),
    };
    const place = new FloodPlace(server, identities);
    await place.#fill();
    return place;
  }

  get pid(): number {
    return this.server.process.pid ?? 0;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server[Symbol.asyncDispose]();
  }

  async #fill(): Promise<void> {
    const apiGroup = "rbac.authorization.k8s.io";
    for (const name of ["user", "flooder"]) {
      await this.#make(BINDINGS, {
        metadata: { name },
        roleRef: { apiGroup, kind: "ClusterRole", name: "cluster-admin" },
        subjects: [{ apiGroup, kind: "User", name }],
      });
    }
    await this.#make("/api/v1/nodes", { metadata: { name: NODE } });
    await this.#make(LEASES, { metadata: { name: NODE }, spec: { holderIdentity: NODE } });
    await this.#makeObjects(USER_NAMESPACE, 10);
    await this.#makeObjects(WRITTEN_NAMESPACE, WRITTEN);
    await this.#makeObjects(LISTED_NAMESPACE, LISTED);
  }

  async #makeObjects(namespace: string, count: number): Promise<void> {
    await this.#make("/api/v1/namespaces", { metadata: { name: namespace } });
    const names = Array.from({ length: count }, (_, i) => `object-${i}`).values();
    const maker = async (): Promise<void> => {
      for (const name of names) {
        const data = { payload: "x".repeat(1024) };
        await this.#make(`/api/v1/namespaces/${namespace}/configmaps`, { metadata: { name }, data });
      }
    };
    await Promise.all(Array.from({ length: 16 }, maker));
  }

  async #make(path: string, object: object): Promise<void> {
    const { status, text } = await this.server.fetch("POST", path, object);
    if (status !== 201) throw new Error(`Cannot prepare the flood: ${status} ${text}`);
  }
}

/** With a certificate, as an admin gives it out. */
async function identity(
  server: DriftlessServer,
  name: string,
  flags: readonly string[],
): Promise<Target> {
  using dir = tempDir();
  const file = dir.join("kubeconfig");
  const where = ["--data-dir", server.dataDir, "--output", file];
  const made = await driftless("user", "create", name, ...where, ...flags);
  if (made.code !== 0) throw new Error(`Cannot make the user ${name}: ${made.stderr}`);
  const { ca, cert, key } = readCredentials(file);
  return {
    host: "127.0.0.1",
    port: server.port,
    ca: ca.toString(),
    cert: cert.toString(),
    key: key.toString(),
  };
}
