// HTTP/2 as an attacker speaks it: floods that cost the server more than the client, frames that are not allowed, and
// answers that nobody takes.

import { equal, ok } from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:http2";
import { after, afterEach, before, describe, it } from "node:test";
import { type DriftlessServer, readCredentials } from "../support/driftless-server.ts";
import {
  END_HEADERS,
  END_STREAM,
  type FrameOptions,
  frame,
  frameTypes,
  headerBlock,
  RawHttp2,
  requestHeaders,
  uint32,
} from "./raw-http2.ts";
import { assertUnharmed, rssMib, startVictim } from "./victim.ts";

let server: DriftlessServer;
before(async () => {
  server = await startVictim();
});
after(() => server[Symbol.asyncDispose]());
afterEach(() => assertUnharmed(server));

const whole = END_STREAM | END_HEADERS;
const request = (more: [string, string][] = []): FrameOptions => ({
  type: frameTypes.headers,
  flags: whole,
  stream: 1,
  payload: requestHeaders("/version", { more }),
});

/** Sends until the server has had enough. */
async function flood(
  http2: RawHttp2,
  limit: number,
  frames: (i: number) => readonly FrameOptions[],
): Promise<void> {
  for (let i = 0; i < limit; i += 100) {
    const some = Array.from({ length: 100 }, (_, j) => frames(i + j)).flat();
    await http2.connection.writeAll(Buffer.concat(some.map(frame)));
    if (http2.connection.isClosed) return;
  }
}

/** Far more than any client sends, far less than what would hurt. */
const PATIENCE = 50_000;

const floods: Readonly<Record<string, (i: number) => readonly FrameOptions[]>> = {
  "requests that are taken back at once (CVE-2023-44487)": (i) => [
    { ...request(), stream: 1 + 2 * i, payload: requestHeaders("/api/v1/namespaces") },
    { type: frameTypes.reset, stream: 1 + 2 * i, payload: uint32(8) },
  ],
  "headers that go on and on (CVE-2024-27316)": (i) => [
    i === 0
      ? { ...request(), flags: END_STREAM }
      : { type: frameTypes.continuation, stream: 1, payload: headerBlock([["x", "y"]]) },
  ],
  "headers that go on and on with nothing": (i) => [
    i === 0 ? { ...request(), flags: END_STREAM } : { type: frameTypes.continuation, stream: 1 },
  ],
  settings: () => [{ type: frameTypes.settings }],
  pings: () => [{ type: frameTypes.ping, payload: new Uint8Array(8) }],
  priorities: (i) => [
    { type: frameTypes.priority, stream: 1 + 2 * i, payload: Buffer.from([0, 0, 0, 0, 1]) },
  ],
  "frames of a body with nothing in them": (i) => [
    i === 0
      ? {
          type: frameTypes.headers,
          flags: END_HEADERS,
          stream: 1,
          payload: requestHeaders("/api/v1/namespaces", { method: "POST" }),
        }
      : { type: frameTypes.data, stream: 1 },
  ],
};

describe("a flood over HTTP/2", () => {
  for (const [what, frames] of Object.entries(floods)) {
    it(`ends the connection: ${what}`, async () => {
      using http2 = await RawHttp2.open(server);
      const before = rssMib(server);
      await flood(http2, PATIENCE, frames);
      await http2.connection.closed();
      ok(rssMib(server) - before < 200);
    });
  }

  it("of pings whose answers are not read ends the connection", async () => {
    using http2 = await RawHttp2.open(server);
    http2.connection.socket.pause();
    const pings = Buffer.concat(
      Array.from({ length: 20_000 }, () =>
        frame({ type: frameTypes.ping, payload: new Uint8Array(8) }),
      ),
    );
    http2.connection.write(pings);
    await assertUnharmed(server);
    http2.connection.socket.resume();
    await http2.connection.closed();
  });
});

/** By what they are; the number is the code of the error: 1 protocol, 3 flow control, 6 frame size, 9 compression. */
const forbidden: Readonly<Record<string, readonly [number, readonly FrameOptions[]]>> = {
  "a window beyond all numbers": [
    3,
    [{ type: frameTypes.windowUpdate, payload: uint32(0x7f_ff_ff_ff) }],
  ],
  "a window that opens by nothing": [1, [{ type: frameTypes.windowUpdate, payload: uint32(0) }]],
  "a promise of a client": [
    1,
    [{ type: frameTypes.pushPromise, stream: 1, flags: 4, payload: new Uint8Array(10) }],
  ],
  "a stream with an even number": [1, [{ ...request(), stream: 2 }]],
  "data for a stream that does not exist": [1, [{ type: frameTypes.data, stream: 5 }]],
  "headers that cannot be decompressed": [9, [{ ...request(), payload: Buffer.alloc(5, 0xff) }]],
  "a frame that is too large": [6, [{ type: frameTypes.data, payload: Buffer.alloc(100_000) }]],
};

describe("a frame that is not allowed", () => {
  for (const [what, [code, frames]] of Object.entries(forbidden)) {
    it(`ends the connection: ${what}`, async () => {
      using http2 = await RawHttp2.open(server);
      for (const each of frames) http2.send(each);
      await http2.connection.closed();
      equal(http2.goAwayCode(), code);
    });
  }
});

