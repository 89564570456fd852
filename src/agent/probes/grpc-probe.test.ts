import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  type handleUnaryCall,
  type Metadata,
  Server,
  ServerCredentials,
  type ServiceError,
  status,
} from "@grpc/grpc-js";
import { systemClock } from "../../base/clock.ts";
import { FakeClock } from "../../base/testing/fake-clock.ts";
import { probeGrpc } from "./grpc-probe.ts";
import type { Outcome, ProbeLimits } from "./probe-outcome.ts";
import { closedPort, Loopback } from "./testing/loopback.ts";

const never = new AbortController().signal;
const host = "127.0.0.1";
const same = (bytes: Buffer): Buffer => bytes;

/** What the health service is asked, and with which headers; it answers bytes or an error, or not at all. */
type Health = (request: Buffer, metadata: Metadata) => Buffer | Partial<ServiceError> | undefined;

class HealthServer implements AsyncDisposable {
  readonly #server = new Server();
  port = 0;

  static async make(answer: Health | undefined): Promise<HealthServer> {
    const made = new HealthServer();
    const handle: handleUnaryCall<Buffer, Buffer> = ({ request, metadata }, reply) => {
      const given = answer?.(request, metadata);
      if (given === undefined) return;
      if (Buffer.isBuffer(given)) reply(null, given);
      else reply(given);
    };
    if (answer !== undefined) {
      made.#server.register("/grpc.health.v1.Health/Check", handle, same, same, "unary");
    }
    made.port = await new Promise<number>((resolve, reject) => {
      made.#server.bindAsync(`${host}:0`, ServerCredentials.createInsecure(), (err, port) =>
        err === null ? resolve(port) : reject(err),
      );
    });
    return made;
  }

  ask(service?: string, limits: Partial<ProbeLimits> = {}): Promise<Outcome> {
    return ask(this.port, service, limits);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.resolve();
    this.#server.forceShutdown();
  }
}

function ask(port: number, service?: string, limits: Partial<ProbeLimits> = {}): Promise<Outcome> {
  const all = { clock: systemClock, timeoutSeconds: 30, signal: never, ...limits };
  return probeGrpc({ action: { port, service }, host, userAgent: "kube-probe/1.36" }, all);
}

const serving = Buffer.from([8, 1]);

describe("probeGrpc", () => {
  it("is content with SERVING", async () => {
    await using server = await HealthServer.make(() => serving);
    assert.deepEqual(await server.ask(), { result: "success", output: "service healthy" });
  });

  const unhealthy: readonly (readonly [bytes: readonly number[], name: string])[] = [
    [[], "UNKNOWN"],
    [[8, 0], "UNKNOWN"],
    [[8, 2], "NOT_SERVING"],
    [[8, 3], "SERVICE_UNKNOWN"],
    [[8, 9], "9"],
  ];
  for (const [bytes, name] of unhealthy) {
    it(`is not with ${name} as [${bytes.join(", ")}]`, async () => {
      await using server = await HealthServer.make(() => Buffer.from(bytes));
      assert.deepEqual(await server.ask(), {
        result: "failure",
        output: `service unhealthy (responded with "${name}")`,
      });
    });
  }

  for (const service of ["", "liveness", "ä".repeat(100)]) {
    it(`asks about the service ${JSON.stringify(service.slice(0, 10))}, as who it is`, async () => {
      const asked: [Buffer, string][] = [];
      await using server = await HealthServer.make((request, metadata) => {
        asked.push([request, String(metadata.get("user-agent")[0])]);
        return serving;
      });
      await server.ask(service === "" ? undefined : service);
      const [[request, agent] = [Buffer.alloc(0), ""]] = asked;
      const name = Buffer.from(service);
      const head = { 0: [], 8: [10, 8], 200: [10, 200, 1] }[name.length];
      assert.deepEqual(request, Buffer.concat([Buffer.from(head ?? []), name]));
      assert.match(agent, /^kube-probe\/1\.36/);
    });
  }

  it("says that the server has no health service", async () => {
    await using server = await HealthServer.make(undefined);
    const { result, output } = await server.ask();
    assert.equal(result, "failure");
    const start =
      "error: this server does not implement the grpc health protocol (grpc.health.v1.Health): ";
    assert.ok(output.startsWith(start), output);
  });

  it("says what the server refused it with", async () => {
    const refusal = { code: status.NOT_FOUND, details: "unknown service" };
    await using server = await HealthServer.make(() => refusal);
    assert.deepEqual(await server.ask("x"), {
      result: "failure",
      output: "error: health rpc probe failed: rpc error: code = NotFound desc = unknown service",
    });
  });

  it("says that the answer did not come in time", async () => {
    const clock = new FakeClock();
    const came = Promise.withResolvers<void>();
    await using server = await HealthServer.make(() => {
      came.resolve();
      return undefined;
    });
    const asked = server.ask("", { clock, timeoutSeconds: 2 });
    await came.promise;
    await clock.step(2000);
    const output = "timeout: health rpc did not complete within 2s";
    assert.deepEqual(await asked, { result: "failure", output });
  });

  it("tries to connect until its time is over", async () => {
    const clock = new FakeClock();
    const port = await closedPort();
    const asked = ask(port, "", { clock, timeoutSeconds: 1 });
    await clock.step(1000);
    const output = `timeout: failed to connect service "127.0.0.1:${port}" within 1s: context deadline exceeded`;
    assert.deepEqual(await asked, { result: "failure", output });
  });

  it("does not take a server that speaks something else for one", async () => {
    const clock = new FakeClock();
    const came = Promise.withResolvers<void>();
    await using server = await Loopback.tcp((socket) => {
      came.resolve();
      socket.end("HTTP/1.1 400 Bad Request\r\n\r\n");
    });
    const asked = ask(server.port, "", { clock, timeoutSeconds: 1 });
    await came.promise;
    await clock.step(1000);
    assert.equal((await asked).result, "failure");
  });

  it("is over when nobody wants to know any more", async () => {
    const stop = new AbortController();
    const came = Promise.withResolvers<void>();
    await using server = await HealthServer.make(() => {
      came.resolve();
      return undefined;
    });
    const asked = server.ask("", { signal: stop.signal });
    await came.promise;
    stop.abort();
    await assert.rejects(asked, { name: "AbortError" });
  });
});
