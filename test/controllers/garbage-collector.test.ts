// The garbage collector and the namespace controller against a real server, each with the rights that the server's own roles give it
// and no others.

import { deepEqual, equal, ok } from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { ApiObject } from "../../src/api/object.ts";
import type { Namespace, OwnerReference } from "../../src/api/types.ts";
import { ApiClient } from "../../src/client/api-client.ts";
import { readKubeconfig } from "../../src/client/kubeconfig.ts";
import { ObjectWatch } from "../../src/client/object-watch.ts";
import { ResourceClient, requestToken } from "../../src/client/resource-client.ts";
import type { ResourceKind } from "../../src/client/resource-path.ts";
import type {
  ControllerContext,
  RunnableController,
} from "../../src/controller/controller-context.ts";
import { Informers } from "../../src/controller/informers.ts";
import { GarbageCollector } from "../../src/controllers/garbage-collector/garbage-collector.ts";
import { NamespaceController } from "../../src/controllers/namespace/namespace-controller.ts";
import { liveClient, parts, servedKind } from "../client/live-client.ts";
import { DriftlessServer } from "../support/driftless-server.ts";

const namespaces = servedKind("v1", "Namespace");
const serviceAccounts = servedKind("v1", "ServiceAccount");
const configMaps = servedKind("v1", "ConfigMap");
const secrets = servedKind("v1", "Secret");
const pods = servedKind("v1", "Pod");
const deployments = servedKind("apps/v1", "Deployment");
const replicaSets = servedKind("apps/v1", "ReplicaSet");

const HELD = "example.com/held";

