// port-forward with real kubectl: SPDY by 1.20, SPDY inside WebSocket by the newer ones.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { buffer } from "node:stream/consumers";
import { after, before, describe, it } from "node:test";
import { kubectlBinary, kubectlLines } from "../clients/kubectl-binaries.ts";
import { KubectlRun } from "./kubectl-run.ts";
import { writePattern } from "./pattern.ts";
import { PodServer } from "./pod-server.ts";

async function listen(handle: (socket: Socket) => void): Promise<Server> {
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on("error", () => undefined);
    handle(socket);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return server;
}

const portOf = (server: Server): number => (server.address() as AddressInfo).port;

/** What the other end says after it was told `text` and that no more comes. */
async function ask(port: number, text: string): Promise<string> {
  const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
  socket.end(text);
  return (await buffer(socket)).toString();
}

class Forwarded implements Disposable {
  readonly run: KubectlRun;
  readonly ports: readonly number[];

  constructor(run: KubectlRun, ports: readonly number[]) {
    this.run = run;
    this.ports = ports;
  }

  [Symbol.dispose](): void {
    this.run[Symbol.dispose]();
  }
}

for (const line of kubectlLines) {
  const found = await kubectlBinary(line);
  const modes = line === "1.20" ? ["SPDY"] : ["WebSocket", "SPDY"];
  for (const mode of modes) {
    describe(`kubectl ${line} port-forward over ${mode}`, {
      skip: found.ok ? false : found.reason,
    }, () => {
      let server: PodServer;
      let echo: Server;
      let shout: Server;

      before(async () => {
        server = await PodServer.start();
        echo = await listen((socket) => void socket.pipe(socket));
        // Answers only when it has heard everything: the client's half has to be closed by then.
        shout = await listen((socket) => {
          void buffer(socket).then((bytes) => socket.end(bytes.toString().toUpperCase()));
        });
      });
      after(async () => {
        echo.close();
        shout.close();
        await server[Symbol.asyncDispose]();
      });

      async function forward(...targets: readonly number[]): Promise<Forwarded> {
        const run = new KubectlRun(
          {
            kubectl: found.ok ? found.path : "",
            kubeconfig: server.kubeconfig,
            env: mode === "SPDY" ? { KUBECTL_PORT_FORWARD_WEBSOCKETS: "false" } : {},
          },
          ["port-forward", "--address=127.0.0.1", "p", ...targets.map((port) => `:${port}`)],
        );
        const ports: number[] = [];
        for await (const bytes of run.child.stdout.iterator({ destroyOnReturn: false })) {
          for (const [, port] of String(bytes).matchAll(/Forwarding from 127\.0\.0\.1:(\d+)/g)) {
            ports.push(Number(port));
          }
          if (ports.length === targets.length) break;
        }
        run.child.stdout.resume();
        return new Forwarded(run, ports);
      }

      it("closes one half and still hears the answer", async () => {
        using forwarded = await forward(portOf(shout));
        assert.equal(await ask(forwarded.ports[0] ?? 0, "quiet"), "QUIET");
        const expected =
          mode === "SPDY" ? "SPDY/3.1 portforward.k8s.io" : "websocket SPDY/3.1+portforward.k8s.io";
        assert.deepEqual(server.forwards, [expected]);
      });

      it("carries many connections to two ports at once", async () => {
        using forwarded = await forward(portOf(echo), portOf(shout));
        const [first = 0, second = 0] = forwarded.ports;
        const said = await Promise.all(
          Array.from({ length: 20 }, (_, index) =>
            ask(index % 2 === 0 ? first : second, `word ${index}`),
          ),
        );
        assert.deepEqual(
          said,
          said.map((_, index) => (index % 2 === 0 ? `word ${index}` : `WORD ${index}`)),
        );
      });

      it("carries 20 MB there and back, byte for byte", async () => {
        using forwarded = await forward(portOf(echo));
        const port = forwarded.ports[0] ?? 0;
        const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
        const hash = createHash("sha256");
        socket.on("data", (bytes: Buffer) => hash.update(bytes));
        const sent = writePattern(socket, 20);
        await once(socket, "end");
        assert.equal(hash.digest("hex"), await sent);
      });

      it("says which port nobody listens on", async () => {
        const closed = await listen(() => undefined);
        const port = portOf(closed);
        closed.close();
        using forwarded = await forward(port);
        const { stderr } = forwarded.run.child;
        assert.equal(await ask(forwarded.ports[0] ?? 0, "hello"), "");
        let printed = "";
        for await (const bytes of stderr.iterator({ destroyOnReturn: false })) {
          printed += String(bytes);
          if (/an error occurred forwarding .*\n/.test(printed)) break;
        }
        assert.match(
          printed,
          new RegExp(
            `an error occurred forwarding .* error forwarding port ${port} to pod p, uid 0a: connect ECONNREFUSED`,
          ),
        );
      });

      it("goes on when one connection is reset", async () => {
        const resetting = await listen((socket) =>
          socket.once("data", () => socket.resetAndDestroy()),
        );
        using forwarded = await forward(portOf(resetting), portOf(shout));
        const [first = 0, second = 0] = forwarded.ports;
        assert.equal(await ask(first, "x"), "");
        assert.equal(await ask(second, "still there"), "STILL THERE");
        resetting.close();
      });

      it("leaves nothing behind when it is killed", async () => {
        const ends: Promise<unknown>[] = [];
        const waiting = await listen((socket) => {
          ends.push(once(socket, "close"));
          socket.resume().on("end", () => socket.end());
        });
        using forwarded = await forward(portOf(waiting));
        const socket = connect(forwarded.ports[0] ?? 0, "127.0.0.1");
        socket.on("error", () => undefined).write("x");
        await once(waiting, "connection");
        forwarded.run.child.kill("SIGKILL");
        await Promise.all(ends);
        waiting.close();
        assert.equal(ends.length, 1);
      });
    });
  }
}
