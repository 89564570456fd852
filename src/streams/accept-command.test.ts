import assert from "node:assert/strict";
import { once } from "node:events";
import { buffer } from "node:stream/consumers";
import { describe, it } from "node:test";
import { WebSocket } from "ws";
import { FakeClock } from "../base/testing/fake-clock.ts";
import { acceptCommand } from "./accept-command.ts";
import type { CommandRequest, CommandStreams } from "./command-streams.ts";
import { maxUnreadBytes } from "./intake.ts";
import { SpdyClient } from "./testing/spdy-client.ts";
import { readHead, UpgradeServer } from "./testing/upgrade-server.ts";
import { UpgradeError } from "./upgrade.ts";

const all: CommandRequest = { hasStdin: true, hasStdout: true, hasStderr: true, hasTty: false };

/** Lets everything that is under way happen. */
async function settle(): Promise<void> {
  for (let i = 0; i < 50; i++) await new FakeClock().step(0);
}

describe("acceptCommand", () => {
  const refused: readonly {
    readonly what: string;
    readonly lines: readonly string[];
    readonly status: number;
    readonly message: RegExp;
  }[] = [
    {
      what: "a protocol that nobody speaks",
      lines: ["Connection: Upgrade", "Upgrade: h2c"],
      status: 400,
      message: /^Upgrade request required$/,
    },
    {
      what: "SPDY without a version",
      lines: ["Connection: Upgrade", "Upgrade: SPDY/3.1"],
      status: 400,
      message:
        /^unable to upgrade: header X-Stream-Protocol-Version does not exist in request with 3 headers$/,
    },
    {
      what: "SPDY with an empty version",
      lines: ["Connection: Upgrade", "Upgrade: SPDY/3.1", "X-Stream-Protocol-Version: ,"],
      status: 400,
      message: /but no valid protocols$/,
    },
    {
      what: "SPDY with versions that nobody speaks",
      lines: ["Connection: Upgrade", "Upgrade: SPDY/3.1", "X-Stream-Protocol-Version: a, b"],
      status: 403,
      message:
        /^unable to upgrade: unable to negotiate protocol: client supports \[a b\], server accepts \[v5.channel.k8s.io v4/,
    },
    {
      what: "WebSocket with a subprotocol that nobody speaks",
      lines: ["Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Protocol: chat"],
      status: 403,
      message:
        /^requested protocol\(s\) are not supported: \[chat\]; supports \[v5.channel.k8s.io /,
    },
    {
      what: "WebSocket without a key",
      lines: ["Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13"],
      status: 400,
      message: /^unable to upgrade: /,
    },
  ];
  for (const { what, lines, status, message } of refused) {
    it(`refuses ${what} and writes nothing`, async () => {
      const { client, upgrade } = await new UpgradeServer().request(...lines);
      await assert.rejects(acceptCommand(upgrade, all, { clock: new FakeClock() }), (err) => {
        assert.ok(err instanceof UpgradeError);
        assert.match(err.message, message);
        assert.equal(err.status, status);
        return true;
      });
      await settle();
      assert.equal(client.read(), null);
      assert.ok(!upgrade.socket.destroyed);
    });
  }
});

describe("acceptCommand over SPDY", () => {
  interface Opened {
    readonly client: SpdyClient;
    readonly streams: Promise<CommandStreams>;
    readonly ids: Readonly<Record<string, number>>;
    readonly clock: FakeClock;
  }

  async function open(
    versions: readonly string[],
    names: readonly string[],
    wanted: CommandRequest = all,
  ): Promise<Opened> {
    const clock = new FakeClock();
    const { client, upgrade } = await new UpgradeServer().request(
      "Connection: Upgrade",
      "Upgrade: SPDY/3.1",
      ...versions.map((version) => `X-Stream-Protocol-Version: ${version}`),
    );
    const streams = acceptCommand(upgrade, wanted, { clock });
    streams.catch(() => undefined);
    const head = await readHead(client);
    assert.match(head, /^HTTP\/1.1 101 Switching Protocols\r\n/);
    assert.match(head, new RegExp(`X-Stream-Protocol-Version: ${versions[0]}\r\n`));
    const spdy = new SpdyClient(client);
    const ids = Object.fromEntries(names.map((name) => [name, spdy.open({ streamtype: name })]));
    return { client: spdy, streams, ids, clock };
  }

  const statuses: Readonly<Record<string, string>> = {
    "v5.channel.k8s.io": '{"metadata":{},"status":"Failure"',
    "v4.channel.k8s.io": '{"metadata":{},"status":"Failure"',
    "v3.channel.k8s.io": "command terminated with non-zero exit code: ",
    "v2.channel.k8s.io": "command terminated with non-zero exit code: ",
    "channel.k8s.io": "command terminated with non-zero exit code: ",
  };
  for (const [version, status] of Object.entries(statuses)) {
    it(`runs a command by ${version}`, async () => {
      const names = ["error", "stdin", "stdout", "stderr"];
      const { client, streams, ids, clock } = await open([version, "other"], names);
      const command = await streams;
      client.send(ids["stdin"] ?? 0, "in", true);
      assert.ok(command.stdin && command.stdout && command.stderr);
      assert.equal((await buffer(command.stdin)).toString(), "in");
      command.stdout.write("out");
      command.stderr.write("err");
      const finished = command.finish({ exitCode: 2 });
      assert.ok((await client.ended(ids["error"] ?? 0)).toString().startsWith(status));
      assert.equal(client.received(ids["stdout"] ?? 0).toString(), "out");
      assert.equal(client.received(ids["stderr"] ?? 0).toString(), "err");
      client.socket.write(client.write.goAway(0, 0));
      await finished;
      assert.equal(command.signal.aborted, false);
      assert.equal(clock.waiting, 0);
    });
  }

  it("tells success before version 4 by saying nothing", async () => {
    const { client, streams, ids } = await open(
      ["v3.channel.k8s.io"],
      ["error", "stdin", "stdout", "stderr"],
    );
    const finished = (await streams).finish({ exitCode: 0 });
    assert.equal((await client.ended(ids["error"] ?? 0)).length, 0);
    client.socket.destroy();
    await finished;
  });

  it("wants a stream for sizes with a terminal, and none for errors", async () => {
    const wanted = { ...all, hasTty: true };
    const { client, streams, ids } = await open(
      ["v4.channel.k8s.io"],
      ["error", "stdin", "stdout"],
      wanted,
    );
    let isReady = false;
    void streams.then(() => (isReady = true));
    await settle();
    assert.equal(isReady, false);
    const id = client.open({ streamtype: "resize" });
    const command = await streams;
    assert.equal(command.stderr, undefined);
    client.send(id, '{"Width":80,"Height":24}{"Width":90,"Hei');
    await settle();
    const sizes: unknown[] = [];
    command.onResize((size) => sizes.push(size));
    client.send(id, 'ght":30}');
    await settle();
    assert.deepEqual(sizes, [
      { columns: 80, rows: 24 },
      { columns: 90, rows: 30 },
    ]);
    assert.ok(ids["error"]);
  });

  it("wants no stream for sizes before version 3", async () => {
    const wanted = { ...all, hasTty: true };
    const { client, streams } = await open(
      ["v2.channel.k8s.io"],
      ["error", "stdin", "stdout"],
      wanted,
    );
    await streams;
    await client.reset(client.open({ streamtype: "resize" }));
  });

  it("resets streams of no known kind, and the second of a kind", async () => {
    const { client } = await open(["v4.channel.k8s.io"], ["error"]);
    assert.equal(await client.reset(client.open({ streamtype: "error" })), 5);
    assert.equal(await client.reset(client.open({ streamtype: "data" })), 5);
    assert.equal(await client.reset(client.open({})), 5);
  });

  it("gives up a client that has not opened its streams within 30 seconds", async () => {
    const { client, streams, clock } = await open(["v4.channel.k8s.io"], ["error", "stdin"]);
    await settle();
    await clock.step(29_000);
    assert.ok(!client.frames.some((frame) => frame.type === "goAway"));
    await clock.step(1_000);
    await assert.rejects(streams, /^Error: timed out waiting for client to create streams$/);
    await client.frame((frame) => frame.type === "goAway");
  });

  it("rejects when the client leaves before it has opened its streams", async () => {
    const { client, streams } = await open(["v4.channel.k8s.io"], ["error"]);
    client.socket.destroy();
    await assert.rejects(streams, /The client closed the connection/);
  });

  it("waits with the end for a client that reads slowly", async () => {
    const { client, streams, ids, clock } = await open(
      ["v4.channel.k8s.io"],
      ["error", "stdin", "stdout", "stderr"],
    );
    const command = await streams;
    client.socket.pause();
    command.stdout?.write(Buffer.alloc(3_000_000));
    const finished = command.finish({ exitCode: 0 });
    await settle();
    await clock.step(200_000);
    client.socket.resume();
    await client.ended(ids["error"] ?? 0);
    assert.equal(client.received(ids["stdout"] ?? 0).length, 3_000_000);
    client.socket.end();
    await finished;
  });

  it("says that the client is gone, and finishing then is no failure", async () => {
    const { client, streams } = await open(
      ["v4.channel.k8s.io"],
      ["error", "stdin", "stdout", "stderr"],
    );
    const command = await streams;
    const isGone = once(command.signal, "abort");
    client.socket.destroy();
    await isGone;
    assert.ok(command.stdin?.destroyed && command.stdout?.destroyed);
    await command.finish({ exitCode: 0 });
  });

  it("cuts the connection when it is disposed", async () => {
    const { client, streams } = await open(
      ["v4.channel.k8s.io"],
      ["error", "stdin", "stdout", "stderr"],
    );
    (await streams)[Symbol.dispose]();
    await once(client.socket, "close");
  });
});

describe("acceptCommand over WebSocket", () => {
  interface Opened {
    readonly ws: WebSocket;
    readonly command: CommandStreams;
    readonly messages: { readonly data: Buffer; readonly isBinary: boolean }[];
    readonly clock: FakeClock;
  }

  async function open(protocols: readonly string[], wanted: CommandRequest = all): Promise<Opened> {
    const clock = new FakeClock();
    const server = new UpgradeServer();
    const upgrade = server.next();
    const ws = new WebSocket("ws://server/exec", [...protocols], {
      createConnection: () => server.connect(),
    });
    ws.on("error", () => undefined);
    const messages: { data: Buffer; isBinary: boolean }[] = [];
    ws.on("message", (data: Buffer, isBinary) => messages.push({ data, isBinary }));
    const isOpen = once(ws, "open");
    const command = await acceptCommand(await upgrade, wanted, { clock });
    await isOpen;
    return { ws, command, messages, clock };
  }

  const on = (channel: number, text: string): Buffer =>
    Buffer.concat([Buffer.from([channel]), Buffer.from(text)]);

  const formats: Readonly<Record<string, "json" | "text">> = {
    "v5.channel.k8s.io": "json",
    "v4.channel.k8s.io": "json",
    "v3.channel.k8s.io": "text",
    "v2.channel.k8s.io": "text",
    "channel.k8s.io": "text",
  };
  for (const [protocol, format] of Object.entries(formats)) {
    it(`runs a command by ${protocol}`, async () => {
      const { ws, command, messages, clock } = await open([protocol]);
      assert.equal(ws.protocol, protocol);
      ws.send(on(0, "in"));
      assert.ok(command.stdin);
      assert.equal(String((await once(command.stdin, "data"))[0]), "in");
      command.stdout?.write("out");
      command.stderr?.write("err");
      const closed = once(ws, "close");
      await command.finish({ exitCode: 2 });
      assert.equal((await closed)[0], 1000);
      const status = messages.pop();
      assert.deepEqual(
        messages.map(({ data }) => data),
        [on(1, ""), on(1, "out"), on(2, "err")],
      );
      const expected =
        format === "json" ? '{"metadata":{},"status":"Failure"' : "command terminated";
      assert.ok(status?.data.toString().startsWith(`\u0003${expected}`));
      assert.ok(messages.every(({ isBinary }) => isBinary));
      assert.equal(command.signal.aborted, false);
      assert.equal(clock.waiting, 0);
    });
  }

  for (const protocol of ["v4.base64.channel.k8s.io", "base64.channel.k8s.io"]) {
    it(`runs a command by ${protocol}, in text`, async () => {
      const { ws, command, messages } = await open([protocol]);
      ws.send(`0${Buffer.from("in").toString("base64")}`);
      assert.ok(command.stdin);
      assert.equal(String((await once(command.stdin, "data"))[0]), "in");
      command.stdout?.write("out");
      await command.finish({ exitCode: 0 });
      assert.deepEqual(
        messages.slice(0, 2).map(({ data }) => data.toString()),
        ["1", `1${Buffer.from("out").toString("base64")}`],
      );
      assert.ok(messages.every(({ isBinary }) => !isBinary));
    });
  }

  it("takes the client's first choice that it knows", async () => {
    const { ws } = await open(["unknown", "v4.channel.k8s.io", "v5.channel.k8s.io"]);
    assert.equal(ws.protocol, "v4.channel.k8s.io");
  });

  it("takes a client that names no protocol for one of version 1", async () => {
    const { command, messages } = await open([]);
    await command.finish({ exitCode: 2 });
    assert.ok(messages.at(-1)?.data.toString().startsWith("\u0003command terminated"));
  });

  it("hears the end of the input by version 5", async () => {
    const { ws, command } = await open(["v5.channel.k8s.io"]);
    ws.send(on(0, "in"));
    ws.send(Buffer.from([255, 0]));
    ws.send(on(0, "too late"));
    assert.ok(command.stdin);
    assert.equal((await buffer(command.stdin)).toString(), "in");
  });

  it("closes the connection of a client that closes a channel that there is not", async () => {
    const { ws, command } = await open(["v5.channel.k8s.io"]);
    const closed = once(ws, "close");
    ws.send(Buffer.from([255, 9]));
    assert.equal((await closed)[0], 1002);
    assert.ok(command.signal.aborted);
  });

  it("leaves alone messages for channels that are not for the client, or that there are not", async () => {
    const { ws, command } = await open(["v4.channel.k8s.io"]);
    for (const channel of [1, 2, 3, 77, 255])
      ws.send(Buffer.concat([Buffer.from([channel]), Buffer.alloc(3_000_000)]));
    ws.send(Buffer.alloc(0));
    ws.send(on(0, "in"));
    assert.ok(command.stdin);
    assert.equal(String((await once(command.stdin, "data"))[0]), "in");
  });

  it("splits what is large into messages that every client takes", async () => {
    const { command, messages } = await open(["v5.channel.k8s.io"]);
    const bytes = Buffer.alloc(300_000, "abcdefg");
    command.stdout?.write(bytes);
    await command.finish({ exitCode: 0 });
    const output = messages.filter(({ data }) => data[0] === 1).map(({ data }) => data.subarray(1));
    assert.ok(output.every((part) => part.length <= 65_536));
    assert.ok(Buffer.concat(output).equals(bytes));
  });

  it("passes on the sizes of the terminal", async () => {
    const { ws, command } = await open(["v5.channel.k8s.io"], { ...all, hasTty: true });
    const size = new Promise((resolve) => command.onResize(resolve));
    ws.send(on(4, '{"Width":80,"Height":24}'));
    assert.deepEqual(await size, { columns: 80, rows: 24 });
  });

  it("reads no more than it may hold when the command does not read", async () => {
    const { ws, command } = await open(["v5.channel.k8s.io"]);
    for (let i = 0; i < 400; i++) ws.send(on(0, "x".repeat(16_384)));
    await settle();
    const left = ws.bufferedAmount;
    assert.ok(left > 400 * 16_384 - 2 * maxUnreadBytes, `${left} bytes are left`);
    let read = 0;
    command.stdin?.on("data", (bytes: Buffer) => (read += bytes.length));
    while (read < 400 * 16_384) await settle();
  });

  it("sends pongs without being asked, for a client whose pings are not read", async () => {
    const { ws, clock } = await open(["v5.channel.k8s.io"]);
    const pong = once(ws, "pong");
    await clock.step(10_000);
    await pong;
  });

  it("answers pings, also when many come at once", async () => {
    const { ws } = await open(["v5.channel.k8s.io"]);
    const pongs: string[] = [];
    ws.on("pong", (data) => pongs.push(data.toString()));
    for (let i = 0; i < 1_000; i++) ws.ping(`${i}`);
    while (!pongs.includes("999")) await settle();
  });

  it("closes the connection of a client that sends a message beyond all measure", async () => {
    const { ws, command } = await open(["v5.channel.k8s.io"]);
    const closed = once(ws, "close");
    ws.send(Buffer.alloc(33 * 1_048_576));
    assert.equal((await closed)[0], 1009);
    assert.ok(command.signal.aborted);
  });

  it("says that the client is gone when it leaves, and when it is cut off", async () => {
    for (const leave of ["close", "terminate"] as const) {
      const { ws, command } = await open(["v5.channel.k8s.io"]);
      const isGone = once(command.signal, "abort");
      ws[leave]();
      await isGone;
      await command.finish({ exitCode: 0 });
    }
  });
});