describe("deletion on a real server", () => {
  let server: DriftlessServer;
  let admin: ApiClient;
  const stop = new AbortController();
  const running: Promise<void>[] = [];
  const clients: ApiClient[] = [];

  before(async () => {
    server = await DriftlessServer.start({ flags: ["--store", "memory"] });
    admin = liveClient(server.kubeconfig);
    await begin("generic-garbage-collector", (context) => new GarbageCollector(context));
    await begin("namespace-controller", (context) => new NamespaceController(context));
  });

  after(async () => {
    stop.abort();
    await Promise.all(running);
    for (const client of [admin, ...clients]) client[Symbol.dispose]();
    await server[Symbol.asyncDispose]();
  });

  /** As the service account that the controller has in a cluster. */
  const begin = async (
    account: string,
    make: (context: ControllerContext) => RunnableController,
  ): Promise<void> => {
    const of = { namespace: "kube-system", name: account };
    await new ResourceClient(admin, serviceAccounts).create({ metadata: { ...of } });
    const { status } = await requestToken(admin, of, { spec: {} });
    const client = bareClient(server.kubeconfig, status.token);
    clients.push(client);
    const informers = new Informers({ client, ...parts });
    const controller = make({
      ...{ client, informers, ...parts },
      eventsOf: () => ({ record: () => undefined }),
    });
    running.push(informers.run(stop.signal), controller.run(stop.signal));
  };

  const create = (kind: ResourceKind, object: ApiObject): Promise<ApiObject> =>
    new ResourceClient<ApiObject>(admin, kind).create(object);

  const newNamespace = async (name: string): Promise<string> => {
    await create(namespaces, { metadata: { name } });
    return name;
  };

  /** A Deployment, what it would make, and what that would make. */
  const family = async (namespace: string, finalizers: string[] = []): Promise<void> => {
    const template = {
      metadata: { labels: { app: "a" } },
      spec: { containers: [{ name: "c", image: "i" }] },
    };
    const spec = { replicas: 1, selector: { matchLabels: { app: "a" } }, template };
    const top = await create(deployments, { metadata: { namespace, name: "a" }, spec });
    const middle = await create(replicaSets, {
      metadata: { namespace, name: "a-1", ownerReferences: [ownedBy(deployments, top)] },
      spec,
    });
    const ownerReferences = [ownedBy(replicaSets, middle)];
    await create(pods, {
      metadata: { namespace, name: "a-1-x", ownerReferences, finalizers },
      spec: template.spec,
    });
  };

  const get = (kind: ResourceKind, namespace: string, name: string): Promise<ApiObject> =>
    new ResourceClient<ApiObject>(admin, kind).get({ namespace, name });

  const isThere = async (kind: ResourceKind, namespace: string, name: string): Promise<boolean> => {
    const { items } = await new ResourceClient(admin, kind).list({ namespace });
    return items.some(({ metadata }) => metadata.name === name);
  };

  /** Settles when the server says so. */
  const until = async <T extends ApiObject>(
    kind: ResourceKind,
    of: { readonly namespace?: string; readonly name: string },
    holds: (object: T | undefined) => boolean,
  ): Promise<void> => {
    const done = new AbortController();
    const onChange = (object: T | undefined): void => {
      if (holds(object)) done.abort();
    };
    await new ObjectWatch<T>({ client: admin, kind, ...of, onChange, ...parts }).run(done.signal);
  };

  const isGone = (object: ApiObject | undefined): boolean => object === undefined;

  it("takes dependents along in the background", async () => {
    const namespace = await newNamespace("background");
    await family(namespace);
    await new ResourceClient(admin, deployments).delete({ namespace, name: "a" });
    await until(replicaSets, { namespace, name: "a-1" }, isGone);
    await until(pods, { namespace, name: "a-1-x" }, isGone);
  });

  it("deletes dependents first in the foreground, and waits for the one that is held", async () => {
    const namespace = await newNamespace("foreground");
    await family(namespace, [HELD]);
    const propagationPolicy = "Foreground";
    await new ResourceClient(admin, deployments).delete(
      { namespace, name: "a" },
      { propagationPolicy },
    );
    await until(
      pods,
      { namespace, name: "a-1-x" },
      (pod) => pod?.metadata.deletionTimestamp != null,
    );
    for (const [kind, name] of [
      [deployments, "a"],
      [replicaSets, "a-1"],
    ] as const) {
      deepEqual((await get(kind, namespace, name)).metadata.finalizers, ["foregroundDeletion"]);
    }
    const patch = { metadata: { finalizers: null } };
    await new ResourceClient(admin, pods).patch({ namespace, name: "a-1-x" }, patch, {
      type: "merge",
    });
    await until(deployments, { namespace, name: "a" }, isGone);
    equal(await isThere(replicaSets, namespace, "a-1"), false);
    equal(await isThere(pods, namespace, "a-1-x"), false);
  });

  it("leaves dependents without their owner when they are orphaned", async () => {
    const namespace = await newNamespace("orphan");
    await family(namespace);
    const propagationPolicy = "Orphan";
    await new ResourceClient(admin, deployments).delete(
      { namespace, name: "a" },
      { propagationPolicy },
    );
    await until(deployments, { namespace, name: "a" }, isGone);
    equal((await get(replicaSets, namespace, "a-1")).metadata.ownerReferences, undefined);
    ok(await isThere(pods, namespace, "a-1-x"));
  });

  it("empties a namespace, says what is in the way, and lets it go", async () => {
    const namespace = await newNamespace("emptied");
    await family(namespace);
    await create(secrets, { metadata: { namespace, name: "s" } });
    await create(configMaps, { metadata: { namespace, name: "free" } });
    await create(configMaps, { metadata: { namespace, name: "held", finalizers: [HELD] } });
    await new ResourceClient(admin, namespaces).delete({ name: namespace });
    await until<Namespace & ApiObject>(namespaces, { name: namespace }, (object) => {
      const { conditions = [] } = object?.status ?? {};
      const told = conditions.filter(({ status }) => status === "True");
      return told.some(({ message = "" }) => message.includes(HELD));
    });
    const { status } = (await new ResourceClient(admin, namespaces).get({
      name: namespace,
    })) as object as Namespace;
    equal(status.phase, "Terminating");
    deepEqual(
      status.conditions?.filter((one) => one.status === "True").map(({ message }) => message),
      [
        "Some resources are remaining: configmaps. has 1 resource instances",
        `Some content in the namespace has finalizers remaining: ${HELD} in 1 resource instances`,
      ],
    );
    for (const [kind, name] of [
      [deployments, "a"],
      [secrets, "s"],
      [configMaps, "free"],
    ] as const) {
      equal(await isThere(kind, namespace, name), false);
    }
    const patch = { metadata: { finalizers: null } };
    await new ResourceClient(admin, configMaps).patch({ namespace, name: "held" }, patch, {
      type: "merge",
    });
    await until(namespaces, { name: namespace }, isGone);
  });

  it("does not let go of another namespace of the same name", async () => {
    const name = await newNamespace("again");
    const path = `/api/v1/namespaces/${name}/finalize`;
    const body = { metadata: { name, uid: "another" }, spec: { finalizers: [] } };
    const { status, text } = await server.fetch("PUT", path, body);
    equal(status, 409, text);
    equal((JSON.parse(text) as { readonly reason: string }).reason, "Conflict");
  });
});

/** Without the admin's certificate. */
function bareClient(kubeconfig: string, token: string): ApiClient {
  const { server, isInsecure, namespace, authority } = readKubeconfig(kubeconfig);
  const trust = authority === undefined ? {} : { authority };
  const connection = { server, isInsecure, namespace, ...trust, token: () => token };
  return new ApiClient({ connection, clock: parts.clock, timeoutMs: 60_000 });
}

function ownedBy({ group, version, kind }: ResourceKind, { metadata }: ApiObject): OwnerReference {
  const { name = "", uid = "" } = metadata;
  const apiVersion = `${group}/${version}`;
  return { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true };
}
