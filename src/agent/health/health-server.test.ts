import { equal, match, rejects } from "node:assert/strict";
import { once } from "node:events";
import { existsSync, linkSync, readFileSync } from "node:fs";
import { createServer, request } from "node:http";
import { describe, it, type TestContext } from "node:test";
import { createMetrics } from "../../base/metrics.ts";
import { CaptureLogger } from "../../base/testing/capture-logger.ts";
import { tempDir } from "../../base/testing/temp-dir.ts";
import { HealthServer, type HealthServerOptions } from "./health-server.ts";

interface Heard {
  readonly status: number | undefined;
  readonly text: string;
}

async function running(
  t: TestContext,
  more: Partial<HealthServerOptions> = {},
): Promise<(path: string, method?: string) => Promise<Heard>> {
  const server = new HealthServer({
    listen: { port: 0 },
    health: [{ name: "ping", problem: () => undefined }],
    readiness: [],
    metrics: createMetrics(),
    logger: new CaptureLogger(),
    ...more,
  });
  const stop = new AbortController();
  const ended = server.run(stop.signal);
  t.after(async () => {
    stop.abort();
    await ended;
  });
  const address = await server.address;
  return (path, method = "GET") =>
    new Promise((resolve, reject) => {
      const where = address.startsWith("/")
        ? { socketPath: address, path }
        : { port: new URL(address).port, path };
      const sent = request({ host: "127.0.0.1", method, ...where }, (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (more: string) => {
          text += more;
        });
        response.on("end", () => resolve({ status: response.statusCode, text }));
      });
      sent.on("error", reject);
      sent.end();
    });
}

describe("HealthServer", () => {
  it("says ok while all is well, and each check when it is asked for them", async (t) => {
    const ask = await running(t);
    equal((await ask("/healthz")).text, "ok");
    equal((await ask("/readyz?verbose")).text, "[+]ping ok\nreadyz check passed\n");
  });

  it("lets a program answer on paths of its own, also on those that there always are", async (t) => {
    const more: HealthServerOptions["more"] = (path) => {
      if (path === "/numbers") return "metrics";
      return path === "/healthz" ? { code: 503, text: "not yet" } : undefined;
    };
    const ask = await running(t, { more });
    equal((await ask("/numbers")).status, 200);
    equal((await ask("/metrics")).status, 200);
    equal((await ask("/healthz")).text, "not yet");
    equal((await ask("/livez")).text, "ok");
    equal((await ask("/other")).status, 404);
  });

  it("is healthy but not ready while something is missing, and says what", async (t) => {
    const readiness = [{ name: "runtime", problem: () => "is starting" }];
    const ask = await running(t, { readiness });
    equal((await ask("/healthz")).status, 200);
    const { status, text } = await ask("/readyz");
    equal(status, 500);
    equal(text, "[+]ping ok\n[-]runtime failed: is starting\nreadyz check failed\n");
  });

  it("counts a check that throws as failed", async (t) => {
    const problem = (): undefined => {
      throw new Error("out of order");
    };
    const ask = await running(t, { health: [{ name: "a", problem }] });
    match((await ask("/healthz")).text, /\[-\]a failed: out of order/);
  });

  it("shows the metrics", async (t) => {
    const metrics = createMetrics();
    metrics.counter({ name: "things_total", help: "Things." }).inc();
    const ask = await running(t, { metrics });
    match((await ask("/metrics")).text, /^things_total 1$/m);
  });

  it("answers nothing else", async (t) => {
    const ask = await running(t);
    equal((await ask("/")).status, 404);
    equal((await ask("/healthz", "POST")).status, 405);
    equal((await ask("/healthz", "HEAD")).text, "");
  });

  it("listens on a Unix socket, over what an earlier life left, and takes it away", async (t) => {
    using directory = tempDir();
    const socketPath = directory.join("health.sock");
    const earlier = createServer().listen(directory.join("earlier.sock"));
    await once(earlier, "listening");
    linkSync(directory.join("earlier.sock"), socketPath);
    earlier.close();
    await t.test("while it runs", async (inner) => {
      const ask = await running(inner, { listen: { socketPath } });
      equal((await ask("/healthz")).text, "ok");
    });
    equal(existsSync(socketPath), false);
  });

  it("takes no file away that is not a socket", async () => {
    using directory = tempDir();
    directory.write({ precious: "kept" });
    const listen = { socketPath: directory.join("precious") };
    const parts = { metrics: createMetrics(), logger: new CaptureLogger() };
    const server = new HealthServer({ listen, health: [], readiness: [], ...parts });
    await rejects(server.run(new AbortController().signal), /Cannot tell of the program's health/);
    equal(readFileSync(listen.socketPath, "utf8"), "kept");
  });

  it("fails when it cannot listen", async () => {
    const server = new HealthServer({
      listen: { socketPath: "/nowhere/at/all.sock" },
      health: [],
      readiness: [],
      metrics: createMetrics(),
      logger: new CaptureLogger(),
    });
    const failure = /Cannot tell of the program's health on \/nowhere\/at\/all\.sock/;
    await rejects(server.run(new AbortController().signal), failure);
    await rejects(server.address, failure);
  });
});
