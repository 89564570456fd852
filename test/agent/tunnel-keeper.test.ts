import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { describe, it } from "node:test";
import { setImmediate as afterIo } from "node:timers/promises";
import { TunnelKeeper } from "../../src/agent/server/tunnel-keeper.ts";
import { CaptureLogger } from "../../src/base/testing/capture-logger.ts";
import { FakeClock } from "../../src/base/testing/fake-clock.ts";
import { seededRandom } from "../../src/base/testing/seeded-random.ts";

describe("TunnelKeeper", () => {
  it("tries again when a server takes its connection and says nothing", async () => {
    const connections: Socket[] = [];
    const server = createServer((socket) => connections.push(socket)).listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const clock = new FakeClock();
    const logger = new CaptureLogger();
    const keeper = new TunnelKeeper({
      nodeName: "node-1",
      server: `http://127.0.0.1:${port}`,
      identity: () => Promise.resolve({ isInsecure: false }),
      api: { answer: () => Promise.resolve(), upgrade: () => Promise.resolve() },
      random: seededRandom(1),
      ...{ clock, logger },
    });
    const stop = new AbortController();
    const run = keeper.run(stop.signal);
    try {
      while (connections.length < 1) await afterIo();
      await clock.step(30_000);
      while (connections.length < 2) {
        await clock.step(100);
        await afterIo();
      }
      assert.match(JSON.stringify(logger.records), /no tunnel to the server/);
    } finally {
      stop.abort();
      await run;
      for (const socket of connections) socket.destroy();
      server.close();
    }
  });
});
