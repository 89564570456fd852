import { deepEqual, equal, match, ok } from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, it } from "node:test";
import { StatusError } from "../api/status-error.ts";
import { describe as describeError } from "../base/errors.ts";
import { FakeClock } from "../base/testing/fake-clock.ts";
import { ApiClient } from "./api-client.ts";
import type { Connection } from "./kubeconfig.ts";
import { halfRandom } from "./testing/fake-client.ts";

describe("ApiClient", () => {
  let server: Server;
  let answer: (request: IncomingMessage, response: ServerResponse) => void;
  let clock: FakeClock;
  let client: ApiClient;
  let connection: Connection;

  beforeEach(async () => {
    server = createServer((request, response) => answer(request, response));
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    connection = {
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

  const failure = (path: string, method: "GET" | "POST" | "PUT" = "GET"): Promise<unknown> =>
    client.request({ method, path, ...(method !== "GET" && { body: {} }) }).then(
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

  describe("on a server that is busy", () => {
    const busy = (code: number, seconds?: number): Parameters<typeof answers.push>[0] => ({
      code,
      headers: seconds === undefined ? {} : { "retry-after": String(seconds) },
      text: "busy",
    });
    let answers: {
      readonly code: number;
      readonly headers: Readonly<Record<string, string>>;
      readonly text: string;
    }[];
    let count: number;

    beforeEach(() => {
      answers = [];
      count = 0;
      client = new ApiClient({ connection, clock, timeoutMs: 60_000, random: halfRandom });
      answer = (request, response) => {
        count++;
        request.resume();
        const { code, headers, text } = answers.shift() ?? { code: 200, headers: {}, text: "{}" };
        response.writeHead(code, headers).end(text);
      };
    });

    /** Real I/O between steps of the clock. */
    const until = async (isDone: () => boolean): Promise<void> => {
      while (!isDone()) await clock.step(0);
    };

    for (const code of [429, 503]) {
      it(`asks again after the time that a ${code} names`, async () => {
        answers.push(busy(code, 2));
        const asked = client.request({ method: "GET", path: "/x" });
        await until(() => count === 1 && clock.waiting === 2);
        await clock.step(2099);
        equal(count, 1);
        await clock.step(1);
        deepEqual(await asked, {});
        equal(count, 2);
      });
    }

    it("does not ask again when it is told no time, and says so with what the server said", async () => {
      answers.push(busy(503));
      const err = await failure("/x");
      ok(err instanceof StatusError);
      equal(err.code, 503);
      equal(count, 1);
    });

    it("does not create twice", async () => {
      answers.push(busy(429, 1));
      const err = await failure("/x", "POST");
      ok(err instanceof StatusError);
      equal(err.details?.retryAfterSeconds, 1);
      equal(count, 1);
    });

    it("stops asking when its time is over, and says what the server said last", async () => {
      answers.push(busy(429, 61));
      const failed = failure("/x");
      await until(() => count === 1 && clock.waiting === 2);
      await clock.step(60_000);
      const err = await failed;
      ok(err instanceof StatusError);
      equal(err.code, 429);
    });

    it("asks once more when the connection breaks under a GET, and not under a write", async () => {
      let isBroken = true;
      answer = (request, response) => {
        count++;
        if (isBroken) request.socket.destroy();
        else response.end("{}");
        isBroken = false;
      };
      deepEqual(await client.request({ method: "GET", path: "/x" }), {});
      equal(count, 2);
      for (const [index, method] of (["POST", "PUT"] as const).entries()) {
        isBroken = true;
        match(String(await failure("/x", method)), /Cannot reach the API server/);
        equal(count, 3 + index);
      }
    });
  });

  it("ends with the caller's reason when the caller has enough", async () => {
    const asked = Promise.withResolvers<void>();
    answer = () => asked.resolve();
    const stop = new AbortController();
    const failed = client
      .request({ method: "GET", path: "/x", signal: stop.signal })
      .catch((err: unknown) => err);
    await asked.promise;
    stop.abort(new Error("had enough"));
    match(String(await failed), /had enough/);
  });

  it("says that nobody listens there", async () => {
    server.close();
    const err = await failure("/x");
    match(describeError(err), /Cannot reach .*: no connection to .*: connect ECONNREFUSED/);
  });
});
