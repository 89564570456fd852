// What people do with Deployments, by kubectl of the oldest and the newest version, on a real server. The controllers have the rights
// that the server's own roles give them and no others; the node is of paper.

import { deepEqual, equal, match } from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { ApiObject } from "../../src/api/object.ts";
import type { Deployment } from "../../src/api/types.ts";
import { ApiClient } from "../../src/client/api-client.ts";
import { readKubeconfig } from "../../src/client/kubeconfig.ts";
import { ResourceClient, requestToken } from "../../src/client/resource-client.ts";
import type {
  ControllerContext,
  RunnableController,
} from "../../src/controller/controller-context.ts";
import { Informers } from "../../src/controller/informers.ts";
import { DeploymentController } from "../../src/controllers/deployment/deployment-controller.ts";
import { ReplicaSetController } from "../../src/controllers/replica-set/replica-set-controller.ts";
import { Kubectl } from "../agent/kubectl-session.ts";
import { liveClient, parts, servedKind } from "../client/live-client.ts";
import type { KubectlLine } from "../clients/kubectl-binaries.ts";
import { LONG } from "../support/campaign.ts";
import { DriftlessServer } from "../support/driftless-server.ts";
import { PaperNodes } from "./paper-nodes.ts";

const serviceAccounts = servedKind("v1", "ServiceAccount");
const deployments = servedKind("apps/v1", "Deployment");
const NODE = "paper";

// test/clients has all of them with a node; here it is about the rights of each controller.
const lines: readonly KubectlLine[] = LONG ? ["1.20", "1.36"] : ["1.36"];

for (const line of lines) {
  describe(`rollouts by kubectl ${line}`, () => {
    let server: DriftlessServer;
    let admin: ApiClient;
    let nodes: PaperNodes;
    let kubectl: Kubectl | string;
    const stop = new AbortController();
    const running: Promise<void>[] = [];
    const clients: ApiClient[] = [];

    before(async () => {
      server = await DriftlessServer.start({ flags: ["--store", "memory"] });
      admin = liveClient(server.kubeconfig);
      kubectl = await Kubectl.of(line, server.kubeconfig);
      nodes = await PaperNodes.start({ client: admin, names: [NODE], readyAfterMs: 100 });
      await begin("deployment-controller", (context) => new DeploymentController(context));
      await begin("replicaset-controller", (context) => new ReplicaSetController(context));
    });

    after(async () => {
      stop.abort();
      await Promise.all(running);
      await nodes[Symbol.asyncDispose]();
      for (const client of [admin, ...clients]) client[Symbol.dispose]();
      await server[Symbol.asyncDispose]();
    });

    /** As the service account that the controller has in a cluster. */
    const begin = async (
      name: string,
      make: (context: ControllerContext) => RunnableController,
    ): Promise<void> => {
      const of = { namespace: "kube-system", name };
      await new ResourceClient(admin, serviceAccounts).create({ metadata: { ...of } });
      const { status } = await requestToken(admin, of, { spec: {} });
      const { authority, ...rest } = readKubeconfig(server.kubeconfig);
      const { server: url, isInsecure, namespace } = rest;
      const trust = authority === undefined ? {} : { authority };
      const token = (): string => status.token;
      const connection = { server: url, isInsecure, namespace, ...trust, token };
      const client = new ApiClient({ connection, clock: parts.clock, timeoutMs: 60_000 });
      clients.push(client);
      const informers = new Informers({ client, ...parts });
      const controller = make({
        ...{ client, informers, ...parts },
        eventsOf: () => ({ record: () => undefined }),
      });
      running.push(informers.run(stop.signal), controller.run(stop.signal));
    };

    /** What it says; it has to succeed. */
    const say = async (command: string, input = ""): Promise<string> => {
      if (typeof kubectl === "string") throw new Error(kubectl);
      const { code, stdout, stderr } = await kubectl.runWith(input, ...command.split(" "));
      equal(code, 0, `kubectl ${command}: ${stdout}${stderr}`);
      return stdout;
    };

    const rolledOut = async (): Promise<void> => {
      const said = await say("rollout status deployment/web --timeout=60s");
      match(said, /deployment "web" successfully rolled out/);
    };

    const web = async (): Promise<Deployment> =>
      new ResourceClient<Deployment & ApiObject>(admin, deployments).get({
        namespace: "default",
        name: "web",
      });

    const image = async (): Promise<string | undefined> =>
      (await web()).spec.template.spec.containers?.[0]?.image;

    /** The numbers and causes that it lists. */
    const history = async (): Promise<readonly string[]> => {
      const said = await say("rollout history deployment/web");
      return said
        .split("\n")
        .filter((text) => /^\d/.test(text))
        .map((text) => text.trim().replace(/\s+/, " "));
    };

    it("lists, undoes, pauses, resumes, restarts and scales", async (t) => {
      if (typeof kubectl === "string") {
        t.skip(kubectl);
        return;
      }
      await say("apply -f -", JSON.stringify(manifest));
      await rolledOut();
      deepEqual(await history(), ["1 <none>"]);

      await say("annotate deployment web kubernetes.io/change-cause=second");
      await say("set image deployment/web main=v2");
      await rolledOut();
      equal((await history()).length, 2);
      equal((await history()).at(-1), "2 second");

      await say("rollout undo deployment/web");
      await rolledOut();
      equal(await image(), "v1");
      deepEqual(
        (await history()).map((text) => text[0]),
        ["2", "3"],
      );

      match(await say("rollout history deployment/web --revision=2"), /Image:\s+v2/);
      await say("rollout undo deployment/web --to-revision=2");
      await rolledOut();
      equal(await image(), "v2");

      await say("rollout pause deployment/web");
      await say("set image deployment/web main=v3");
      await say("scale deployment/web --replicas=5");
      await say("wait deployment/web --for=condition=Available --timeout=30s");
      equal((await history()).length, 2);
      await say("rollout resume deployment/web");
      await rolledOut();
      deepEqual(
        (await history()).map((text) => text[0]),
        ["3", "4", "5"],
      );
      equal((await web()).status.updatedReplicas, 5);

      await say("rollout restart deployment/web");
      await rolledOut();
      equal((await history()).length, 4);

      await say("scale deployment/web --replicas=2");
      await rolledOut();
      // For kubectl that is over as soon as it was seen; the pods too many go a moment later.
      while ((await web()).status.replicas !== 2) await parts.clock.sleep(50);
    });
  });
}

const labels = { app: "web" };
const manifest = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web" },
  spec: {
    replicas: 3,
    selector: { matchLabels: labels },
    template: {
      metadata: { labels },
      spec: { nodeName: NODE, containers: [{ name: "main", image: "v1" }] },
    },
  },
};
