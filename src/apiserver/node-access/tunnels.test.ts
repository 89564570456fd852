import { equal, notEqual } from "node:assert/strict";
import { duplexPair } from "node:stream";
import { buffer } from "node:stream/consumers";
import { describe, it } from "node:test";
import { createMetrics } from "../../base/metrics.ts";
import { FakeClock } from "../../base/testing/fake-clock.ts";
import { serveTunnel } from "../../streams/tunnel.ts";
import { Tunnels } from "./tunnels.ts";

describe("Tunnels", () => {
  it("has the newest tunnel of a node, and closes the one before", async () => {
    const clock = new FakeClock();
    const tunnels = new Tunnels({ clock, metrics: createMetrics() });
    const stop = new AbortController();
    const node = (answer: string): ReturnType<typeof tunnels.add> => {
      const [here, there] = duplexPair();
      const onConnection = (one: NodeJS.WritableStream): void => void one.end(answer);
      void serveTunnel(there, { clock, onConnection }, stop.signal);
      return tunnels.add("n1", here);
    };
    const first = node("first");
    const second = node("second");
    await first.closed;
    equal(tunnels.get("n1"), second);
    const pipe = await second.dial();
    equal((await buffer(pipe)).toString(), "second");
    tunnels.closeAll();
    await second.closed;
    equal(tunnels.get("n1"), undefined);
    notEqual(first, second);
    stop.abort();
  });

  it("knows nothing of nodes that have not come", () => {
    const tunnels = new Tunnels({ clock: new FakeClock(), metrics: createMetrics() });
    equal(tunnels.get("n1"), undefined);
  });
});
