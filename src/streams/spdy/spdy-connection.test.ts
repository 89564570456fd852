import assert from "node:assert/strict";
import { once } from "node:events";
import { duplexPair } from "node:stream";
import { buffer } from "node:stream/consumers";
import { describe, it } from "node:test";
import fc from "fast-check";
import { FakeClock } from "../../base/testing/fake-clock.ts";
import { maxUnreadBytes } from "../intake.ts";
import type { Substream } from "../substream.ts";
import { SpdyClient } from "../testing/spdy-client.ts";
import { SpdyConnection } from "./spdy-connection.ts";

interface Linked {
  readonly client: SpdyClient;
  readonly connection: SpdyConnection;
  readonly streams: Map<string, Substream>;
  readonly clock: FakeClock;
}

/** A client and a server; streams are kept by their name, and one called "unwanted" is not taken. */
function link(): Linked {
  const [near, far] = duplexPair();
  for (const [one, other] of [
    [near, far],
    [far, near],
  ] as const) {
    one.on("error", () => undefined).on("close", () => other.destroy());
  }
  const streams = new Map<string, Substream>();
  const clock = new FakeClock();
  const connection = new SpdyConnection({
    socket: far,
    clock,
    accept: ({ headers }) => {
      const name = headers.get("name") ?? "";
      return name === "unwanted" ? undefined : (stream) => void streams.set(name, stream);
    },
  });
  connection.start(Buffer.alloc(0));
  return { client: new SpdyClient(near), connection, streams, clock };
}

function streamOf({ streams }: Linked, name: string): Substream {
  const stream = streams.get(name);
  assert.ok(stream, `there is no stream ${name}`);
  return stream;
}

/** Opens streams and waits for the replies. */
async function open(linked: Linked, ...names: readonly string[]): Promise<number[]> {
  const ids = names.map((name) => linked.client.open({ name }));
  for (const id of ids) {
    await linked.client.frame((frame) => frame.type === "headers" && frame.streamId === id);
  }
  return ids;
}

/** Lets everything that is under way happen. */
async function settle(): Promise<void> {
  for (let i = 0; i < 50; i++) await new FakeClock().step(0);
}

