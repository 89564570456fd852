// kubectl logs with real containers.

import { deepEqual, equal, match } from "node:assert/strict";
import { PassThrough } from "node:stream";
import { text as textOf } from "node:stream/consumers";
import { after, before, describe, it } from "node:test";
import { KubeConfig, Log } from "@kubernetes/client-node";
import { kubectlLines } from "../clients/kubectl-binaries.ts";
import { Cluster, sleeper } from "./cluster.ts";
import { logText } from "./container-log.ts";
import { Kubectl } from "./kubectl-session.ts";

const core = "/api/v1/namespaces/default/pods";

describe("Logs", { concurrency: false }, () => {
  let cluster: Cluster;

  before(async () => {
    cluster = await Cluster.start();
    const lines =
      "for i in 1 2 3 4 5; do echo line $i; done; trap 'exit 0' TERM; sleep infinity & wait";
    const web = await cluster.runningPod("web", {
      initContainers: [sleeper({ name: "first", command: ["echo", "before all"] })],
      containers: [
        sleeper({ command: ["sh", "-c", lines] }),
        sleeper({ name: "other", command: ["sh", "-c", "echo other; sleep infinity"] }),
      ],
    });
    const again =
      "echo life; if [ -e /tmp/second ]; then sleep infinity; fi; touch /tmp/second; exit 1";
    await cluster.makePod("twice", {
      restartPolicy: "Always",
      volumes: [{ name: "tmp", emptyDir: {} }],
      containers: [
        sleeper({
          command: ["sh", "-c", again],
          volumeMounts: [{ name: "tmp", mountPath: "/tmp" }],
        }),
      ],
    });
    const twice = await cluster.podWhere(
      "twice",
      "a second life",
      ({ status }) =>
        status?.containerStatuses?.[0]?.restartCount === 1 &&
        status.containerStatuses[0].state?.running !== undefined,
    );
    // They run: that is not yet that they have said all.
    await cluster.eventually("what they say", () => {
      const { dataDir } = cluster.node;
      equal(logText(dataDir, web).length, 5);
      equal(logText(dataDir, web, "other").length, 1);
      equal(logText(dataDir, twice, "main", 1).length, 1);
    });
  });
  after(() => cluster[Symbol.asyncDispose]());

  for (const line of kubectlLines) {
    it(`kubectl ${line} reads what it asks for`, async (t) => {
      const kubectl = await Kubectl.of(line, cluster.server.kubeconfig);
      if (typeof kubectl === "string") return t.skip(kubectl);
      const log = async (...flags: readonly string[]): Promise<string> => {
        const { code, stdout, stderr } = await kubectl.run("logs", ...flags);
        equal(code, 0, stderr);
        return stdout;
      };
      equal(await log("web", "-c", "main"), "line 1\nline 2\nline 3\nline 4\nline 5\n");
      equal(await log("web", "-c", "main", "--tail=2"), "line 4\nline 5\n");
      equal(await log("web", "-c", "main", "--limit-bytes=10"), "line 1\nlin");
      equal(await log("web", "-c", "main", "--since=1h", "--tail=1"), "line 5\n");
      equal(await log("web", "-c", "main", "--since-time=2099-01-01T00:00:00Z"), "");
      match(
        await log("web", "-c", "main", "--timestamps", "--tail=1"),
        /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+(Z|[+-]\d\d:\d\d) line 5\n$/,
      );
      const all = (await log("web", "--all-containers")).trim().split("\n");
      // Containers are asked at the same time.
      const lines = ["before all", "line 1", "line 2", "line 3", "line 4", "line 5", "other"];
      deepEqual(all.toSorted(), lines);
      equal(await log("twice"), "life\n");
      equal(await log("twice", "--previous"), "life\n");
    });

    it(`kubectl ${line} follows a log to the end of its container`, async (t) => {
      const kubectl = await Kubectl.of(line, cluster.server.kubeconfig);
      if (typeof kubectl === "string") return t.skip(kubectl);
      const name = `follow-${line.replace(".", "-")}`;
      const go = "echo first; while [ ! -e /tmp/go ]; do sleep 0.05; done; echo last; exit 0";
      const pod = await cluster.runningPod(name, {
        restartPolicy: "Never",
        volumes: [{ name: "tmp", emptyDir: {} }],
        containers: [
          sleeper({
            command: ["sh", "-c", go],
            volumeMounts: [{ name: "tmp", mountPath: "/tmp" }],
          }),
        ],
      });
      using session = kubectl.start("logs", "-f", name);
      await session.says(/first/);
      cluster.node.inContainer(pod, ["touch", "/tmp/go"]);
      const { code, stdout } = await session.ended();
      deepEqual([code, stdout], [0, "first\nlast\n"]);
    });
  }

  it("tells why there is nothing to read, in the original's words", async () => {
    const message = async (path: string): Promise<readonly [number, string]> => {
      const { status, text } = await cluster.server.fetch("GET", `${core}/${path}`);
      return [status, (JSON.parse(text) as { readonly message: string }).message];
    };
    deepEqual(await message("web/log?container=main&previous=true"), [
      400,
      'previous terminated container "main" in pod "web" not found',
    ]);
    deepEqual(await message("web/log"), [
      400,
      "a container name must be specified for pod web, choose one of: [first main other]",
    ]);
    deepEqual(await message("web/log?container=main&tailLines=-1"), [
      422,
      'PodLogOptions "web" is invalid: tailLines: Invalid value: -1: must be greater than or equal to 0',
    ]);
  });

  it("of a pod whose node does not exist says which node that is", async () => {
    await cluster.makePod("lost", { nodeName: "elsewhere" });
    const { status, text } = await cluster.server.fetch("GET", `${core}/lost/log`);
    const { message } = JSON.parse(text) as { readonly message: string };
    deepEqual([status, message], [404, 'nodes "elsewhere" not found']);
  });

  it("the JavaScript client follows a log", async () => {
    const config = new KubeConfig();
    config.loadFromFile(cluster.server.kubeconfig);
    const container = sleeper({ command: ["sh", "-c", "echo one; echo two"] });
    await cluster.makePod("short", { restartPolicy: "Never", containers: [container] });
    await cluster.podIn("short", "Succeeded");
    const stream = new PassThrough();
    const options = { follow: true, tailLines: 1 };
    await new Log(config).log("default", "short", "main", stream, options);
    equal(await textOf(stream), "two\n");
  });
});
