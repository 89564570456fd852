import { equal, match } from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { connect as connectHttp2 } from "node:http2";
import { connect as connectTcp } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { connect, type TLSSocket } from "node:tls";
import { CaptureLogger } from "../base/testing/capture-logger.ts";
import { FakeClock } from "../base/testing/fake-clock.ts";
import type { HttpRequest, HttpResponse } from "./http/answer.ts";
import { Listener, type ListenerOptions } from "./listener.ts";
import { loadCredentials } from "./pki/credentials.ts";

interface Running {
  readonly port: number;
  readonly stop: () => void;
  /** A connection that speaks HTTP/1.1. */
  readonly socket: TLSSocket;
}

async function running(
  t: TestContext,
  handle: ListenerOptions["handle"],
  clock = new FakeClock(),
): Promise<Running> {
  const directory = mkdtempSync(join(tmpdir(), "driftless-listener-"));
  const credentials = await loadCredentials({
    directory,
    hosts: ["127.0.0.1"],
    nowMs: clock.now(),
  });
  const listener = new Listener({
    host: "127.0.0.1",
    port: 0,
    credentials,
    clock,
    logger: new CaptureLogger(),
    handle,
    endStreams: () => undefined,
  });
  const stopped = new AbortController();
  const ended = listener.run(stopped.signal);
  const { port } = await listener.ready();
  const socket = connect({ port, host: "127.0.0.1", rejectUnauthorized: false });
  await once(socket, "secureConnect");
  t.after(async () => {
    socket.destroy();
    stopped.abort();
    await ended;
    rmSync(directory, { recursive: true });
  });
  return { port, socket: socket.setEncoding("utf8"), stop: () => stopped.abort() };
}

const ok = async (_: HttpRequest, response: HttpResponse): Promise<void> => {
  response.end("ok");
};

const get = (header = ""): string => `GET / HTTP/1.1\r\nhost: a\r\n${header}\r\n`;
const long = "x".repeat(100 * 1024);

