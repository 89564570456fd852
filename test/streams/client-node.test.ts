// The official JavaScript client, unmodified: exec, attach and port-forward over channels of WebSocket.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { PassThrough, Readable, Writable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { after, before, describe, it } from "node:test";
import { Attach, Exec, KubeConfig, PortForward, type V1Status } from "@kubernetes/client-node";
import { LocalPort, shout } from "./local-port.ts";
import { writePattern } from "./pattern.ts";
import { PodServer } from "./pod-server.ts";

class Screen extends PassThrough {
  rows = 25;
  columns = 80;
}

describe("client-node streams", () => {
  let server: PodServer;
  let config: KubeConfig;

  before(async () => {
    server = await PodServer.start();
    config = new KubeConfig();
    config.loadFromFile(server.kubeconfig);
  });
  after(() => server[Symbol.asyncDispose]());

  interface Run {
    readonly command: readonly string[];
    readonly stdin?: Readable;
    readonly stdout?: Writable;
    readonly stderr?: Writable;
    readonly tty?: boolean;
  }

  async function run({ command, stdin, stdout, stderr, tty = false }: Run): Promise<V1Status> {
    const status = Promise.withResolvers<V1Status>();
    const exec = new Exec(config);
    await exec.exec(
      "default",
      "p",
      "c",
      [...command],
      stdout ?? new PassThrough().resume(),
      tty ? null : (stderr ?? new PassThrough().resume()),
      stdin ?? null,
      tty,
      status.resolve,
    );
    return status.promise;
  }

  it("is given output, errors and the exit code", async () => {
    const [stdout, stderr] = [new PassThrough(), new PassThrough()];
    const command = ["sh", "-c", "echo out; echo err >&2; exit 5"];
    const status = await run({ command, stdout, stderr });
    assert.equal((await buffer(stdout)).toString(), "out\n");
    assert.equal((await buffer(stderr)).toString(), "err\n");
    assert.deepEqual(status, {
      metadata: {},
      status: "Failure",
      message: "command terminated with non-zero exit code: error executing command, exit code 5",
      reason: "NonZeroExitCode",
      details: { causes: [{ reason: "ExitCode", message: "5" }] },
    });
  });

  it("tells the command the end of its input, and passes 100 MB byte for byte", async () => {
    const stdin = new PassThrough();
    const hash = createHash("sha256");
    const stdout = new Writable({
      write(bytes: Buffer, _encoding, done) {
        hash.update(bytes);
        done();
      },
    });
    const sent = writePattern(stdin, 100);
    const status = await run({ command: ["cat"], stdin, stdout });
    assert.deepEqual(status, { metadata: {}, status: "Success" });
    assert.equal(hash.digest("hex"), await sent);
  });

  it("sends the sizes of its terminal", async () => {
    const screen = new Screen();
    const stdin = new PassThrough();
    const index = server.sessions.length;
    const ended = run({ command: ["head", "-c", "1"], stdin, stdout: screen, tty: true });
    const session = await server.session(index);
    await session.sized(1);
    screen.rows = 50;
    screen.emit("resize");
    await session.sized(2);
    stdin.write("x");
    await ended;
    assert.deepEqual(session.sizes, [
      { columns: 80, rows: 25 },
      { columns: 80, rows: 50 },
    ]);
  });

  it("attaches", async () => {
    const [stdin, stdout] = [new PassThrough(), new PassThrough()];
    const ws = await new Attach(config).attach("default", "p", "c", stdout, null, stdin, false);
    stdin.write("hello");
    assert.equal(String((await once(stdout, "data"))[0]), "hello");
    ws.close();
  });

  it("ends the command when it leaves", async () => {
    const index = server.sessions.length;
    const exec = new Exec(config);
    const ws = await exec.exec(
      "default",
      "p",
      "c",
      ["sleep", "1000"],
      new PassThrough(),
      null,
      null,
      false,
    );
    const session = await server.session(index);
    const isGone = once(session.streams.signal, "abort");
    ws.close();
    await isGone;
    await session.ended;
    assert.equal(session.process.signalCode, "SIGKILL");
  });

  it("forwards a port", async () => {
    using local = await LocalPort.listen(shout);
    const [input, output] = [new PassThrough(), new PassThrough()];
    const ws = await new PortForward(config).portForward(
      "default",
      "p",
      [local.port],
      output,
      null,
      input,
    );
    assert.ok(!(typeof ws === "function"));
    input.write("quiet");
    let said = "";
    for await (const bytes of output) {
      said += String(bytes);
      if (said.length >= 5) break;
    }
    assert.equal(said, "QUIET");
    ws.close();
  });

  it("runs 50 commands at once", async () => {
    const outputs = await Promise.all(
      Array.from({ length: 50 }, async (_, index) => {
        const stdout = new PassThrough();
        const stdin = Readable.from([Buffer.from(`session ${index}\n`)]);
        const [status, said] = await Promise.all([
          run({ command: ["sh", "-c", "cat; exit 9"], stdin, stdout }),
          buffer(stdout),
        ]);
        return `${said.toString()}${status.details?.causes?.[0]?.message}`;
      }),
    );
    assert.deepEqual(
      outputs,
      outputs.map((_, index) => `session ${index}\n9`),
    );
  });
});
