import { equal, match } from "node:assert/strict";
import { createServer } from "node:http";
import { type Duplex, duplexPair } from "node:stream";
import { text } from "node:stream/consumers";
import { describe, it } from "node:test";
import { createMetrics, type Metrics } from "../../base/metrics.ts";
import { CaptureLogger } from "../../base/testing/capture-logger.ts";
import { FakeClock } from "../../base/testing/fake-clock.ts";
import { ExecError } from "../../runtime/runtime.ts";
import { NodeApi } from "./node-api.ts";

/** A connection to a node without pods. */
function connect(metrics: Metrics = createMetrics()): Duplex {
  const api = new NodeApi({
    pods: { find: () => undefined, list: () => [] },
    runtime: {
      list: () => [],
      onExit: () => ({ [Symbol.dispose]: () => undefined }),
      exec: () => Promise.reject(new ExecError("none runs")),
      attach: () => Promise.reject(new ExecError("none runs")),
    },
    metrics,
    clock: new FakeClock(),
    logger: new CaptureLogger(),
  });
  // What was asked first is never answered.
  const server = createServer((request, response) => {
    if (request.url !== "/never") void api.answer(request, response);
  });
  server.on("upgrade", (request, socket, head) => void api.upgrade({ request, socket, head }));
  const [client, near] = duplexPair();
  near.on("close", () => client.destroy()).on("error", () => undefined);
  client.on("error", () => undefined);
  server.emit("connection", near);
  return client;
}

const upgrade = "GET /exec/default/web/main HTTP/1.1\r\nhost: a\r\nconnection: upgrade\r\n";

describe("NodeApi", () => {
  it("tells who wants to run something in a pod that is not there so", async () => {
    const client = connect();
    client.write(`${upgrade.replace("main", "main?output=1&command=ls")}upgrade: spdy/3.1\r\n\r\n`);
    match(await text(client), /^HTTP\/1\.1 404 [\s\S]*pod does not exist$/);
  });

  it("cuts off who asks for an upgrade before an answer has come", async () => {
    const client = connect();
    client.write(`GET /never HTTP/1.1\r\nhost: a\r\n\r\n${upgrade}upgrade: spdy/3.1\r\n\r\n`);
    equal(await text(client).catch(() => ""), "");
  });

  it("tells its numbers", async () => {
    const metrics = createMetrics();
    metrics.gauge({ name: "pods", help: "Pods of this node." }).set(3);
    const client = connect(metrics);
    client.write("GET /metrics HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n");
    match(await text(client), /^HTTP\/1\.1 200 [\s\S]*version=0\.0\.4[\s\S]*^pods 3$/m);
  });
});
