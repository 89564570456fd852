import assert from "node:assert/strict";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, it } from "node:test";
import type { Container, LifecycleHandler } from "../../api/types.ts";
import { ExecError } from "../../runtime/runtime.ts";
import { runHook } from "./lifecycle-hook.ts";
import { PodBench } from "./testing/pod-bench.ts";
import { testContainer, testPod } from "./testing/test-pod.ts";

describe("runHook", () => {
  let bench: PodBench;
  let stop: AbortController;
  beforeEach(async () => {
    bench = new PodBench();
    stop = new AbortController();
    const { prepareContainer, runtime } = bench;
    await runtime.makeSandbox({
      ...{ podUid: "u1", podName: "web", podNamespace: "default", hostname: "web" },
      hasSharedProcesses: false,
    });
    const image = await runtime.image("host");
    const of = { pod: testPod(), container: testContainer("app"), attempt: 0, image };
    await runtime.start(await prepareContainer({ ...of, targetId: undefined }, stop.signal));
  });

  function run(handler: LifecycleHandler, parts: Partial<Container> = {}): Promise<void> {
    const container = { ...testContainer("app"), ...parts };
    const hook = { pod: testPod(), container, containerId: "c1", handler };
    const node = { addresses: ["127.0.0.1"] };
    return runHook({ ...bench.parts, node }, hook, stop.signal);
  }

  describe("with a program", () => {
    const exec: LifecycleHandler = { exec: { command: ["sh", "-c", "false"] } };

    it("runs it in the container", async () => {
      await run(exec);
      assert.equal(bench.runtime.log.at(-1), "exec app-0 sh -c false");
    });

    it("tells what a program that failed said", async () => {
      bench.runtime.onExec = () => ({ exitCode: 3, stdout: "so\n", stderr: "no\n" });
      await assert.rejects(run(exec), {
        name: "HookError",
        message: `Exec lifecycle hook ([sh -c false]) for Container "app" in Pod "web_default(u1)" failed - error: command 'sh -c false' exited with 3: no\n, message: "so\\nno\\n"`,
      });
    });

    it("tells why a program was not started", async () => {
      bench.runtime.failNext("exec", new ExecError("no such program", { exitCode: 127 }));
      await assert.rejects(run(exec), /failed - error: no such program, message: ""$/);
    });

    it("ends the program when it is called off", async () => {
      bench.runtime.onExec = () => new Promise(() => undefined);
      const running = run(exec);
      await bench.settle();
      stop.abort();
      await assert.rejects(running, { name: "AbortError" });
      assert.equal(bench.runtime.execs[0]?.isCut, true);
    });
  });

  describe("with a request", () => {
    let server: Server;
    let seen: IncomingMessage[];
    let status: number;
    /** What the next answers lead to. */
    let redirects: string[];
    beforeEach(async () => {
      seen = [];
      status = 200;
      redirects = [];
      server = createServer((request, response) => {
        seen.push(request);
        const location = redirects.shift();
        if (location === undefined) response.writeHead(status).end("answer");
        else response.writeHead(302, { location }).end();
      });
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    });
    afterEach(() => {
      server.closeAllConnections();
      server.close();
    });
    const port = (): number => (server.address() as AddressInfo).port;

    it("sends it to the pod, with the headers that it wants", async () => {
      const httpHeaders = [{ name: "X-Why", value: "start" }];
      await run({ httpGet: { path: "/ready?a=b", port: port(), httpHeaders } });
      const { url, headers } = seen[0] ?? {};
      assert.equal(url, "/ready?a=b");
      assert.equal(headers?.["x-why"], "start");
      assert.match(headers?.["user-agent"] ?? "", /^kube-lifecycle\//);
    });

    it("finds a port by its name, and takes any answer", async () => {
      status = 500;
      const ports = [{ name: "web", containerPort: port() }];
      await run({ httpGet: { path: "/", port: "web" } }, { ports });
      assert.equal(seen.length, 1);
    });

    it("asks in HTTP who does not speak TLS, without credentials", async () => {
      const httpHeaders = [{ name: "authorization", value: "Bearer secret" }];
      await run({ httpGet: { scheme: "HTTPS", port: port(), httpHeaders } });
      assert.equal(seen.length, 1);
      assert.equal(seen[0]?.headers.authorization, undefined);
      assert.deepEqual(bench.takeEvents(), [
        `Warning LifecycleHTTPFallback request to HTTPS lifecycle hook 127.0.0.1:${port()} got HTTP response, retry with HTTP succeeded`,
      ]);
    });

    it("follows a redirect on the same host, with its headers", async () => {
      redirects = ["/drain/"];
      const httpHeaders = [{ name: "X-Why", value: "stop" }];
      await run({ httpGet: { path: "/drain", port: port(), httpHeaders } });
      assert.deepEqual(
        seen.map(({ url, headers }) => [url, headers["x-why"]]),
        [
          ["/drain", "stop"],
          ["/drain/", "stop"],
        ],
      );
    });

    it("takes an answer that leads to another host for an answer", async () => {
      redirects = ["http://other.invalid/"];
      await run({ httpGet: { path: "/", port: port() } });
      assert.equal(seen.length, 1);
    });

    it("does not follow redirects for ever", async () => {
      redirects = Array.from({ length: 20 }, () => "/again");
      await assert.rejects(
        run({ httpGet: { path: "/", port: port() } }),
        /error: Get "http:\/\/127\.0\.0\.1:\d+\/again": stopped after 10 redirects$/,
      );
      assert.equal(seen.length, 10);
    });

    it("fails when nobody answers", async () => {
      const closed = port();
      await new Promise((resolve) => server.close(resolve));
      await assert.rejects(
        run({ httpGet: { path: "/x", port: closed } }),
        /^HookError: HTTP lifecycle hook \(\/x\) for Container "app" in Pod "web_default\(u1\)" failed - error: Get "http:\/\/127\.0\.0\.1:\d+\/x": dial tcp 127\.0\.0\.1:\d+: connect: connection refused$/,
      );
    });
  });

  it("sleeps as long as it is asked to", async () => {
    let isDone = false;
    const running = run({ sleep: { seconds: 5 } }).then(() => {
      isDone = true;
    });
    await bench.clock.step(4999);
    assert.equal(isDone, false);
    await bench.clock.step(1);
    await running;
    assert.ok(isDone);
  });

  it("cannot do what the original cannot", async () => {
    await assert.rejects(run({ tcpSocket: { port: 80 } }), /^HookError: Cannot run handler/);
  });
});
