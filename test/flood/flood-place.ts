// A server and who knows it: nodes, a user, and one who will flood it. None of them is in system:masters.

import { join } from "node:path";
import { loadSigner } from "../../src/apiserver/pki/credentials.ts";
import { DAY_MS, issue } from "../../src/apiserver/pki/issue.ts";
import { systemClock } from "../../src/base/clock.ts";
import { DriftlessServer } from "../support/driftless-server.ts";
import {
  LEASES,
  LISTED,
  LISTED_NAMESPACE,
  NODES,
  USER_NAMESPACE,
  WRITTEN,
  WRITTEN_NAMESPACE,
} from "./flood-names.ts";
import type { Identity } from "./http2-connection.ts";

const BINDINGS = "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings";

export interface Identities {
  /** As in NODES. */
  readonly nodes: readonly Identity[];
  readonly user: Identity;
  readonly flooder: Identity;
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
    const make = async (name: string, ...groups: readonly string[]): Promise<Identity> =>
      identity(server, name, groups);
    const identities = {
      nodes: await Promise.all(NODES.map((name) => make(`system:node:${name}`, "system:nodes"))),
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
    for (const name of NODES) {
      await this.#make("/api/v1/nodes", { metadata: { name } });
      await this.#make(LEASES, { metadata: { name }, spec: { holderIdentity: name } });
    }
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
        await this.#make(`/api/v1/namespaces/${namespace}/configmaps`, {
          metadata: { name },
          data,
        });
      }
    };
    await Promise.all(Array.from({ length: 16 }, maker));
  }

  async #make(path: string, object: object): Promise<void> {
    const { status, text } = await this.server.fetch("POST", path, object);
    if (status !== 201) throw new Error(`Cannot prepare the flood: ${status} ${text}`);
  }
}

/** With a certificate of the server's authority, as `driftless user create` gives it out. */
async function identity(
  server: DriftlessServer,
  commonName: string,
  organizations: readonly string[],
): Promise<Identity> {
  const authority = loadSigner(join(server.dataDir, "pki"), commonName);
  const nowMs = systemClock.now();
  const own = await issue({ authority, commonName, organizations, nowMs, lifeMs: DAY_MS });
  return {
    host: "127.0.0.1",
    port: server.port,
    ca: authority.certificate,
    cert: own.certificate,
    key: own.key,
  };
}
