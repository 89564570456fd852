// What the app was told of is kept on disk: kill -9 makes nothing told twice, and nothing forgotten.

import { deepEqual, equal } from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, it } from "node:test";
import { SidecarScene } from "./sidecar-process.ts";

describe("a sidecar's reload", { timeout: 240_000 }, () => {
  it("is neither repeated nor forgotten across kill -9", async () => {
    await using scene = new SidecarScene();
    const seen: string[] = [];
    await using servers = new AsyncDisposableStack();
    const serve = async (port: number): Promise<Server> => {
      const server = createServer((_, response) => {
        seen.push(scene.read("out/a") ?? "");
        response.end();
      }).listen(port, "127.0.0.1");
      await once(server, "listening");
      servers.defer(() => closed(server));
      return server;
    };
    const server = await serve(0);
    const { port } = server.address() as AddressInfo;
    const compose = {
      sources: { in: scene.join("in") },
      output: scene.join("out"),
      reload: {
        ...{ onStart: false, retryMax: "500ms" },
        actions: [{ http: `http://127.0.0.1:${port}/` }, { touch: scene.join("touched") }],
      },
    };
    const isLive = (text: string): Promise<void> =>
      scene.until(`${text} is live`, () => scene.read("out/a") === text);
    scene.write("in/a", "1");
    const first = scene.start(compose);
    await isLive("1");
    await closed(server);
    scene.write("in/a", "2");
    await isLive("2");
    // One of the two is told.
    await scene.until("it fails", () => scene.log.includes("nobody listens there"));
    await scene.until("the other succeeds", () => scene.read("touched") !== undefined);
    await scene.kill(first);
    await serve(port);
    const second = scene.start(compose);
    await scene.until("it is told at last", () => seen.length === 1);
    deepEqual(seen, ["2"]);
    await scene.until("that is noted", () => /"done":\["\w+","\w+"\]/.test(told(scene)));
    await scene.kill(second);
    const third = scene.start(compose);
    scene.write("in/a", "3");
    await scene.until("the next is told", () => seen.at(-1) === "3");
    deepEqual(seen, ["2", "3"], "the second life's word is not repeated by the third");
    await scene.kill(third, "SIGTERM");
    equal(third.exitCode, 0);
  });
});

const told = (scene: SidecarScene): string => scene.read(".out.driftless/told") ?? "";

async function closed(server: Server): Promise<void> {
  if (!server.listening) return;
  const end = once(server, "close");
  server.close();
  server.closeAllConnections();
  await end;
}
