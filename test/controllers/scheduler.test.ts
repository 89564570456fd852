// The scheduler against a real server, with the rights that the server's role for schedulers gives and no others.

import { deepEqual, equal } from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { ApiObject } from "../../src/api/object.ts";
import type { Event, Node, Pod, PodCondition } from "../../src/api/types.ts";
import { ApiClient } from "../../src/client/api-client.ts";
import { readKubeconfig } from "../../src/client/kubeconfig.ts";
import { ObjectWatch } from "../../src/client/object-watch.ts";
import { ResourceClient, requestToken } from "../../src/client/resource-client.ts";
import { EventRecorder } from "../../src/controller/event-recorder.ts";
import { Informers } from "../../src/controller/informers.ts";
import { Scheduler } from "../../src/controllers/scheduler/scheduler.ts";
import { liveClient, parts, servedKind } from "../client/live-client.ts";
import { DriftlessServer } from "../support/driftless-server.ts";

const serviceAccounts = servedKind("v1", "ServiceAccount");
const roleBindings = servedKind("rbac.authorization.k8s.io/v1", "ClusterRoleBinding");
const podKind = servedKind("v1", "Pod");

const namespace = "default";

type LivePod = Pod & ApiObject;

describe("scheduling on a real server", () => {
  let server: DriftlessServer;
  let admin: ApiClient;
  let client: ApiClient;
  let pods: ResourceClient<LivePod>;
  let nodes: ResourceClient<Node & ApiObject>;
  const stop = new AbortController();
  const running: Promise<void>[] = [];

  before(async () => {
    server = await DriftlessServer.start({ flags: ["--store", "memory"] });
    admin = liveClient(server.kubeconfig);
    pods = new ResourceClient(admin, podKind);
    nodes = new ResourceClient(admin, servedKind("v1", "Node"));
    client = clientWith(server.kubeconfig, await schedulerToken(admin));
    const events = new EventRecorder({
      client,
      component: "default-scheduler",
      host: "",
      ...parts,
    });
    const informers = new Informers({ client, ...parts });
    const scheduler = new Scheduler({ client, informers, eventsOf: () => events, ...parts });
    for (const part of [informers, events, scheduler]) running.push(part.run(stop.signal));
  });

  after(async () => {
    stop.abort();
    await Promise.all(running);
    for (const one of [admin, client]) one[Symbol.dispose]();
    await server[Symbol.asyncDispose]();
  });

  const addNode = async (name: string, cpu: string): Promise<void> => {
    await nodes.create({ metadata: { name } } as Node & ApiObject);
    const room = { cpu, memory: "1Gi", pods: "10" };
    const status = { capacity: room, allocatable: room };
    await nodes.patch({ name }, { status }, { type: "merge", subresource: "status" });
    await nodes.patch({ name }, { spec: { taints: null } }, { type: "merge" });
  };

  const addPod = (name: string, cpu: string): Promise<LivePod> =>
    pods.create({
      metadata: { name, namespace },
      spec: { containers: [{ name: "c", image: "i", resources: { requests: { cpu } } }] },
    } as unknown as LivePod);

  const until = async (name: string, holds: (pod: LivePod) => boolean): Promise<LivePod> => {
    const done = new AbortController();
    let found: LivePod | undefined;
    const onChange = (pod: LivePod | undefined): void => {
      if (pod === undefined || !holds(pod)) return;
      found = pod;
      done.abort();
    };
    const of = { client: admin, kind: podKind, namespace, name, onChange, ...parts };
    await new ObjectWatch<LivePod>(of).run(done.signal);
    if (found === undefined) throw new Error(`${name} was never as expected`);
    return found;
  };

  const scheduled = ({ status }: LivePod): PodCondition | undefined =>
    status.conditions?.find(({ type }) => type === "PodScheduled");

  it("says why a pod has no node, and places it as soon as one has room", async () => {
    await addPod("web", "2");
    await until("web", (pod) => scheduled(pod)?.message === "no nodes available to schedule pods");
    await addNode("small", "1");
    const message = "0/1 nodes are available: 1 Insufficient cpu.";
    const waiting = await until("web", (pod) => scheduled(pod)?.message === message);
    equal(scheduled(waiting)?.reason, "Unschedulable");
    await addNode("large", "4");
    const placed = await until("web", ({ spec }) => (spec.nodeName ?? "") !== "");
    equal(placed.spec.nodeName, "large");
    equal(scheduled(placed)?.status, "True");
  });

  it("tells of it by events that anybody can list", async () => {
    await addPod("told", "1");
    await until("told", ({ spec }) => (spec.nodeName ?? "") !== "");
    const events = new ResourceClient<Event & ApiObject>(admin, servedKind("v1", "Event"));
    const fieldSelector = "involvedObject.name=told";
    let items: readonly Event[] = [];
    while (items.length === 0) ({ items } = await events.list({ namespace, fieldSelector }));
    deepEqual(
      items.map(({ reason, source, type }) => ({ reason, source, type })),
      [{ reason: "Scheduled", source: { component: "default-scheduler" }, type: "Normal" }],
    );
  });
});

/** Of an account that is bound to the role of schedulers, and has no other rights. */
async function schedulerToken(admin: ApiClient): Promise<string> {
  const of = { namespace: "kube-system", name: "scheduler" };
  await new ResourceClient(admin, serviceAccounts).create({ metadata: { ...of } });
  await new ResourceClient(admin, roleBindings).create({
    metadata: { name: "test-scheduler" },
    roleRef: {
      apiGroup: "rbac.authorization.k8s.io",
      kind: "ClusterRole",
      name: "system:kube-scheduler",
    },
    subjects: [{ kind: "ServiceAccount", ...of }],
  });
  const { status } = await requestToken(admin, of, { spec: {} });
  return status.token;
}

function clientWith(kubeconfig: string, token: string): ApiClient {
  const { server, isInsecure, namespace: own, authority } = readKubeconfig(kubeconfig);
  const trust = authority === undefined ? {} : { authority };
  const connection = { server, isInsecure, namespace: own, ...trust, token: () => token };
  return new ApiClient({ connection, clock: parts.clock, timeoutMs: 60_000 });
}
