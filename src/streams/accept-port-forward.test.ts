import assert from "node:assert/strict";
import { once } from "node:events";
import { type Duplex, duplexPair } from "node:stream";
import { buffer } from "node:stream/consumers";
import { describe, it } from "node:test";
import { WebSocket } from "ws";
import { CaptureLogger } from "../base/testing/capture-logger.ts";
import { FakeClock } from "../base/testing/fake-clock.ts";
import { acceptPortForward } from "./accept-port-forward.ts";
import type { PortForwardOptions } from "./port-forward-options.ts";
import { SpdyClient } from "./testing/spdy-client.ts";
import { TunnelClient } from "./testing/tunnel-client.ts";
import { readHead, UpgradeServer } from "./testing/upgrade-server.ts";
import { UpgradeError } from "./upgrade.ts";

/** Lets everything that is under way happen. */
async function settle(): Promise<void> {
  for (let i = 0; i < 50; i++) await new FakeClock().step(0);
}

/** A pod whose ports are pipes; nobody listens on port 1. */
class Pod implements PortForwardOptions {
  readonly pod = { name: "p", uid: "u" };
  readonly clock: FakeClock = new FakeClock();
  readonly logger: CaptureLogger = new CaptureLogger();
  readonly ports: readonly number[];
  /** The programs' ends of the connections, in order. */
  readonly connections: { readonly port: number; readonly end: Duplex }[] = [];

  constructor(ports: readonly number[] = []) {
    this.ports = ports;
  }

  readonly connect = (port: number): Promise<Duplex> => {
    if (port === 1) return Promise.reject(new Error("connect ECONNREFUSED 127.0.0.1:1"));
    const [near, end] = duplexPair();
    near.on("error", () => undefined).on("close", () => end.destroy());
    end.on("error", () => undefined);
    this.connections.push({ port, end });
    return Promise.resolve(near);
  };

  async connection(index: number): Promise<Duplex> {
    while (!this.connections[index]) await settle();
    return this.connections[index].end;
  }
}

interface Opened {
  readonly client: SpdyClient;
  readonly pod: Pod;
  readonly done: Promise<void>;
  readonly stop: AbortController;
}

async function openSpdy(): Promise<Opened> {
  const pod = new Pod();
  const stop = new AbortController();
  const { client, upgrade } = await new UpgradeServer().request(
    "Connection: Upgrade",
    "Upgrade: SPDY/3.1",
    "X-Stream-Protocol-Version: portforward.k8s.io",
  );
  const done = acceptPortForward(upgrade, pod, stop.signal);
  await readHead(client);
  return { client: new SpdyClient(client), pod, done, stop };
}

async function openTunnel(): Promise<Opened> {
  const pod = new Pod();
  const stop = new AbortController();
  const { client, upgrade } = await new UpgradeServer().request(
    "Connection: Upgrade",
    "Upgrade: websocket",
    "Sec-WebSocket-Version: 13",
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
    "Sec-WebSocket-Protocol: SPDY/3.1+portforward.k8s.io",
  );
  const done = acceptPortForward(upgrade, pod, stop.signal);
  assert.match(
    await readHead(client),
    /\r\nSec-WebSocket-Protocol: SPDY\/3.1\+portforward.k8s.io\r\n/,
  );
  return { client: new SpdyClient(new TunnelClient(client)), pod, done, stop };
}

interface PairIds {
  readonly data: number;
  readonly error: number;
}

function openPair(client: SpdyClient, port: number, requestid: string): PairIds {
  const headers = { port: `${port}`, requestid };
  const error = client.open({ ...headers, streamtype: "error" });
  return { error, data: client.open({ ...headers, streamtype: "data" }) };
}

