// port-forward with real clients to a real container.

import { equal, match, ok } from "node:assert/strict";
import { once } from "node:events";
import { request } from "node:http";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { after, before, describe, it } from "node:test";
import { KubeConfig, PortForward } from "@kubernetes/client-node";
import { kubectlLines } from "../clients/kubectl-binaries.ts";
import { Cluster, sleeper } from "./cluster.ts";
import { logText } from "./container-log.ts";
import { Kubectl } from "./kubectl-session.ts";

const server = `
require("node:http").createServer((asked, answer) => answer.end("you asked " + asked.url)).listen(0, "127.0.0.1", function () {
  console.log(this.address().port);
});
`;

async function get(port: number, path: string): Promise<string> {
  const sent = request({ port, host: "127.0.0.1", path, agent: false }).end();
  const [response] = (await once(sent, "response")) as [NodeJS.ReadableStream];
  return text(response);
}

describe("A forwarded port", { concurrency: false }, () => {
  let cluster: Cluster;
  let port: number;

  before(async () => {
    cluster = await Cluster.start();
    const command = [process.execPath, "-e", server];
    const pod = await cluster.runningPod("web", { containers: [sleeper({ command })] });
    port = await cluster.eventually("the program to listen", () => {
      const [said] = logText(cluster.node.dataDir, pod);
      ok(said !== undefined);
      return Number(said);
    });
  });
  after(() => cluster[Symbol.asyncDispose]());

  for (const line of kubectlLines) {
    it(`is reached through kubectl ${line}, by several at once`, async (t) => {
      const kubectl = await Kubectl.of(line, cluster.server.kubeconfig);
      if (typeof kubectl === "string") return t.skip(kubectl);
      using session = kubectl.start("port-forward", "web", `:${port}`);
      await session.says(/Forwarding from 127\.0\.0\.1:\d+/);
      const local = Number(/127\.0\.0\.1:(\d+)/.exec(session.stdout)?.[1]);
      const paths = Array.from({ length: 10 }, (_, i) => `/${i}`);
      const answers = await Promise.all(paths.map((path) => get(local, path)));
      answers.forEach((answer, i) => {
        equal(answer, `you asked /${i}`);
      });
    });
  }

  it("is one of the pod: nothing else of the machine is reached through it", async (t) => {
    const kubectl = await Kubectl.of("1.36", cluster.server.kubeconfig);
    if (typeof kubectl === "string") return t.skip(kubectl);
    using session = kubectl.start("port-forward", "web", `:${cluster.server.port}`);
    await session.says(/Forwarding from 127\.0\.0\.1:\d+/);
    const local = Number(/127\.0\.0\.1:(\d+)/.exec(session.stdout)?.[1]);
    const socket = connect(local, "127.0.0.1").on("error", () => undefined);
    await once(socket, "close");
    await session.says(/no process of the pod listens on port/);
  });

  it("is reached through the JavaScript client", async () => {
    const config = new KubeConfig();
    config.loadFromFile(cluster.server.kubeconfig);
    const forward = new PortForward(config);
    const listener = createServer((socket: Socket) => {
      void forward.portForward("default", "web", [port], socket, null, socket);
    }).listen(0, "127.0.0.1");
    await once(listener, "listening");
    const local = (listener.address() as AddressInfo).port;
    const socket = connect(local, "127.0.0.1");
    socket.write("GET /library HTTP/1.1\r\nhost: a\r\n\r\n");
    for await (const bytes of socket) {
      match(String(bytes), /^HTTP\/1\.1 200/);
      break;
    }
    listener.close();
  });
});