describe("SpdyConnection", () => {
  it("carries any interleaving of writes on several streams, both ways, to their ends", async () => {
    const step = fc.record({
      stream: fc.nat(2),
      isFromClient: fc.boolean(),
      size: fc.oneof(fc.nat(20), fc.constant(70_000)),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
        const linked = link();
        const names = ["a", "b", "c"];
        const ids = await open(linked, ...names);
        const sent = ids.map(() => ({ up: [] as Buffer[], down: [] as Buffer[] }));
        const ups = names.map((name) => buffer(streamOf(linked, name)));
        for (const [index, { stream, isFromClient, size }] of steps.entries()) {
          const bytes = Buffer.alloc(size, index);
          if (isFromClient) {
            sent[stream]?.up.push(bytes);
            linked.client.send(ids[stream] ?? 0, bytes);
          } else {
            sent[stream]?.down.push(bytes);
            streamOf(linked, names[stream] ?? "").write(bytes);
          }
        }
        for (const [index, id] of ids.entries()) {
          linked.client.send(id, "", true);
          streamOf(linked, names[index] ?? "").end();
        }
        for (const [index, id] of ids.entries()) {
          const { up, down } = sent[index] ?? { up: [], down: [] };
          assert.ok((await linked.client.ended(id)).equals(Buffer.concat(down)));
          assert.ok((await ups[index])?.equals(Buffer.concat(up)));
        }
        linked.connection[Symbol.dispose]();
      }),
      { numRuns: 30 },
    );
  });

  it("hears one half of a stream close and still sends on the other", async () => {
    const linked = link();
    const [id = 0] = await open(linked, "a");
    linked.client.send(id, "request", true);
    const stream = streamOf(linked, "a");
    assert.equal((await buffer(stream)).toString(), "request");
    stream.end("answer");
    assert.equal((await linked.client.ended(id)).toString(), "answer");
  });

  it("reads no more than it may hold when nobody reads a stream, and goes on when somebody does", async () => {
    const linked = link();
    const [id = 0] = await open(linked, "a");
    const piece = linked.client.write.data(id, Buffer.alloc(32_768, 7), false);
    let taken = 0;
    const total = 300;
    const writing = (async () => {
      for (; taken < total; taken++) {
        if (!linked.client.socket.write(piece)) await once(linked.client.socket, "drain");
      }
    })();
    await settle();
    assert.ok(taken * 32_768 > maxUnreadBytes / 2, `only ${taken} were taken`);
    assert.ok(taken * 32_768 < maxUnreadBytes * 1.5, `${taken} were taken`);
    let read = 0;
    streamOf(linked, "a").on("data", (bytes: Buffer) => (read += bytes.length));
    await writing;
    await settle();
    assert.equal(read, total * 32_768);
  });

  it("lets the other streams through while little of one is unread", async () => {
    const linked = link();
    const [first = 0, second = 0] = await open(linked, "a", "b");
    linked.client.send(first, Buffer.alloc(500_000));
    linked.client.send(second, "key");
    assert.equal(String((await once(streamOf(linked, "b"), "data"))[0]), "key");
  });

  it("goes on when a stream with much unread is given up", async () => {
    const linked = link();
    const [first = 0, second = 0] = await open(linked, "a", "b");
    linked.client.send(first, Buffer.alloc(2_000_000));
    linked.client.send(second, "key");
    await settle();
    streamOf(linked, "a").destroy();
    assert.equal(String((await once(streamOf(linked, "b"), "data"))[0]), "key");
  });

  it("waits with its writes for a client that does not read", async () => {
    const linked = link();
    await open(linked, "a");
    linked.client.socket.pause();
    const stream = streamOf(linked, "a");
    let written = 0;
    const writing = (async () => {
      for (; written < 100; written++) {
        if (!stream.write(Buffer.alloc(65_536))) await once(stream, "drain");
      }
    })();
    await settle();
    assert.ok(written < 10, `${written} were written`);
    linked.client.socket.resume();
    await writing;
  });

  it("no longer reads from a client that asks without taking the answers", async () => {
    const linked = link();
    await open(linked, "a");
    linked.client.socket.pause();
    const pings = Buffer.concat(
      Array.from({ length: 4_000 }, (_, index) => linked.client.write.ping(index * 2 + 1)),
    );
    let taken = 0;
    for (; taken < 200; taken++) {
      const isRead = linked.client.socket.write(pings);
      if (isRead) continue;
      await settle();
      if (linked.client.socket.writableNeedDrain) break;
    }
    assert.ok(
      taken * pings.length < 3 * 1_048_576,
      `${taken * pings.length} bytes of pings were read`,
    );
    linked.client.socket.resume();
    await once(linked.client.socket, "drain");
  });

  it("sends a client that counts no more than it allows", async () => {
    const linked = link();
    linked.client.socket.write(linked.client.write.settings(1_000));
    const [id = 0] = await open(linked, "a");
    streamOf(linked, "a").write(Buffer.alloc(5_000));
    await settle();
    assert.equal(linked.client.received(id).length, 1_000);
    linked.client.socket.write(linked.client.write.windowUpdate(id, 500));
    await settle();
    assert.equal(linked.client.received(id).length, 1_500);
    linked.client.socket.write(linked.client.write.windowUpdate(id, 100_000));
    await settle();
    assert.equal(linked.client.received(id).length, 5_000);
  });

  it("sends a client that does not count as much as it takes", async () => {
    const linked = link();
    const [id = 0] = await open(linked, "a");
    streamOf(linked, "a").end(Buffer.alloc(1_000_000));
    assert.equal((await linked.client.ended(id)).length, 1_000_000);
  });

  it("gives credit for what was read, not for what waits", async () => {
    const linked = link();
    const [id = 0] = await open(linked, "a");
    linked.client.send(id, Buffer.alloc(200_000));
    await settle();
    const credit = (streamId: number): number =>
      linked.client.frames.reduce(
        (sum, frame) =>
          frame.type === "windowUpdate" && frame.streamId === streamId ? sum + frame.delta : sum,
        0,
      );
    assert.equal(credit(id), 0);
    streamOf(linked, "a").resume();
    await settle();
    assert.ok(credit(id) > 150_000 && credit(id) <= 200_000, `${credit(id)}`);
    assert.ok(credit(0) > 150_000 && credit(0) <= 200_000, `${credit(0)}`);
  });

  it("answers pings and sends its own", async () => {
    const linked = link();
    linked.client.socket.write(linked.client.write.ping(5));
    await linked.client.frame((frame) => frame.type === "ping" && frame.id === 5);
    await linked.clock.step(10_000);
    await linked.client.frame((frame) => frame.type === "ping" && frame.id === 2);
    await linked.clock.step(10_000);
    await linked.client.frame((frame) => frame.type === "ping" && frame.id === 4);
  });

  it("resets a stream that is not wanted, and one whose number was used", async () => {
    const linked = link();
    assert.equal(await linked.client.reset(linked.client.open({ name: "unwanted" })), 5);
    linked.client.socket.write(linked.client.write.synStream(1, new Map([["name", "again"]])));
    await linked.client.frame((frame) => frame.type === "rstStream" && frame.status === 1);
    assert.equal(linked.streams.size, 0);
  });

  it("refuses streams beyond what it can carry", async () => {
    const linked = link();
    for (let i = 0; i < 2_001; i++) linked.client.open({ name: `${i}` });
    await linked.client.frame((frame) => frame.type === "rstStream" && frame.status === 3);
    assert.equal(linked.streams.size, 2_000);
  });

  it("leaves alone what comes for streams that there are not", async () => {
    const linked = link();
    linked.client.send(99, Buffer.alloc(3_000_000));
    linked.client.socket.write(linked.client.write.rstStream(99, 5));
    linked.client.socket.write(linked.client.write.windowUpdate(99, 5));
    await open(linked, "a");
  });

  it("tells a stream that the client reset it", async () => {
    const linked = link();
    const [id = 0] = await open(linked, "a");
    const stream = streamOf(linked, "a");
    linked.client.socket.write(linked.client.write.rstStream(id, 5));
    await once(stream, "close");
    assert.equal(stream.isResetByClient, true);
    await settle();
    assert.ok(!linked.client.frames.some((frame) => frame.type === "rstStream"));
  });

  it("resets a stream that is destroyed here, unless its end was sent", async () => {
    const linked = link();
    const [first = 0, second = 0] = await open(linked, "a", "b");
    streamOf(linked, "b").end();
    await linked.client.ended(second);
    streamOf(linked, "b").destroy();
    streamOf(linked, "a").destroy();
    assert.equal(await linked.client.reset(first), 5);
    assert.ok(
      !linked.client.frames.some((one) => one.type === "rstStream" && one.streamId === second),
    );
  });

  it("ends everything when the client says good-bye", async () => {
    const linked = link();
    await open(linked, "a");
    const isGone = once(linked.connection.signal, "abort");
    linked.client.socket.write(linked.client.write.goAway(0, 0));
    await isGone;
    await linked.connection.closed;
    assert.ok(streamOf(linked, "a").destroyed);
    assert.equal(linked.clock.waiting, 0);
  });

  it("ends everything when the client is cut off", async () => {
    const linked = link();
    await open(linked, "a");
    linked.client.socket.destroy();
    await linked.connection.closed;
    assert.ok(linked.connection.signal.aborted);
    assert.ok(streamOf(linked, "a").destroyed);
    assert.equal(linked.clock.waiting, 0);
  });

  it("says good-bye with an error to a client that breaks the protocol, and closes", async () => {
    const linked = link();
    await open(linked, "a");
    linked.client.socket.write(Buffer.from("800300630000000100", "hex"));
    await linked.client.frame((frame) => frame.type === "goAway");
    assert.match(String(linked.connection.signal.reason), /invalid control frame/);
    linked.client.socket.end();
    await linked.clock.step(10_000);
    await linked.connection.closed;
    assert.equal(linked.clock.waiting, 0);
  });

  it("cuts off a client that does not take the good-bye", async () => {
    const linked = link();
    linked.client.socket.pause();
    linked.connection.close();
    await settle();
    await linked.clock.step(10_000);
    await linked.connection.closed;
  });
});
