import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { systemClock } from "../../base/clock.ts";
import { probeTcp } from "./tcp-probe.ts";
import { closedPort, hurriedClock, Loopback } from "./testing/loopback.ts";

const limits = {
  clock: systemClock,
  timeoutSeconds: 30,
  signal: new AbortController().signal,
};
const host = "127.0.0.1";

describe("probeTcp", () => {
  it("is content with a connection, and closes it", async () => {
    await using server = await Loopback.tcp(() => undefined);
    const { port } = server;
    assert.deepEqual(await probeTcp({ host, port }, limits), { result: "success", output: "" });
    await server.quiet();
  });

  it("does not wait for a server that says something or nothing", async () => {
    await using server = await Loopback.tcp((socket) => socket.write("a".repeat(1_000_000)));
    assert.equal((await probeTcp({ host, port: server.port }, limits)).result, "success");
    await server.quiet();
  });

  it("says that nobody listens", async () => {
    const port = await closedPort();
    const output = `dial tcp 127.0.0.1:${port}: connect: connection refused`;
    assert.deepEqual(await probeTcp({ host, port }, limits), { result: "failure", output });
  });

  it("says that no connection came about in time", async () => {
    await using server = await Loopback.tcp(() => undefined);
    const { port } = server;
    const outcome = await probeTcp({ host, port }, { ...limits, clock: hurriedClock });
    const output = `dial tcp 127.0.0.1:${port}: i/o timeout`;
    assert.deepEqual(outcome, { result: "failure", output });
    await server.quiet();
  });

  it("is over when nobody wants to know any more", async () => {
    await using server = await Loopback.tcp(() => undefined);
    const stop = new AbortController();
    const asked = probeTcp({ host, port: server.port }, { ...limits, signal: stop.signal });
    stop.abort();
    await assert.rejects(asked, { name: "AbortError" });
  });
});
