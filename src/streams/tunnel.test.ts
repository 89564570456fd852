import { equal, ok, rejects } from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer as createHttpServer, request } from "node:http";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { buffer } from "node:stream/consumers";
import { describe, it, type TestContext } from "node:test";
import { connect as connectTls, createServer as createTlsServer, type TLSSocket } from "node:tls";
import { FakeClock } from "../base/testing/fake-clock.ts";
import { serveTunnel, Tunnel, TunnelError } from "./tunnel.ts";

/** TLS with a key that both know: it needs no certificates. */
async function secured(near: Socket, far: Socket): Promise<readonly [TLSSocket, TLSSocket]> {
  const psk = Buffer.alloc(32, 1);
  const both = { ciphers: "PSK", maxVersion: "TLSv1.2" } as const;
  const server = createTlsServer({ ...both, pskCallback: () => psk });
  const accepted = once(server, "secureConnection");
  server.emit("connection", far);
  const one = connectTls({
    ...both,
    socket: near,
    pskCallback: () => ({ psk, identity: "node" }),
    checkServerIdentity: () => undefined,
  });
  const [other] = (await accepted) as [TLSSocket];
  return [one, other];
}

interface Ends {
  readonly tunnel: Tunnel;
  readonly clock: FakeClock;
  /** Under the tunnel, at the node. */
  readonly nodeSocket: Socket;
  /** On the way. */
  readonly between: readonly Socket[];
  readonly served: Promise<void>;
  readonly stop: AbortController;
}

async function socketPair(): Promise<readonly [Socket, Socket]> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const accepted = once(server, "connection");
  const one = connect((server.address() as AddressInfo).port, "127.0.0.1");
  const [other] = (await accepted) as [Socket];
  server.close();
  return [one, other];
}

/** A tunnel over real sockets, with somebody on the way. */
async function tunnelTo(t: TestContext, onConnection: (one: Duplex) => void): Promise<Ends> {
  const clock = new FakeClock();
  const [nodeSocket, near] = await socketPair();
  const [far, socket] = await socketPair();
  const between = [near, far];
  near.pipe(far).pipe(near);
  for (const one of between) one.on("error", () => undefined);
  near.on("close", () => far.destroy());
  const stop = new AbortController();
  const served = serveTunnel(nodeSocket, { clock, onConnection }, stop.signal);
  const tunnel = Tunnel.over(socket, { clock });
  t.after(() => {
    stop.abort();
    tunnel.close();
    for (const one of [socket, nodeSocket, ...between]) one.destroy();
  });
  return { tunnel, clock, nodeSocket, between, served, stop };
}

describe("Tunnel", () => {
  it("carries bytes both ways, and the end of each way", async (t) => {
    const { tunnel } = await tunnelTo(t, (one) => one.pipe(one));
    const pipe = await tunnel.dial();
    const bytes = randomBytes(5_000_000);
    pipe.end(bytes);
    equal(hash(await buffer(pipe)), hash(bytes));
  });

  it("lets one way go on after the other has ended", async (t) => {
    const { tunnel } = await tunnelTo(t, (one) => {
      one.resume().once("end", () => one.end("after the end"));
    });
    const pipe = await tunnel.dial();
    pipe.end("before");
    equal((await buffer(pipe)).toString(), "after the end");
  });

  it("carries HTTP to a server of the node, with many requests at once", async (t) => {
    const http = createHttpServer((asked, answer) => answer.end(`you asked ${asked.url}`));
    const { tunnel } = await tunnelTo(t, (one) => http.emit("connection", one));
    const answers = await Promise.all(
      Array.from({ length: 50 }, async (_, i) => {
        const pipe = await tunnel.dial();
        const sent = request({ path: `/${i}`, createConnection: () => pipe as Socket }).end();
        const [response] = (await once(sent, "response")) as [Duplex];
        return (await buffer(response)).toString();
      }),
    );
    answers.forEach((text, i) => {
      equal(text, `you asked /${i}`);
    });
  });

  it("makes a writer wait for a reader that is slow, and holds up nobody else", async (t) => {
    const taken: Duplex[] = [];
    const { tunnel } = await tunnelTo(t, (one) => taken.push(one));
    const slow = await tunnel.dial();
    const piece = Buffer.alloc(64 * 1024);
    let written = 0;
    while (slow.write(piece) && written < 100_000_000) written += piece.length;
    // What the windows hold goes out; then nothing does.
    const drained = once(slow, "drain").then(() => "drained");
    slow.write(Buffer.alloc(4_000_000));
    const other = await tunnel.dial();
    other.end("hello");
    const [, reader] = taken;
    ok(reader !== undefined);
    equal((await buffer(reader)).toString(), "hello");
    taken[0]?.resume();
    equal(await drained, "drained");
  });

  it("is closed at both ends when the connection breaks, and its pipes end", async (t) => {
    const { tunnel, nodeSocket, served } = await tunnelTo(t, () => undefined);
    const pipe = await tunnel.dial();
    const closed = once(pipe, "close");
    nodeSocket.destroy();
    await Promise.all([tunnel.closed, served, closed]);
    equal(tunnel.isOpen, false);
    await rejects(tunnel.dial(), TunnelError);
  });

  it("is closed at both ends when the node stops", async (t) => {
    const { tunnel, served, stop } = await tunnelTo(t, () => undefined);
    await tunnel.dial();
    stop.abort();
    await Promise.all([tunnel.closed, served]);
  });

  it("is given up at both ends when the other one does not answer any more", async (t) => {
    const { tunnel, clock, between, served } = await tunnelTo(t, () => undefined);
    await tunnel.dial();
    for (const one of between) one.unpipe().pause(); // Nothing gets through, and nobody hears of it.
    await clock.step(15_000);
    await clock.step(10_000);
    await Promise.all([tunnel.closed, served]);
  });

  it("is closed when the other end was cut off just while something was written to it", async (t) => {
    const clock = new FakeClock();
    const [nodeTcp, tcp] = await socketPair();
    const [nodeSocket, socket] = await secured(nodeTcp, tcp);
    for (const one of [socket, tcp]) one.on("error", () => undefined);
    t.after(() => nodeTcp.destroy());
    const onConnection = (pipe: Duplex): void => {
      tcp.resetAndDestroy();
      // Two writes: the first one fails, and it is the second one that Node never ends.
      pipe.write("one");
      pipe.write("two");
    };
    const served = serveTunnel(nodeSocket, { clock, onConnection }, new AbortController().signal);
    const refused = rejects(Tunnel.over(socket, { clock }).dial(), TunnelError);
    await once(tcp, "close");
    await clock.step(5000);
    await served;
    await clock.step(5000); // What is left of the time for a connection to be taken.
    await refused;
  });

  it("stays open as long as the other end answers", async (t) => {
    const { tunnel, clock } = await tunnelTo(t, (one) => one.pipe(one));
    for (let i = 0; i < 20; i++) {
      await clock.step(15_000);
      // The answer to a ping is behind this on the same connection.
      const pipe = await tunnel.dial();
      pipe.end("still there");
      equal((await buffer(pipe)).toString(), "still there");
    }
    ok(tunnel.isOpen);
  });
});

function hash(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}
