import assert from "node:assert/strict";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { ClientRequest, IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { describe, it } from "node:test";
import type { HTTPGetAction, HTTPHeader } from "../../api/types.ts";
import { type Clock, systemClock } from "../../base/clock.ts";
import { FakeClock } from "../../base/testing/fake-clock.ts";
import { probeHttp } from "./http-probe.ts";
import { httpHeaders, httpPlace } from "./http-request.ts";
import type { Outcome } from "./probe-outcome.ts";
import { closedPort, hurriedClock, Loopback } from "./testing/loopback.ts";

const never = new AbortController().signal;

interface Question extends Partial<HTTPGetAction> {
  readonly clock?: Clock;
  readonly signal?: AbortSignal;
}

function ask(port: number, { clock, signal, ...action }: Question = {}): Promise<Outcome> {
  const place = httpPlace({ port, ...action }, {}, "127.0.0.1");
  const headers = httpHeaders(action.httpHeaders, "kube-probe/1.36");
  const limits = { clock: clock ?? systemClock, timeoutSeconds: 30, signal: signal ?? never };
  return probeHttp({ place, headers }, limits);
}

async function answerOf(handle: RequestListener, question?: Question): Promise<Outcome> {
  await using server = await Loopback.http(handle);
  return await ask(server.port, question);
}

describe("probeHttp", () => {
  for (const status of [200, 204, 299]) {
    it(`is content with a ${status}`, async () => {
      const outcome = await answerOf((_, response) => response.writeHead(status).end());
      assert.deepEqual(outcome, { result: "success", output: "" });
    });
  }

  for (const status of [400, 404, 500, 503, 599]) {
    it(`is not with a ${status}, and does not repeat what the server said`, async () => {
      const outcome = await answerOf((_, response) => response.writeHead(status).end("secret"));
      const output = `HTTP probe failed with statuscode: ${status}`;
      assert.deepEqual(outcome, { result: "failure", output });
    });
  }

  for (const status of [300, 304, 301, 308]) {
    it(`warns of a ${status} that leads nowhere`, async () => {
      const { result, output } = await answerOf((_, response) => response.writeHead(status).end());
      assert.equal(result, "warning");
      assert.equal(output, "Probe terminated redirects, Response body: ");
    });
  }

  it("takes an offer to switch protocols for what it is", async () => {
    const outcome = await answerOf((_, response) => {
      response.socket?.end("HTTP/1.1 101 Switching\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n");
    });
    assert.equal(outcome.output, "HTTP probe failed with statuscode: 101");
  });

  describe("headers", () => {
    const seen = async (httpHeaderList: HTTPHeader[]): Promise<string[]> => {
      let lines: string[] = [];
      await answerOf(
        ({ rawHeaders }, response) => {
          lines = rawHeaders;
          response.end();
        },
        { httpHeaders: httpHeaderList },
      );
      return lines.flatMap((name, i) => (i % 2 === 0 ? [`${name}: ${lines[i + 1]}`] : []));
    };

    it("are who asks, what is wanted, to whom it goes, and that nothing follows", async () => {
      const lines = await seen([]);
      const [host = "", ...rest] = lines.toSorted((a, b) =>
        a.startsWith("Host") ? -1 : b.startsWith("Host") ? 1 : a < b ? -1 : 1,
      );
      assert.match(host, /^Host: 127\.0\.0\.1:\d+$/);
      assert.deepEqual(rest, ["Accept: */*", "Connection: close", "User-Agent: kube-probe/1.36"]);
    });

    const cases: readonly (readonly [HTTPHeader[], has: string | undefined, not: RegExp])[] = [
      [[{ name: "Accept-Encoding", value: "gzip" }], "Accept-Encoding: gzip", /^$/],
      [[{ name: "Accept-Encoding", value: "" }], "Accept-Encoding: ", /^$/],
      [[{ name: "X-Muffins", value: "muffins" }], "X-Muffins: muffins", /^$/],
      [[{ name: "user-agent", value: "foo/1.0" }], "User-Agent: foo/1.0", /kube/],
      [[{ name: "User-Agent", value: "" }], "Accept: */*", /User-Agent/],
      [[{ name: "Accept", value: "" }], "User-Agent: kube-probe/1.36", /Accept/],
      [[{ name: "Host", value: "muffins.org" }], "Host: muffins.org", /127/],
    ];
    for (const [list, has, not] of cases) {
      it(`are with ${JSON.stringify(list[0])} as the original's`, async () => {
        const lines = await seen(list);
        assert.ok(has === undefined || lines.includes(has), lines.join("\n"));
        assert.ok(!lines.some((line) => not.test(line)), lines.join("\n"));
      });
    }

    it("come one by one if there are several of a name", async () => {
      const lines = await seen([
        { name: "x-a", value: "1" },
        { name: "X-A", value: "2" },
      ]);
      assert.deepEqual(
        lines.filter((line) => line.startsWith("X-A")),
        ["X-A: 1", "X-A: 2"],
      );
    });

    it("that HTTP cannot carry are a failure, without what they hold", async () => {
      const httpHeaderList = [{ name: "X-A", value: "my\nsecret" }];
      const { result, output } = await answerOf((_, response) => response.end(), {
        httpHeaders: httpHeaderList,
      });
      assert.equal(result, "failure");
      assert.match(output, /X-A/);
      assert.doesNotMatch(output, /secret/);
    });
  });

  describe("redirects", () => {
    /** "/go?URL" redirects there. */
    const handle = (request: IncomingMessage, response: ServerResponse): void => {
      const { pathname, search } = new URL(`http://x${request.url}`);
      const to = (location: string, status = 302): unknown =>
        response.writeHead(status, { Location: location }).end("moved");
      if (pathname === "/loop") to("/loop");
      else if (pathname === "/go") to(decodeURIComponent(search.slice(1)));
      else if (/^\/30\d$/.test(pathname)) to("/ok", Number(pathname.slice(1)));
      else if (pathname === "/count") {
        const left = Number(search.slice(1));
        if (left === 0) response.end("there");
        else to(`/count?${left - 1}`);
      } else if (pathname === "/ok") response.end(`host ${request.headers.host}`);
      else response.writeHead(500).end();
    };

    for (const status of [301, 302, 303, 307, 308]) {
      it(`are followed with ${status}`, async () => {
        assert.equal((await answerOf(handle, { path: `/${status}` })).result, "success");
      });
    }

    it("are judged by where they lead", async () => {
      const outcome = await answerOf(handle, { path: "/go?/fail" });
      assert.equal(outcome.output, "HTTP probe failed with statuscode: 500");
    });

    it("lead to another port of the same host too", async () => {
      await using other = await Loopback.http((_, response) => response.end("other port"));
      const path = `/go?http://127.0.0.1:${other.port}/x`;
      assert.deepEqual(await answerOf(handle, { path }), {
        result: "success",
        output: "other port",
      });
    });

    it("are not followed to another host, and that is only a warning", async () => {
      assert.deepEqual(await answerOf(handle, { path: "/go?http://0.0.0.0/fail" }), {
        result: "warning",
        output: "Probe terminated redirects, Response body: moved",
      });
    });

    it("end after ten requests", async () => {
      assert.equal((await answerOf(handle, { path: "/count?9" })).output, "there");
      await using server = await Loopback.http(handle);
      assert.deepEqual(await ask(server.port, { path: "/loop" }), {
        result: "failure",
        output: `Get "http://127.0.0.1:${server.port}/loop": stopped after 10 redirects`,
      });
    });

    it("keep the name that the pod gave, unless they name the host themselves", async () => {
      const httpHeaderList = [{ name: "Host", value: "www.success.com" }];
      await using server = await Loopback.http(handle);
      const follow = async (to: string): Promise<string> => {
        const path = `/go?${to}`;
        return (await ask(server.port, { path, httpHeaders: httpHeaderList })).output;
      };
      assert.equal(await follow("/ok"), "host www.success.com");
      const own = `127.0.0.1:${server.port}`;
      assert.equal(await follow(`http://${own}/ok`), `host ${own}`);
    });

    it("to what is no URL are a failure", async () => {
      const { result, output } = await answerOf(handle, { path: "/go?http://[" });
      assert.equal(result, "failure");
      assert.match(output, /failed to parse Location header "http:\/\/\["$/);
    });
  });

  describe("bodies", () => {
    for (const [size, kept] of [
      [10 * 1024 - 1, 10 * 1024 - 1],
      [10 * 1024, 10 * 1024],
      [10 * 1024 + 1, 10 * 1024],
    ] as const) {
      it(`of ${size} bytes are kept to ${kept}`, async () => {
        const outcome = await answerOf((_, response) => response.end("a".repeat(size)));
        assert.equal(outcome.output, "a".repeat(kept));
      });
    }

    it("that never end are not waited for, and their connection is closed", async () => {
      const chunk = "a".repeat(64 * 1024);
      await using server = await Loopback.http((_, response) => {
        const more = (): void => {
          while (!response.destroyed && response.write(chunk));
        };
        response.on("drain", more);
        more();
      });
      assert.equal((await ask(server.port)).output.length, 10 * 1024);
      await server.quiet();
    });

    it("that stop in the middle count neither way", async () => {
      const question = answerOf((_, response) => {
        response.writeHead(200, { "Content-Length": 100 });
        response.write("half");
        response.socket?.end();
      });
      await assert.rejects(question, {
        name: "ProbeError",
        state: "failure",
        message: "unexpected EOF",
      });
    });

    it("that take too long count neither way", async () => {
      const clock = new FakeClock();
      await using server = await Loopback.http((_, response) => {
        response.writeHead(200, { "Content-Length": 100 });
        response.write("half");
      });
      const head = headCame(server.port);
      const asked = assert.rejects(ask(server.port, { clock }), {
        state: "failure",
        message:
          "context deadline exceeded (Client.Timeout or context cancellation while reading body)",
      });
      await head;
      await clock.step(30_000);
      await asked;
      await server.quiet();
    });
  });

  describe("failures", () => {
    it("say that nobody listens", async () => {
      const port = await closedPort();
      const address = `127.0.0.1:${port}`;
      assert.deepEqual(await ask(port, { path: "/healthz" }), {
        result: "failure",
        output: `Get "http://${address}/healthz": dial tcp ${address}: connect: connection refused`,
      });
    });

    it("say that no answer came in time, and the connection is closed", async () => {
      const clock = new FakeClock();
      const came = Promise.withResolvers<void>();
      await using server = await Loopback.http(() => came.resolve());
      const asked = ask(server.port, { clock });
      await came.promise;
      await clock.step(30_000);
      const why = "context deadline exceeded (Client.Timeout exceeded while awaiting headers)";
      const output = `Get "http://127.0.0.1:${server.port}": ${why}`;
      assert.deepEqual(await asked, { result: "failure", output });
      await server.quiet();
    });

    it("say that a server that takes connections and is silent did not answer, with TLS too", async () => {
      const clock = new FakeClock();
      const came = Promise.withResolvers<void>();
      await using server = await Loopback.tcp((socket) =>
        socket.once("data", () => came.resolve()),
      );
      const asked = ask(server.port, { clock, scheme: "HTTPS" });
      await came.promise;
      await clock.step(30_000);
      const { output } = await asked;
      assert.match(output, /: context deadline exceeded \(Client\.Timeout exceeded while awaiting/);
      await server.quiet();
    });

    it("say that no connection came about in time", async () => {
      await using server = await Loopback.http((_, response) => response.end());
      const { output } = await ask(server.port, { clock: hurriedClock });
      const why = `dial tcp 127.0.0.1:${server.port}: i/o timeout`;
      const note = "(Client.Timeout exceeded while awaiting headers)";
      assert.equal(output, `Get "http://127.0.0.1:${server.port}": ${why} ${note}`);
    });

    it("end a redirect that comes when the time is over", async () => {
      const clock = new FakeClock();
      const came = Promise.withResolvers<void>();
      await using server = await Loopback.http((request, response) => {
        if (request.url === "/wait") came.resolve();
        else response.writeHead(302, { Location: "/wait" }).end();
      });
      const asked = ask(server.port, { clock });
      await came.promise;
      await clock.step(30_000);
      assert.match(
        (await asked).output,
        /^Get "http:\/\/127\.0\.0\.1:\d+\/wait": context deadline/,
      );
    });

    it("say that the head of an answer is too long", async () => {
      const value = "a".repeat(2 * 1024 * 1024);
      await using server = await Loopback.tcp((socket) => {
        socket.once("data", () => socket.write(`HTTP/1.1 200 OK\r\nX-A: ${value}\r\n\r\n`));
      });
      assert.match((await ask(server.port)).output, /: malformed HTTP response$/);
      await server.quiet();
    });

    it("say that the server hung up", async () => {
      await using server = await Loopback.tcp((socket) => socket.once("data", () => socket.end()));
      const { output } = await ask(server.port);
      assert.equal(output, `Get "http://127.0.0.1:${server.port}": EOF`);
    });

    it("say that the server does not speak HTTP", async () => {
      await using server = await Loopback.tcp((socket) => socket.end("220 smtp ready\r\n"));
      const { output } = await ask(server.port);
      assert.equal(output, `Get "http://127.0.0.1:${server.port}": malformed HTTP response`);
    });

    it("say that there is no TLS where there should be", async () => {
      await using server = await Loopback.http((_, response) => response.end());
      const { output } = await ask(server.port, { scheme: "HTTPS" });
      const why = "http: server gave HTTP response to HTTPS client";
      assert.equal(output, `Get "https://127.0.0.1:${server.port}": ${why}`);
    });
  });

  it("is over when nobody wants to know any more", async () => {
    const came = Promise.withResolvers<void>();
    await using server = await Loopback.http(() => came.resolve());
    const stop = new AbortController();
    const asked = assert.rejects(ask(server.port, { signal: stop.signal }), { name: "AbortError" });
    await came.promise;
    stop.abort();
    await asked;
    await server.quiet();
  });
});

/** Settles when a client of this process has read the head of an answer from this port. */
function headCame(port: number): Promise<void> {
  const channel = "http.client.response.finish";
  return new Promise((resolve) => {
    const listen = (message: unknown): void => {
      const { request } = message as { readonly request: ClientRequest };
      if (request.socket?.remotePort !== port) return;
      unsubscribe(channel, listen);
      resolve();
    };
    subscribe(channel, listen);
  });
}