for (const [name, open] of [
  ["SPDY", openSpdy],
  ["SPDY inside WebSocket", openTunnel],
] as const) {
  describe(`acceptPortForward over ${name}`, () => {
    it("carries connections, each with its halves closed apart", async () => {
      const { client, pod, done } = await open();
      const first = openPair(client, 80, "0");
      const second = openPair(client, 81, "1");
      client.send(first.data, "question", true);
      client.send(second.data, "open ");
      const asked = await pod.connection(0);
      assert.equal((await buffer(asked)).toString(), "question");
      const other = await pod.connection(1);
      assert.equal(String((await once(other, "data"))[0]), "open ");
      asked.end("answer");
      assert.equal((await client.ended(first.data)).toString(), "answer");
      assert.equal((await client.ended(first.error)).toString(), "");
      assert.deepEqual(
        pod.connections.map(({ port }) => port),
        [80, 81],
      );
      client.socket.write(client.write.goAway(0, 0));
      await done;
      assert.ok(other.destroyed);
    });

    it("gives the client a second to close after the port has, then closes for it", async () => {
      const { client, pod } = await open();
      const pair = openPair(client, 80, "0");
      (await pod.connection(0)).end("bye");
      assert.equal((await client.ended(pair.data)).toString(), "bye");
      assert.ok(
        !client.frames.some((frame) => frame.type === "data" && frame.streamId === pair.error),
      );
      await pod.clock.step(1_000);
      assert.equal((await client.ended(pair.error)).toString(), "");
    });

    it("says on the stream for errors that nobody listens, and goes on", async () => {
      const { client, pod } = await open();
      const refused = openPair(client, 1, "0");
      assert.equal(
        (await client.ended(refused.error)).toString(),
        "error forwarding port 1 to pod p, uid u: connect ECONNREFUSED 127.0.0.1:1",
      );
      await client.reset(refused.data);
      openPair(client, 80, "1");
      await pod.connection(0);
    });

    it("resets only the one connection that breaks", async () => {
      const { client, pod } = await open();
      const broken = openPair(client, 80, "0");
      const whole = openPair(client, 80, "1");
      const [first, second] = [await pod.connection(0), await pod.connection(1)];
      first.destroy();
      // A pipe's other end ends; a socket would fail. Either way the other connection does not notice.
      await pod.clock.step(1_000);
      await client.ended(broken.error);
      second.end("still there");
      assert.equal((await client.ended(whole.data)).toString(), "still there");
    });

    it("closes the port's connection when the client resets its stream", async () => {
      const { client, pod } = await open();
      const pair = openPair(client, 80, "0");
      const end = await pod.connection(0);
      client.socket.write(client.write.rstStream(pair.data, 5));
      await once(end, "close");
      assert.equal((await client.ended(pair.error)).toString(), "");
    });

    it("stops when it is told to", async () => {
      const { client, pod, done, stop } = await open();
      openPair(client, 80, "0");
      const end = await pod.connection(0);
      client.socket.on("end", () => client.socket.end());
      stop.abort();
      await client.frame((frame) => frame.type === "goAway");
      await pod.clock.step(10_000);
      await done;
      assert.ok(end.destroyed);
    });
  });
}

describe("acceptPortForward over SPDY, stream by stream", () => {
  const wrong: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    "has no port": { streamtype: "data", requestid: "0" },
    "has a port that is no number": { streamtype: "data", port: "http", requestid: "0" },
    "has port 0": { streamtype: "data", port: "0", requestid: "0" },
    "has a port beyond the last": { streamtype: "data", port: "65536", requestid: "0" },
    "has no type": { port: "80", requestid: "0" },
    "has another type": { port: "80", streamtype: "stdin", requestid: "0" },
    "has a request ID that is long": {
      streamtype: "data",
      port: "80",
      requestid: "7".repeat(10_000),
    },
  };
  for (const [what, headers] of Object.entries(wrong)) {
    it(`resets one that ${what}`, async () => {
      const { client, pod } = await openSpdy();
      assert.equal(await client.reset(client.open(headers)), 5);
      assert.equal(pod.logger.records.length, 1);
    });
  }

  it("gives up a pair of which one stream does not come within 30 seconds", async () => {
    const { client, pod } = await openSpdy();
    const error = client.open({ port: "80", streamtype: "error", requestid: "7" });
    await client.frame((frame) => frame.type === "headers");
    await pod.clock.step(30_000);
    assert.equal(
      (await client.ended(error)).toString(),
      "(request=7) timed out waiting for streams",
    );
  });

  it("keeps nothing of a pair whose streams the client takes back", async () => {
    const { client, pod } = await openSpdy();
    await client.reset(client.open({ port: "80" }));
    const before = pod.clock.waiting;
    for (const requestid of ["7", "8", "9"]) {
      const id = client.open({ port: "80", streamtype: "error", requestid });
      client.socket.write(client.write.rstStream(id, 5));
    }
    await client.reset(client.open({ port: "80" }));
    await settle();
    assert.equal(pod.clock.waiting, before);
    const pair = openPair(client, 80, "8");
    (await pod.connection(0)).end("bye");
    assert.equal((await client.ended(pair.data)).toString(), "bye");
  });

  it("says that a pair has its stream already", async () => {
    const { client } = await openSpdy();
    const error = client.open({ port: "80", streamtype: "error", requestid: "7" });
    await client.reset(client.open({ port: "80", streamtype: "error", requestid: "7" }));
    await client.frame((frame) => frame.type === "data" && frame.streamId === error);
    assert.equal(
      client.received(error).toString(),
      "error processing stream for request 7: error stream already assigned",
    );
  });

  it("pairs the streams of a client that gives no request IDs", async () => {
    const { client, pod } = await openSpdy();
    client.open({ port: "80", streamtype: "error" });
    client.open({ port: "80", streamtype: "data" });
    await pod.connection(0);
  });

  it("refuses other protocols", async () => {
    const { upgrade } = await new UpgradeServer().request(
      "Connection: Upgrade",
      "Upgrade: SPDY/3.1",
      "X-Stream-Protocol-Version: v4.channel.k8s.io",
    );
    const signal = new AbortController().signal;
    await assert.rejects(acceptPortForward(upgrade, new Pod(), signal), (err) => {
      assert.ok(err instanceof UpgradeError);
      return err.status === 403;
    });
  });
});

