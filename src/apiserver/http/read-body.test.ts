import { equal, match, rejects } from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { connect as connectHttp2, createServer as createHttp2Server } from "node:http2";
import { type AddressInfo, connect, type Socket } from "node:net";
import { describe, it, type TestContext } from "node:test";
import { FakeClock } from "../../base/testing/fake-clock.ts";
import type { HttpRequest, HttpResponse } from "./answer.ts";
import { ByteBudget } from "./byte-budget.ts";
import { ClientGoneError, readBody, type Upload } from "./read-body.ts";

const MiB = 1024 * 1024;

/** The length of what is sent, or the message of the error, is the answer. */
async function answer(request: HttpRequest, response: HttpResponse): Promise<void> {
  const body = await readBody(uploadOf({ request, response })).catch((err: Error) => err.message);
  response.end(`<${typeof body === "string" ? body : body.length}>`);
}

function answering(request: HttpRequest, response: HttpResponse): void {
  void answer(request, response);
}

async function listening(t: TestContext, server: Server): Promise<Socket> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1").setEncoding("utf8");
  t.after(() => {
    socket.destroy();
    server.close();
  });
  return socket;
}

async function told(socket: Socket): Promise<string> {
  let text = "";
  while (!text.includes(">")) text += String((await once(socket, "data"))[0]);
  return text;
}

function uploadOf(
  exchange: Pick<Upload, "request" | "response">,
  clock = new FakeClock(),
  uploads = new ByteBudget({ maxBytes: 10_000_000, maxShare: 1 }),
): Upload {
  const seat = { without: <T>(wait: () => Promise<T>): Promise<T> => wait() };
  return { ...exchange, parts: { clock, uploads }, user: { name: "ann" }, seat };
}

describe("readBody", () => {
  it("answers a chunked body at the limit and then hangs up", async (t) => {
    const socket = await listening(t, createServer(answering));
    socket.write("POST / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n");
    for (let i = 0; i < 4; i++) socket.write(`${MiB.toString(16)}\r\n${"x".repeat(MiB)}\r\n`);
    const ended = once(socket, "end");
    match(await told(socket), /<Request entity too large: limit is 3145728>/);
    await ended;
  });

  it("closes a connection half a second after it refused a body that goes on coming", async (t) => {
    const clock = new FakeClock();
    const server = createServer((request, response) => {
      readBody(uploadOf({ request, response }, clock)).catch((err: Error) => {
        response.end(`<${err.message}>`);
      });
    });
    const socket = await listening(t, server);
    socket.on("error", () => undefined);
    socket.write(`POST / HTTP/1.1\r\nhost: a\r\ncontent-length: ${100 * MiB}\r\n\r\n`);
    match(await told(socket), /<Request entity too large: limit is 3145728>/);
    const closed = once(socket, "close");
    await clock.step(500);
    await closed;
    equal(clock.waiting, 0);
  });

  it("says that the connection ends, so that nobody uses it again", async (t) => {
    const socket = await listening(t, createServer(answering));
    socket.write(`POST / HTTP/1.1\r\nhost: a\r\ncontent-length: ${4 * MiB}\r\n\r\n`);
    match(await told(socket), /\r\nConnection: close\r\n/);
  });

  it("refuses a body that is announced as too large before it comes", async (t) => {
    const socket = await listening(t, createServer(answering));
    socket.write(`POST / HTTP/1.1\r\nhost: a\r\ncontent-length: ${4 * MiB}\r\n\r\n`);
    match(await told(socket), /<Request entity too large: limit is 3145728>/);
  });

  it("rejects when the client leaves in the middle", async (t) => {
    const outcome = Promise.withResolvers<Buffer>();
    const began = Promise.withResolvers<void>();
    const server = createServer((request, response) => {
      outcome.resolve(readBody(uploadOf({ request, response })));
      began.resolve();
    });
    const socket = await listening(t, server);
    const rejected = rejects(outcome.promise, ClientGoneError);
    socket.write("POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 10\r\n\r\nhalf");
    await began.promise;
    socket.destroy();
    await rejected;
  });

  it("ends an HTTP/2 upload that does not go on", async (t) => {
    const clock = new FakeClock();
    const outcome = Promise.withResolvers<unknown>();
    const began = Promise.withResolvers<void>();
    const server = createHttp2Server((request, response) => {
      const upload = { request, response } as unknown as {
        readonly request: HttpRequest;
        readonly response: HttpResponse;
      };
      readBody(uploadOf(upload, clock)).catch(outcome.resolve);
      began.resolve();
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const port = (server.address() as AddressInfo).port;
    const session = connectHttp2(`http://127.0.0.1:${port}`);
    t.after(() => {
      session.destroy();
      server.close();
    });
    const stream = session.request({ ":method": "POST", ":path": "/" });
    stream.on("error", () => undefined);
    const closed = once(stream, "close");
    stream.write("half");
    await began.promise;
    await clock.step(60_000);
    equal((await outcome.promise) instanceof ClientGoneError, true);
    await closed;
    equal(clock.waiting, 0);
  });
});
