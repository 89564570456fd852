import { deepEqual, equal, match, ok } from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, it } from "node:test";
import { StatusError } from "../api/status-error.ts";
import { FakeClock } from "../base/testing/fake-clock.ts";
import { ApiClient } from "./api-client.ts";

describe("ApiClient", () => {
  let server: Server;
  let answer: (request: IncomingMessage, response: ServerResponse) => void;
  let clock: FakeClock;
  let client: ApiClient;

  beforeEach(async () => {
    server = createServer((request, response) => answer(request, response));
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const connection = {
      server: `http://127.0.0.1:${port}`,
      isInsecure: false,
      namespace: "default",
      token: () => "t1",
    };
    clock = new FakeClock();
    client = new ApiClient({ connection, clock, timeoutMs: 1000 });
  });

  afterEach(() => {
    client[Symbol.dispose]();
    server.closeAllConnections();
    server.close();
  });

  const failure = (path: string): Promise<unknown> =>
    client.request({ method: "GET", path }).then(
      () => undefined,
      (err: unknown) => err,
    );

  it("sends JSON with its token, and reads JSON", async () => {
    const seen: unknown[] = [];
    answer = (request, response) => {
      const { method, url, headers } = request;
      seen.push(method, url, headers.authorization, headers["content-type"]);
      request.on("data", (chunk: Buffer) => seen.push(chunk.toString()));
      request.on("end", () => response.end('{"a":1}'));
    };
    deepEqual(await client.request({ method: "POST", path: "/x?y=1", body: { b: 2 } }), { a: 1 });
    deepEqual(seen, ["POST", "/x?y=1", "Bearer t1", "application/json", '{"b":2}']);
  });

  it("throws the Status that the server sent", async () => {
    const sent = new StatusError({
      code: 404,
      reason: "NotFound",
      message: "no x",
      details: { name: "x" },
    });
    answer = (_, response) => response.writeHead(404).end(JSON.stringify(sent.toStatus()));
    const err = await failure("/x");
    ok(err instanceof StatusError);
    deepEqual(err.toStatus(), sent.toStatus());
  });

  it("makes a Status of what a proxy says", async () => {
    answer = (_, response) => response.writeHead(502).end("<html>bad gateway</html>");
    const err = await failure("/x");
    ok(err instanceof StatusError);
    equal(err.code, 502);
    match(err.message, /the server answered 502: <html>bad gateway/);
  });

  it("gives up after its time, and says on whom", async () => {
    const asked = Promise.withResolvers<void>();
    answer = () => asked.resolve();
    const failed = failure("/x");
    await asked.promise;
    await clock.step(1000);
    match(String(await failed), /Cannot reach the API server at http:\/\/127\.0\.0\.1/);
  });

  it("says that an answer is not JSON", async () => {
    answer = (_, response) => response.end("hello");
    match(String(await failure("/x")), /it is not JSON/);
  });
});