describe("acceptPortForward over channels of WebSocket", () => {
  interface OpenedChannels {
    readonly ws: WebSocket;
    readonly pod: Pod;
    readonly done: Promise<void>;
    readonly messages: Buffer[];
  }

  async function open(ports: readonly number[], protocol: string): Promise<OpenedChannels> {
    const pod = new Pod(ports);
    const server = new UpgradeServer();
    const upgrade = server.next();
    const ws = new WebSocket("ws://server", ["v5.channel.k8s.io", protocol], {
      createConnection: () => server.connect(),
    });
    const messages: Buffer[] = [];
    ws.on("message", (data: Buffer) => messages.push(data)).on("error", () => undefined);
    const isOpen = once(ws, "open");
    const done = acceptPortForward(await upgrade, pod, new AbortController().signal);
    await Promise.race([isOpen, done]);
    return { ws, pod, done, messages };
  }

  it("forwards each port over two channels that begin with its number", async () => {
    const { ws, pod, done, messages } = await open([8080, 443], "v4.channel.k8s.io");
    assert.equal(ws.protocol, "v4.channel.k8s.io");
    ws.send(Buffer.from("\0one"));
    ws.send(Buffer.from("\u0002two"));
    assert.equal(String((await once(await pod.connection(0), "data"))[0]), "one");
    assert.equal(String((await once(await pod.connection(1), "data"))[0]), "two");
    (await pod.connection(1)).write("answer");
    while (messages.length < 5) await once(ws, "message");
    assert.deepEqual(
      messages.map((message) => message.toString("latin1")).toSorted(),
      ["\0\x90\x1f", "\x01\x90\x1f", "\x02answer", "\x02\xbb\x01", "\x03\xbb\x01"].toSorted(),
    );
    ws.terminate();
    await done;
    assert.ok(pod.connections.every(({ end }) => end.destroyed));
  });

  it("forwards in text by base64", async () => {
    const { ws, pod, messages } = await open([80], "v4.base64.channel.k8s.io");
    ws.send(`0${Buffer.from("in").toString("base64")}`);
    const end = await pod.connection(0);
    assert.equal(String((await once(end, "data"))[0]), "in");
    end.write("out");
    while (messages.length < 3) await once(ws, "message");
    assert.deepEqual(messages.at(-1)?.toString(), `0${Buffer.from("out").toString("base64")}`);
  });

  it("closes when all ports have", async () => {
    const { ws, pod, done, messages } = await open([80], "v4.channel.k8s.io");
    const closed = once(ws, "close");
    (await pod.connection(0)).end("bye");
    while (messages.length < 3) await once(ws, "message");
    await pod.clock.step(1_000);
    assert.equal((await closed)[0], 1000);
    await done;
  });

  it("says on the channel for errors that nobody listens", async () => {
    const { ws, done, messages } = await open([1], "v4.channel.k8s.io");
    await once(ws, "close");
    await done;
    assert.equal(
      messages.at(-1)?.toString(),
      "\u0001error forwarding port 1 to pod p, uid u: connect ECONNREFUSED 127.0.0.1:1",
    );
  });

  it("refuses a request that names no ports, and one that names too many", async () => {
    for (const ports of [[], Array.from({ length: 128 }, () => 80)]) {
      const { upgrade } = await new UpgradeServer().request(
        "Connection: Upgrade",
        "Upgrade: websocket",
        "Sec-WebSocket-Protocol: v4.channel.k8s.io",
      );
      const signal = new AbortController().signal;
      await assert.rejects(acceptPortForward(upgrade, new Pod(ports), signal), (err) => {
        assert.ok(err instanceof UpgradeError);
        return err.status === 400;
      });
    }
  });
});