describe("Listener", () => {
  it("takes long headers in HTTP/1.1", async (t) => {
    const { socket } = await running(t, ok);
    socket.write(get(`authorization: ${long}\r\n`));
    match(String((await once(socket, "data"))[0]), /^HTTP\/1\.1 200 OK/);
  });

  it("takes long headers in HTTP/2", async (t) => {
    const { port } = await running(t, ok);
    const session = connectHttp2(`https://127.0.0.1:${port}`, {
      rejectUnauthorized: false,
      maxSendHeaderBlockLength: 1024 * 1024,
    });
    // Node's library takes no single value beyond 64 KiB.
    const part = "x".repeat(40 * 1024);
    const stream = session.request({ ":path": "/", authorization: part, "x-other": part });
    const [headers] = (await once(stream, "response")) as [Record<string, unknown>];
    equal(headers[":status"], 200);
    session.destroy();
  });

  it("answers headers that are too long, instead of hanging up", async (t) => {
    const { socket } = await running(t, ok);
    socket.write(get(`authorization: ${long}${long}${long}\r\n`));
    match(String((await once(socket, "data"))[0]), /^HTTP\/1\.1 431 /);
  });

  it("answers what is no request, instead of hanging up", async (t) => {
    const { socket } = await running(t, ok);
    socket.write("hello\r\n\r\n");
    match(String((await once(socket, "data"))[0]), /^HTTP\/1\.1 400 /);
  });

  it("announces frames in which the longest head has room", async (t) => {
    const { port } = await running(t, ok);
    const session = connectHttp2(`https://127.0.0.1:${port}`, {
      rejectUnauthorized: false,
      maxSendHeaderBlockLength: 1024 * 1024,
    });
    await once(session, "remoteSettings");
    equal(session.remoteSettings.maxFrameSize, 32 * 1024);
    session.destroy();
  });

  it("refuses two hosts, and does not handle the request", async (t) => {
    let handled = 0;
    const { socket } = await running(t, async () => {
      handled++;
    });
    socket.write(get("host: b\r\n"));
    match(String((await once(socket, "data"))[0]), /^HTTP\/1\.1 400 /);
    equal(handled, 0);
  });

  it("hands on the path of a target that is a whole URL", async (t) => {
    const { socket } = await running(t, async (request, response) => {
      response.end(`<${request.url}>`);
    });
    socket.write("GET https://elsewhere/a/b?c=d HTTP/1.1\r\nhost: a\r\n\r\n");
    match(String((await once(socket, "data"))[0]), /<\/a\/b\?c=d>/);
  });

  it("tells a client that asks first to go on only when its body is read", async (t) => {
    const { socket } = await running(t, async (request, response) => {
      if (request.url === "/read")
        await once(
          request.on("data", () => undefined),
          "end",
        );
      response.end("ok");
    });
    const ask = (path: string): string =>
      `POST ${path} HTTP/1.1\r\nhost: a\r\nexpect: 100-continue\r\ncontent-length: 2\r\n\r\n`;
    socket.write(ask("/read"));
    match(String((await once(socket, "data"))[0]), /^HTTP\/1\.1 100 Continue/);
    socket.write("ab");
    match(String((await once(socket, "data"))[0]), /^HTTP\/1\.1 200 /);
    socket.write(ask("/refuse"));
    match(String((await once(socket, "data"))[0]), /^HTTP\/1\.1 200 /);
  });

  it("answers a tunnel with a refusal, instead of hanging up", async (t) => {
    const { socket } = await running(t, ok);
    socket.write("CONNECT a:443 HTTP/1.1\r\nhost: a\r\n\r\n");
    match(String((await once(socket, "data"))[0]), /^HTTP\/1\.1 405 /);
  });

  const upgrade = (path: string): string =>
    `GET ${path} HTTP/1.1\r\nhost: a\r\nconnection: Upgrade\r\nupgrade: echo\r\n\r\n`;

  it("hands out a connection that is upgraded, with what the client has sent already", async (t) => {
    const { socket } = await running(t, async (_, __, wanted) => {
      equal(wanted?.protocol, "echo");
      const connection = await wanted.accept({ connection: "Upgrade", upgrade: "echo" });
      connection.pipe(connection);
    });
    socket.write(`${upgrade("/pods/a/exec?x=1")}early`);
    match(String((await once(socket, "data"))[0]), /^HTTP\/1\.1 101 .*upgrade: echo/is);
    equal((await once(socket, "data"))[0], "early");
    socket.write("late");
    equal((await once(socket, "data"))[0], "late");
  });

  it("answers a request to upgrade like any other if it is refused, and hangs up", async (t) => {
    const { socket } = await running(t, ok);
    socket.write(upgrade("/pods/a/exec"));
    match(String((await once(socket, "data"))[0]), /^HTTP\/1\.1 200 .*connection: close/is);
    await once(socket, "end");
  });

  it("ignores the wish to upgrade where there is nothing to become", async (t) => {
    const { socket } = await running(t, async (_, response, wanted) => {
      equal(wanted, undefined);
      response.end("ok");
    });
    for (let i = 0; i < 2; i++) {
      socket.write(upgrade("/pods"));
      match(String((await once(socket, "data"))[0]), /^HTTP\/1\.1 200 .*ok$/is);
    }
  });

  it("answers a broken body, instead of hanging up, while nothing was answered yet", async (t) => {
    const { socket } = await running(t, async (request, response) => {
      for await (const _ of request);
      response.end("ok");
    });
    socket.write("POST / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n");
    match(String((await once(socket, "data"))[0]), /^HTTP\/1\.1 400 /);
  });

  it("drops an answer that is not taken in a minute and what its size needs", async (t) => {
    const clock = new FakeClock();
    const closed = Promise.withResolvers<void>();
    const handled = Promise.withResolvers<void>();
    const { socket } = await running(
      t,
      async (_, response) => {
        response.on("close", () => closed.resolve());
        response.end(Buffer.alloc(50_000_000));
        handled.resolve();
      },
      clock,
    );
    socket.pause();
    socket.write(get());
    await handled.promise;
    while (clock.waiting === 0) await clock.step(0);
    await clock.step(60_000 + 51_000_000 / 100);
    await closed.promise;
  });

  it("hears that an HTTP/2 client was cut off also when it was just writing to it", async (t) => {
    const clock = new FakeClock();
    const closed = Promise.withResolvers<void>();
    let cutOff = (): void => undefined;
    const { port } = await running(
      t,
      async (_, response) => {
        response.on("close", () => closed.resolve());
        cutOff();
        // Two writes: the first one fails, and it is the second one that Node never ends.
        response.writeHead(200).write("one");
        response.write("two");
      },
      clock,
    );
    const connection = connectTcp(port, "127.0.0.1");
    // As the kernel does for a process that was killed: in one system call, and with no farewell of TLS.
    cutOff = () => connection.resetAndDestroy();
    const socket = connect({
      socket: connection,
      ALPNProtocols: ["h2"],
      rejectUnauthorized: false,
    });
    const session = connectHttp2("https://127.0.0.1", { createConnection: () => socket });
    const asked = session.request({ ":path": "/" });
    for (const one of [connection, socket, session, asked]) one.on("error", () => undefined);
    await once(connection, "close");
    await clock.step(5000);
    await closed.promise;
  });

  it("keeps an HTTP/2 connection whose client is quiet", async (t) => {
    const clock = new FakeClock();
    const { port } = await running(t, ok, clock);
    const session = connectHttp2(`https://127.0.0.1:${port}`, { rejectUnauthorized: false });
    await once(session, "remoteSettings");
    for (let i = 0; i < 10; i++) await clock.step(5000);
    const [headers] = (await once(session.request({ ":path": "/" }), "response")) as [object];
    match(JSON.stringify(headers), /":status":200/);
    session.destroy();
  });

  it("tells HTTP/1.1 clients while it stops that the connection ends", async (t) => {
    const began = Promise.withResolvers<void>();
    const go = Promise.withResolvers<void>();
    const { socket, stop } = await running(t, async (_, response) => {
      began.resolve();
      await go.promise;
      response.end("ok");
    });
    socket.write(get());
    await began.promise;
    stop();
    go.resolve();
    match(String((await once(socket, "data"))[0]), /\r\nConnection: close\r\n/);
  });
});
