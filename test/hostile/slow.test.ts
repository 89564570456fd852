// Clients that take their time, and thousands that only sit there.

import { equal, match, ok } from "node:assert/strict";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { after, before, describe, it } from "node:test";
import { LONG } from "../support/campaign.ts";
import type { DriftlessServer } from "../support/driftless-server.ts";
import { RawConnection } from "./raw-connection.ts";
import { assertUnharmed, rssMib, startVictim } from "./victim.ts";

let server: DriftlessServer;
before(async () => {
  server = await startVictim();
});
after(() => server[Symbol.asyncDispose]());

/** One byte after the other, until the server has enough. */
async function drip(connection: RawConnection, text: string, everyMs: number): Promise<void> {
  connection.write(text);
  const timer = setInterval(() => connection.write("x"), everyMs);
  await connection.closed();
  clearInterval(timer);
}

describe("a connection that never says what it wants", () => {
  it("is closed when TLS does not come about in ten seconds", async () => {
    const socket = connect(server.port, "127.0.0.1");
    socket.on("error", () => undefined);
    const began = performance.now();
    // The beginning of a handshake that never goes on.
    socket.write(Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00]));
    socket.resume();
    await once(socket, "close");
    ok(performance.now() - began < 60_000);
    await assertUnharmed(server);
  });

  it("is closed while it drips its head, or its body", {
    skip: !LONG && "takes a minute",
  }, async () => {
    using head = await RawConnection.open(server, "http/1.1");
    using body = await RawConnection.open(server, "http/1.1");
    using silent = await RawConnection.open(server, "http/1.1");
    const post = "POST /api/v1/namespaces HTTP/1.1\r\nhost: a\r\ncontent-length: 1000\r\n\r\n";
    await Promise.all([
      drip(head, "GET /version HTTP/1.1\r\nx: ", 1000),
      drip(body, post, 1000),
      silent.closed(),
    ]);
    match(head.text, /^HTTP\/1\.1 408 /);
    await assertUnharmed(server);
  });
});

/** Both ends are files here: the client's in this process, the server's in its own. */
const IDLE = LONG ? 10_000 : 2000;
/** Handshakes at a time; all at once would only measure the queue. */
const AT_ONCE = 50;

describe("thousands of connections that do nothing", () => {
  it("take little memory each, and the server answers", async () => {
    await assertUnharmed(server);
    const before = rssMib(server);
    const connections: RawConnection[] = [];
    try {
      for (let i = 0; i < IDLE; i += AT_ONCE) {
        const some = Array.from({ length: AT_ONCE }, (_, j) =>
          RawConnection.open(server, j % 2 === 0 ? "h2" : "http/1.1", { anonymous: true }),
        );
        connections.push(...(await Promise.all(some)));
      }
      const each = ((rssMib(server) - before) * 1024) / connections.length;
      console.log(`${connections.length} idle connections: ${each.toFixed(1)} KiB each`);
      ok(each < 200, `${each} KiB each`);
      await assertUnharmed(server);
    } finally {
      for (const connection of connections) connection[Symbol.dispose]();
    }
  });

  it("that are not even secure take less", async () => {
    const before = rssMib(server);
    const sockets: Socket[] = [];
    try {
      for (let i = 0; i < IDLE; i++) {
        const socket = connect(server.port, "127.0.0.1");
        socket.on("error", () => undefined);
        sockets.push(socket);
        if (i % 100 === 0) await once(socket, "connect");
      }
      await assertUnharmed(server);
      equal(sockets.length, IDLE);
      ok(rssMib(server) - before < IDLE / 5);
    } finally {
      for (const socket of sockets) socket.destroy();
    }
  });
});
