// What people do with DaemonSets, by kubectl of the oldest and the newest version, on a real server. The controller has the rights
// that the server's own role gives it and no others; the nodes are of paper.

import { deepEqual, equal, match } from "node:assert/strict";
import { describe, it } from "node:test";
import type { ApiObject } from "../../src/api/object.ts";
import type { DaemonSet, Pod } from "../../src/api/types.ts";
import { ApiClient } from "../../src/client/api-client.ts";
import { readKubeconfig } from "../../src/client/kubeconfig.ts";
import { ResourceClient, requestToken } from "../../src/client/resource-client.ts";
import { Informers } from "../../src/controller/informers.ts";
import { DaemonSetController } from "../../src/controllers/daemon-set/daemon-set-controller.ts";
import { Scheduler } from "../../src/controllers/scheduler/scheduler.ts";
import { Kubectl } from "../agent/kubectl-session.ts";
import { liveClient, parts, servedKind } from "../client/live-client.ts";
import type { KubectlLine } from "../clients/kubectl-binaries.ts";
import { LONG } from "../support/campaign.ts";
import { DriftlessServer } from "../support/driftless-server.ts";
import { PaperNodes } from "./paper-nodes.ts";

const serviceAccounts = servedKind("v1", "ServiceAccount");
const pods = servedKind("v1", "Pod");
const daemonSets = servedKind("apps/v1", "DaemonSet");
const ACCOUNT = { namespace: "kube-system", name: "daemon-set-controller" };
const NAMES = ["paper-0", "paper-1", "paper-2"];

// test/clients has all of them with a node; here it is about the rights of each controller.
const lines: readonly KubectlLine[] = LONG ? ["1.20", "1.36"] : ["1.36"];

for (const line of lines) {
  describe(`DaemonSets by kubectl ${line}`, () => {
    it("are rolled out, listed, undone and restarted, on cordoned nodes too", async (t) => {
      await using server = await DriftlessServer.start({ flags: ["--store", "memory"] });
      const kubectl = await Kubectl.of(line, server.kubeconfig);
      if (typeof kubectl === "string") {
        t.skip(kubectl);
        return;
      }
      using admin = liveClient(server.kubeconfig);
      using limited = await limitedClient(server.kubeconfig, admin);
      await using _nodes = await PaperNodes.start({
        ...{ client: admin, names: NAMES, readyAfterMs: 50 },
      });
      await using _controllers = runControllers(limited, admin);

      const say = async (command: string, input = ""): Promise<string> => {
        const { code, stdout, stderr } = await kubectl.runWith(input, ...command.split(" "));
        equal(code, 0, `kubectl ${command}: ${stdout}${stderr}`);
        return stdout;
      };
      const rolledOut = async (): Promise<void> => {
        const said = await say("rollout status daemonset/agent --timeout=60s");
        match(said, /daemon set "agent" successfully rolled out/);
      };
      const history = async (): Promise<readonly string[]> =>
        (await say("rollout history daemonset/agent"))
          .split("\n")
          .filter((text) => /^\d/.test(text))
          .map((text) => text.trim().replace(/\s+/, " "));
      /** Where pods of this image are, those about to go left out. */
      const nodesOf = async (image: string): Promise<readonly (string | undefined)[]> => {
        const { items } = await new ResourceClient<Pod & ApiObject>(admin, pods).list();
        return items
          .filter(({ metadata }) => metadata.deletionTimestamp == null)
          .filter(({ spec }) => spec.containers?.[0]?.image === image)
          .map(({ spec }) => spec.nodeName ?? "")
          .sort();
      };

      // Nobody watches over these nodes: the taint that new ones get would stay.
      await say("taint nodes --all node.kubernetes.io/not-ready-");
      await say("cordon paper-2");
      await say("apply -f -", JSON.stringify(manifest));
      // Done is what was wanted: whether the taints are gone is known to its controller a moment later.
      while ((await nodesOf("v1")).length < NAMES.length) await parts.clock.sleep(50);
      await rolledOut();
      deepEqual(await nodesOf("v1"), NAMES);
      deepEqual(await history(), ["1 <none>"]);

      await say("annotate daemonset agent kubernetes.io/change-cause=second");
      await say("set image daemonset/agent main=v2");
      await rolledOut();
      deepEqual(await nodesOf("v2"), NAMES);
      equal((await history()).at(-1), "2 second");

      await say("rollout undo daemonset/agent");
      await rolledOut();
      deepEqual(await nodesOf("v1"), NAMES);
      deepEqual(
        (await history()).map((text) => text[0]),
        ["2", "3"],
      );

      match(await say("rollout history daemonset/agent --revision=2"), /Image:\s+v2/);
      await say("rollout undo daemonset/agent --to-revision=2");
      await rolledOut();
      deepEqual(await nodesOf("v2"), NAMES);

      await say("rollout restart daemonset/agent");
      await rolledOut();
      equal((await history()).length, 3);
      const sets = new ResourceClient<DaemonSet & ApiObject>(admin, daemonSets);
      const { status } = await sets.get({ namespace: "default", name: "agent" });
      deepEqual([status.updatedNumberScheduled, status.numberAvailable], [3, 3]);
    });
  });
}

/** As the service account that the controller has in a cluster. */
async function limitedClient(kubeconfig: string, admin: ApiClient): Promise<ApiClient> {
  await new ResourceClient(admin, serviceAccounts).create({ metadata: { ...ACCOUNT } });
  const { status } = await requestToken(admin, ACCOUNT, { spec: {} });
  const { authority, server, isInsecure, namespace } = readKubeconfig(kubeconfig);
  const trust = authority === undefined ? {} : { authority };
  const connection = { server, isInsecure, namespace, ...trust, token: () => status.token };
  return new ApiClient({ connection, clock: parts.clock, timeoutMs: 60_000 });
}

/** The scheduler is only there to bind: it may do all. */
function runControllers(limited: ApiClient, admin: ApiClient): AsyncDisposable {
  const stop = new AbortController();
  const eventsOf = (): { record: () => void } => ({ record: () => undefined });
  const running = [
    { client: limited, Made: DaemonSetController },
    { client: admin, Made: Scheduler },
  ].map(async ({ client, Made }) => {
    const informers = new Informers({ client, ...parts });
    const controller = new Made({ client, informers, eventsOf, ...parts });
    await Promise.all([informers.run(stop.signal), controller.run(stop.signal)]);
  });
  const dispose = async (): Promise<void> => {
    stop.abort();
    await Promise.all(running);
  };
  return { [Symbol.asyncDispose]: dispose };
}

const labels = { app: "agent" };
const manifest = {
  apiVersion: "apps/v1",
  kind: "DaemonSet",
  metadata: { name: "agent" },
  spec: {
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: "main", image: "v1" }] } },
  },
};