const malformed: Readonly<Record<string, readonly FrameOptions[]>> = {
  "no path": [{ ...request(), payload: headerBlock([[":method", "GET"]]) }],
  "a header in upper case": [request([["X-A", "b"]])],
  "a header of HTTP/1.1": [request([["connection", "keep-alive"]])],
  chunks: [request([["transfer-encoding", "chunked"]])],
  "a body of another length": [
    {
      ...request(),
      flags: END_HEADERS,
      payload: requestHeaders("/api/v1/namespaces", {
        method: "POST",
        more: [["content-length", "5"]],
      }),
    },
    { type: frameTypes.data, flags: END_STREAM, stream: 1, payload: Buffer.from("{}") },
  ],
  "more headers than anybody has": [request(Array.from({ length: 3000 }, () => ["x", "y"]))],
};

describe("a request that is not well formed", () => {
  for (const [what, frames] of Object.entries(malformed)) {
    it(`is reset: ${what}`, async () => {
      using http2 = await RawHttp2.open(server);
      for (const each of frames) http2.send(each);
      const reset = await http2.untilFrame(({ type }) => type === frameTypes.reset);
      equal(reset?.stream, 1);
    });
  }
});

/** A request whose head has that many bytes, in frames as large as the server takes. */
async function withHeadOf(bytes: number): Promise<RawHttp2> {
  const http2 = await RawHttp2.open(server);
  const more: [string, string][] = [];
  for (let left = bytes; left > 0; left -= 30_000) {
    more.push([`x-${left}`, "v".repeat(Math.min(left, 30_000))]);
  }
  const block = requestHeaders("/version", { more });
  const size = 32 * 1024;
  for (let at = 0; at < block.length; at += size) {
    const isLast = at + size >= block.length;
    http2.send({
      type: at === 0 ? frameTypes.headers : frameTypes.continuation,
      stream: 1,
      flags: (isLast ? END_HEADERS : 0) | (at === 0 ? END_STREAM : 0),
      payload: block.subarray(at, at + size),
    });
  }
  return http2;
}

describe("a long head over HTTP/2", () => {
  it("of 200 KiB is answered", async () => {
    using http2 = await withHeadOf(200 * 1024);
    const answer = await http2.untilFrame(({ type }) => type === frameTypes.data);
    equal(answer?.stream, 1);
  });

  it("of 280 KiB is refused, and the connection goes on", async () => {
    using http2 = await withHeadOf(280 * 1024);
    const reset = await http2.untilFrame(({ type }) => type === frameTypes.reset);
    equal(reset?.payload.readUInt32BE(), 11); // "Enhance your calm."
    http2.get(3, "/version");
    ok((await http2.untilFrame(({ stream }) => stream === 3)) !== undefined);
  });
});

describe("a body that is too large, over HTTP/2", () => {
  it("is refused while it comes, and the connection goes on", async () => {
    using http2 = await RawHttp2.open(server);
    http2.send({
      type: frameTypes.headers,
      flags: END_HEADERS,
      stream: 1,
      payload: requestHeaders("/api/v1/namespaces", {
        method: "POST",
        more: [["content-length", "10485760"]],
      }),
    });
    const reset = await http2.untilFrame(({ type }) => type === frameTypes.reset);
    equal(reset?.payload.readUInt32BE(), 0);
    const answer = http2
      .frames()
      .find(({ type, stream }) => type === frameTypes.data && stream === 1);
    ok(answer?.payload.toString().includes("limit is 3145728"));
    http2.get(3, "/version");
    ok((await http2.untilFrame(({ stream }) => stream === 3)) !== undefined);
  });
});

describe("a client that does not take its answers", () => {
  it("cannot make the server keep thousands of them", async () => {
    using http2 = await RawHttp2.open(server, [[4, 0]]);
    const before = rssMib(server);
    await flood(http2, 9000, (i) => [
      { ...request(), stream: 1 + 2 * i, payload: requestHeaders("/openapi/v2") },
    ]);
    await http2.connection.closed();
    ok(rssMib(server) - before < 500);
  });

  it("is answered other things on the same connection, while it reads a large list slowly", async () => {
    const path = "/api/v1/namespaces/default/configmaps";
    for (let i = 0; i < 14; i++) {
      const data = { text: "x".repeat(1_000_000) };
      equal((await server.fetch("POST", path, { metadata: { name: `c${i}` }, data })).status, 201);
    }
    const session = connect(server.url, readCredentials(server.kubeconfig));
    const list = session.request({ ":path": path });
    await once(list, "response");
    const small = session.request({ ":path": "/version" });
    const [head] = (await once(small, "response")) as [Record<string, unknown>];
    equal(head[":status"], 200);
    session.destroy();
  });
});

describe("thousands of watches", () => {
  it("on one connection are as many as the server announces, and no more", async () => {
    using http2 = await RawHttp2.open(server);
    const watch = requestHeaders("/api/v1/namespaces?watch=1&timeoutSeconds=30&resourceVersion=1");
    const before = rssMib(server);
    await flood(http2, 12_000, (i) => [{ ...request(), stream: 1 + 2 * i, payload: watch }]);
    await http2.connection.closed();
    const answered = http2.frames().filter(({ type }) => type === frameTypes.headers).length;
    ok(answered <= 10_000, `${answered} were answered`);
    console.log(`10,000 watches: ${(rssMib(server) - before).toFixed(0)} MiB more`);
  });
});
