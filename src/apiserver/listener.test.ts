import { equal, match } from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { connect as connectHttp2 } from "node:http2";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { connect, type TLSSocket } from "node:tls";
import { CaptureLogger } from "../base/testing/capture-logger.ts";
import { FakeClock } from "../base/testing/fake-clock.ts";
import type { HttpRequest, HttpResponse } from "./http/answer.ts";
import { Listener } from "./listener.ts";
import { loadCredentials } from "./pki/credentials.ts";

interface Running {
  readonly port: number;
  readonly stop: () => void;
  /** A connection that speaks HTTP/1.1. */
  readonly socket: TLSSocket;
}

async function running(
  t: TestContext,
  handle: (request: HttpRequest, response: HttpResponse) => Promise<void>,
): Promise<Running> {
  const directory = mkdtempSync(join(tmpdir(), "driftless-listener-"));
  const clock = new FakeClock();
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
