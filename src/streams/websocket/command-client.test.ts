import { deepEqual, equal, rejects } from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { PassThrough, Readable } from "node:stream";
import { describe, it } from "node:test";
import { type WebSocket, WebSocketServer } from "ws";
import { FakeClock } from "../../base/testing/fake-clock.ts";
import { CommandClient, type CommandClientOptions, CommandRefusedError } from "./command-client.ts";

/** A server that speaks the protocol that it is told to, or refuses. */
class ExecServer implements Disposable {
  readonly #http = createServer((_, response) => response.writeHead(403).end("no"));
  readonly #sockets: WebSocketServer;

  constructor(protocol: string | undefined) {
    this.#sockets = new WebSocketServer({
      noServer: true,
      handleProtocols: () => protocol ?? false,
    });
    this.#http.on("upgrade", (request, socket, head) => {
      if (protocol === undefined) {
        socket.end("HTTP/1.1 403 Forbidden\r\nContent-Length: 5\r\nConnection: close\r\n\r\nnever");
        return;
      }
      this.#sockets.handleUpgrade(request, socket, head, (ws) =>
        this.#sockets.emit("connection", ws),
      );
    });
  }

  async listen(): Promise<string> {
    await once(this.#http.listen(0, "127.0.0.1"), "listening");
    return `ws://127.0.0.1:${(this.#http.address() as AddressInfo).port}/exec`;
  }

  async client(): Promise<WebSocket> {
    const [ws] = (await once(this.#sockets, "connection")) as [WebSocket];
    return ws;
  }

  [Symbol.dispose](): void {
    for (const ws of this.#sockets.clients) ws.terminate();
    this.#http.close();
    this.#http.closeAllConnections();
  }
}

function options(url: string, parts: Partial<CommandClientOptions> = {}): CommandClientOptions {
  return {
    ...{ url, tls: { rejectUnauthorized: true }, headers: {}, clock: new FakeClock() },
    ...{ stdin: undefined, stdout: new PassThrough(), stderr: new PassThrough() },
    ...parts,
  };
}

const never = new AbortController().signal;

function say(ws: WebSocket, channel: number, text: string): void {
  ws.send(Buffer.concat([Buffer.from([channel]), Buffer.from(text)]));
}

describe("CommandClient", () => {
  it("brings output where it belongs, and then the status", async () => {
    using server = new ExecServer("v5.channel.k8s.io");
    const accepted = server.client();
    const [stdout, stderr] = [new PassThrough(), new PassThrough()];
    const client = await CommandClient.open(
      options(await server.listen(), { stdout, stderr }),
      never,
    );
    const ws = await accepted;
    for (const [channel, text] of [
      [1, "out"],
      [2, "err"],
      [1, ""],
      [9, "?"],
      [3, '{"status":"Success"}'],
    ] as const) {
      say(ws, channel, text);
    }
    ws.close(1000);
    equal(await client.run(never), '{"status":"Success"}');
    deepEqual([String(stdout.read()), String(stderr.read())], ["out", "err"]);
  });

  for (const [protocol, end] of [
    ["v5.channel.k8s.io", ["ff00"]],
    ["v4.channel.k8s.io", []],
  ] as const) {
    it(`sends input and sizes, and with ${protocol} ${end.length === 1 ? "the end" : "no end"} of it`, async () => {
      using server = new ExecServer(protocol);
      const accepted = server.client();
      const stdin = Readable.from([Buffer.from("hi")]);
      const client = await CommandClient.open(options(await server.listen(), { stdin }), never);
      const ws = await accepted;
      const messages: string[] = [];
      ws.on("message", (data: Buffer) => messages.push(data.toString("hex")));
      client.resize({ columns: 80, rows: 24 });
      const ended = once(stdin, "end");
      const run = client.run(never);
      await ended;
      // An answer to a ping comes behind everything that was sent before.
      ws.ping();
      await once(ws, "pong");
      const size = Buffer.from('\u0004{"Width":80,"Height":24}').toString("hex");
      deepEqual(messages, [size, Buffer.from("\0hi").toString("hex"), ...end]);
      ws.close();
      equal(await run, "");
    });
  }

  it("tells what a server says that refuses", async () => {
    using server = new ExecServer(undefined);
    const opened = CommandClient.open(options(await server.listen()), never);
    await rejects(opened, (err) => {
      deepEqual(err instanceof CommandRefusedError && [err.status, err.body], [403, "never"]);
      return true;
    });
  });

  it("gives up a connection on which nothing is heard for a minute", async () => {
    using server = new ExecServer("v5.channel.k8s.io");
    const accepted = server.client();
    const clock = new FakeClock();
    const client = await CommandClient.open(options(await server.listen(), { clock }), never);
    const ws = await accepted;
    ws.pause();
    const run = client.run(never);
    await clock.step(70_000);
    equal(await run, "");
  });

  it("ends with its signal", async () => {
    using server = new ExecServer("v5.channel.k8s.io");
    const stop = new AbortController();
    const client = await CommandClient.open(options(await server.listen()), stop.signal);
    const run = client.run(stop.signal);
    stop.abort();
    await rejects(run, { name: "AbortError" });
  });
});
