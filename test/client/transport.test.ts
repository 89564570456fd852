import { deepEqual, equal, match, ok } from "node:assert/strict";
import { once } from "node:events";
import { constants, type Http2ServerResponse } from "node:http2";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { before, describe, it } from "node:test";
import { setImmediate as afterIo } from "node:timers/promises";
import type { TLSSocket } from "node:tls";
import { describe as describeError } from "../../src/base/errors.ts";
import { CaptureLogger } from "../../src/base/testing/capture-logger.ts";
import { FakeClock } from "../../src/base/testing/fake-clock.ts";
import { tempDir } from "../../src/base/testing/temp-dir.ts";
import { ApiClient } from "../../src/client/api-client.ts";
import { FollowedFile } from "../../src/client/followed-file.ts";
import type { Connection } from "../../src/client/kubeconfig.ts";
import { TestAuthority, TlsServer, Wire } from "./tls-server.ts";

interface UsedClient extends Disposable {
  readonly client: ApiClient;
  readonly clock: FakeClock;
  readonly logger: CaptureLogger;
  /** To connect. */
  readonly failures: () => number;
}

async function until(isDone: () => boolean): Promise<void> {
  while (!isDone()) await afterIo();
}

describe("the client's connections", () => {
  let authority: TestAuthority;
  before(async () => {
    authority = await TestAuthority.create();
  });

  function clientOf(server: string, more: Partial<Connection> = {}): UsedClient {
    const connection: Connection = {
      server,
      authority: authority.certificate,
      isInsecure: false,
      namespace: "default",
      ...more,
    };
    const clock = new FakeClock();
    let failures = 0;
    // Every pause after a failure draws once; 0 makes it as long as it can be.
    const random = { next: (): number => 0 * failures++, uint32: (): number => 0 };
    const logger = new CaptureLogger();
    const client = new ApiClient({ connection, clock, timeoutMs: 600_000, random, logger });
    const dispose = (): void => client[Symbol.dispose]();
    return { client, clock, logger, failures: () => failures, [Symbol.dispose]: dispose };
  }

  const get = (client: ApiClient, path = "/x"): Promise<unknown> =>
    client.request({ method: "GET", path });
  const failureOf = (answer: Promise<unknown>): Promise<string> =>
    answer.then(() => "it worked", describeError);

  it("shares one between requests", async () => {
    using server = await TlsServer.start(authority);
    using used = clientOf(server.url);
    await Promise.all(Array.from({ length: 50 }, () => get(used.client)));
    equal(server.connections, 1);
  });

  it("has the whole of an answer that had come before anybody began to read it", async () => {
    using server = await TlsServer.start(authority);
    using used = clientOf(server.url);
    const closed = Promise.withResolvers<void>();
    server.handle = (request, response) => {
      request.resume();
      response.on("close", closed.resolve);
      response.end("all of it");
    };
    const { signal } = new AbortController();
    const body = await used.client.stream({ method: "POST", path: "/x", body: {}, signal });
    await closed.promise;
    for (let turn = 0; turn < 20; turn++) await afterIo();
    const chunks: Uint8Array[] = [];
    for await (const chunk of body) chunks.push(chunk);
    equal(Buffer.concat(chunks).toString(), "all of it");
  });

  it("opens another when the peer takes no more streams on the first, and no more than are needed", async () => {
    using server = await TlsServer.start(authority, { maxStreams: 5 });
    using used = clientOf(server.url);
    const open: Http2ServerResponse[] = [];
    server.handle = (_, response) => open.push(response);
    const asked = Array.from({ length: 12 }, () => get(used.client));
    await until(() => open.length === 12);
    equal(used.client.connections, 3);
    for (const response of open) response.end("{}");
    await Promise.all(asked);
  });

  it("notices a peer that is gone without a word, by a PING", async () => {
    using server = await TlsServer.start(authority);
    using wire = await Wire.to(server.port);
    using used = clientOf(wire.url);
    server.handle = (_, response) => response.writeHead(200).write("\n");
    const signal = new AbortController().signal;
    const body = await used.client.stream({ method: "GET", path: "/watch", signal });
    const over = failureOf(
      (async () => {
        for await (const _ of body);
      })(),
    );
    wire.silence();
    await used.clock.step(30_000 + 14_999);
    equal(used.client.connections, 1);
    await used.clock.step(1);
    match(await over, /the connection was lost/);
    await until(() => used.client.connections === 0);
  });

  it("hears soon that it was cut off, also when it was just writing", async () => {
    using server = await TlsServer.start(authority);
    using used = clientOf(server.url);
    server.handle = (_, response) => response.writeHead(200).write(Buffer.alloc(200_000));
    const { signal } = new AbortController();
    const body = await used.client.stream({ method: "GET", path: "/watch", signal });
    const asked: Promise<string>[] = [];
    const reading = failureOf(
      (async () => {
        // What came before the reset is read piece by piece. What is written at the first one fails, and what is written at the
        // next one Node never ends.
        for await (const _ of body) {
          server.reset();
          asked.push(failureOf(used.client.request({ method: "POST", path: "/x", body: {} })));
        }
      })(),
    );
    await until(() => asked.length > 1);
    await used.clock.step(5000);
    for (const failed of [reading, ...asked]) match(await failed, /the connection was lost/);
    await until(() => used.client.connections === 0);
  });

  for (const [how, code] of [
    ["the connection", undefined],
    ["the server", constants.NGHTTP2_INTERNAL_ERROR],
    ["a server that is in a hurry", constants.NGHTTP2_CANCEL],
  ] as const) {
    it(`tells a body that ${how} cut off from one that ended`, async () => {
      using server = await TlsServer.start(authority);
      using wire = await Wire.to(server.port);
      using used = clientOf(wire.url);
      const open: Http2ServerResponse[] = [];
      server.handle = (_, response) => {
        response.writeHead(200).write("\n");
        open.push(response);
      };
      const { signal } = new AbortController();
      const body = await used.client.stream({ method: "GET", path: "/watch", signal });
      const reading = (async (): Promise<void> => {
        for await (const _ of body) {
          if (code === undefined) wire.cut();
          else open[0]?.stream.close(code);
        }
      })();
      match(await failureOf(reading), /the connection was lost/);
    });
  }

  it("asks again when the end of an answer is missing, although the server says that nothing is wrong", async () => {
    using server = await TlsServer.start(authority);
    using used = clientOf(server.url);
    let asked = 0;
    server.handle = (_, response) => {
      if (++asked > 1) return response.end('{"a":1}');
      response.writeHead(200, { "content-length": "7" }).write('{"a"');
      return setImmediate(() => response.stream.destroy());
    };
    deepEqual(await get(used.client), { a: 1 });
    equal(asked, 2);
  });

  it("keeps a quiet peer that answers its PINGs", async () => {
    using server = await TlsServer.start(authority);
    using used = clientOf(server.url);
    await get(used.client);
    let pings = 0;
    for (const session of server.sessions) session.on("ping", () => pings++);
    for (const round of [1, 2, 3]) {
      await used.clock.step(30_000);
      await until(() => pings === round);
      await get(used.client); // Its answer comes after the PING's.
      await used.clock.step(0);
    }
    equal(server.connections, 1);
  });

  it("sends what a server did not look at again", async () => {
    using server = await TlsServer.start(authority);
    using used = clientOf(server.url);
    let count = 0;
    server.handle = (_, response) => {
      if (++count === 1) response.stream.close(constants.NGHTTP2_REFUSED_STREAM);
      else response.end("{}");
    };
    deepEqual(await used.client.request({ method: "POST", path: "/x", body: {} }), {});
    equal(count, 2);
  });

  it("goes on over a new one when the server wants to be left", async () => {
    using server = await TlsServer.start(authority);
    using used = clientOf(server.url);
    await get(used.client);
    for (const session of server.sessions) session.close();
    await until(() => used.client.connections === 0);
    await get(used.client);
    equal(server.connections, 2);
  });

  it("speaks HTTP/1.1 with a server that knows nothing else", async () => {
    const { certificate: cert, key } = await authority.issue("old", ["127.0.0.1"]);
    const server = createServer({ cert, key }, (request, response) => {
      response.end(JSON.stringify(request.httpVersion));
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    using used = clientOf(`https://127.0.0.1:${(server.address() as AddressInfo).port}`);
    equal(await get(used.client), "1.1");
    equal(used.client.connections, 0);
    server.close();
  });

  it("knocks once for all who wait, and then less and less often", async () => {
    using server = await TlsServer.start(authority);
    using wire = await Wire.to(server.port);
    wire.isCut = true;
    using used = clientOf(wire.url);
    const stop = new AbortController();
    const streams = Array.from({ length: 20 }, () =>
      failureOf(used.client.stream({ method: "GET", path: "/w", signal: stop.signal })),
    );
    for (const [index, pauseMs] of [100, 200, 400].entries()) {
      await until(() => used.failures() === index + 1);
      equal(wire.connections, index + 1);
      await used.clock.step(pauseMs - 1);
      equal(wire.connections, index + 1);
      await used.clock.step(1);
    }
    await until(() => used.failures() === 4);
    wire.isCut = false;
    await used.clock.step(800);
    deepEqual([...new Set(await Promise.all(streams))], ["it worked"]);
    deepEqual(
      used.logger.records.map(({ message }) => message),
      ["API server cannot be reached", "API server can be reached again"],
    );
    equal(server.connections, 1);
  });

  it("fails at once for a request that does not want to wait", async () => {
    using server = await TlsServer.start(authority);
    using wire = await Wire.to(server.port);
    wire.isCut = true;
    using used = clientOf(wire.url);
    match(await failureOf(get(used.client)), /Cannot reach .*: no connection to 127\.0\.0\.1/);
  });

  it("trusts nobody else, and says why", async () => {
    using server = await TlsServer.start(await TestAuthority.create());
    using used = clientOf(server.url);
    match(await failureOf(get(used.client)), /Cannot reach .*certificate/);
    using careless = clientOf(server.url, { isInsecure: true });
    deepEqual(await get(careless.client), {});
  });

  it("wants the name that it was told in the server's certificate", async () => {
    using server = await TlsServer.start(authority);
    using used = clientOf(server.url, { serverName: "api.test" });
    deepEqual(await get(used.client), {});
    using other = clientOf(server.url, { serverName: "other.test" });
    match(await failureOf(get(other.client)), /Hostname\/IP does not match|altnames/);
  });

  it("shows its new certificate over a new one, and lets watches on the old one go on", async () => {
    using server = await TlsServer.start(authority);
    using directory = tempDir();
    const write = async (name: string): Promise<void> => {
      const { certificate, key } = await authority.issue(name);
      directory.write({ certificate, key });
    };
    await write("first");
    const certificate = new FollowedFile(directory.join("certificate"));
    const key = new FollowedFile(directory.join("key"));
    const followed = { certificate: () => certificate.read(), key: () => key.read() };
    using used = clientOf(server.url, { followed });
    const open: Http2ServerResponse[] = [];
    server.handle = (request, response) => {
      const { subject } = (request.socket as TLSSocket).getPeerCertificate();
      if (request.url === "/watch") open.push(response.writeHead(200));
      else response.end(JSON.stringify(subject.CN));
    };
    const stop = new AbortController();
    const body = await used.client.stream({ method: "GET", path: "/watch", signal: stop.signal });
    equal(await get(used.client), "first");
    await write("second");
    equal(await get(used.client), "second");
    equal(used.client.connections, 2);
    open[0]?.end("still here\n");
    let text = "";
    for await (const chunk of body) text += Buffer.from(chunk).toString();
    equal(text, "still here\n");
    await until(() => used.client.connections === 1);
  });

  it("asks again with the new token when the old one was refused meanwhile", async () => {
    using server = await TlsServer.start(authority);
    using directory = tempDir();
    directory.write({ token: "old" });
    const file = new FollowedFile(directory.join("token"));
    using used = clientOf(server.url, { token: () => file.read() });
    server.handle = (request, response) => {
      directory.write({ token: "newer" });
      const isNew = request.headers.authorization === "Bearer newer";
      response.writeHead(isNew ? 200 : 401).end("{}");
    };
    deepEqual(await get(used.client), {});
  });

  it("is somebody else by the time that a server is back, if its token was renewed meanwhile", async () => {
    using server = await TlsServer.start(authority);
    using wire = await Wire.to(server.port);
    wire.isCut = true;
    let token = "old";
    using used = clientOf(wire.url, { token: () => token });
    const shown: (string | undefined)[] = [];
    server.handle = (request, response) => {
      shown.push(request.headers.authorization);
      response.end("{}");
    };
    const waiting = used.client.request({ method: "GET", path: "/x", isPatient: true });
    await until(() => used.failures() === 1);
    token = "new";
    wire.isCut = false;
    await get(used.client);
    deepEqual(await waiting, {});
    deepEqual(shown, ["Bearer new", "Bearer new"]);
  });

  it("lets watches begin in small groups, and does not wait for ever for one that does not", async () => {
    using server = await TlsServer.start(authority);
    using used = clientOf(server.url);
    let begun = 0;
    server.handle = () => begun++;
    const stop = new AbortController();
    const streams = Array.from({ length: 40 }, () =>
      failureOf(used.client.stream({ method: "GET", path: "/w", signal: stop.signal })),
    );
    await until(() => begun === 32);
    await used.clock.step(999);
    equal(begun, 32);
    await used.clock.step(1);
    await until(() => begun === 40);
    stop.abort();
    await Promise.all(streams);
  });

  it("does not let ever more watches ask a server that hangs", async () => {
    using server = await TlsServer.start(authority);
    using wire = await Wire.to(server.port);
    using used = clientOf(wire.url);
    const asked: string[] = [];
    server.handle = ({ url }) => asked.push(url ?? "");
    const stop = new AbortController();
    const streams = Array.from({ length: 40 }, () =>
      failureOf(used.client.stream({ method: "GET", path: "/w", signal: stop.signal })),
    );
    await until(() => asked.length === 32);
    wire.mute();
    await used.clock.step(10_000);
    // What was sent before it has arrived before it.
    const last = failureOf(
      used.client.request({ method: "GET", path: "/last", signal: stop.signal }),
    );
    await until(() => asked.includes("/last"));
    equal(asked.indexOf("/last"), 32);
    stop.abort();
    await Promise.all([...streams, last]);
  });

  it("closes also when the peer has fallen silent", async () => {
    using server = await TlsServer.start(authority);
    using wire = await Wire.to(server.port);
    using used = clientOf(wire.url);
    server.handle = (_, response) => response.writeHead(200).write("\n");
    const stop = new AbortController();
    const { signal } = stop;
    const body = await used.client.stream({ method: "GET", path: "/watch", signal });
    const over = failureOf(
      (async () => {
        for await (const _ of body);
      })(),
    );
    wire.silence();
    stop.abort(new Error("enough"));
    match(await over, /enough/);
    let isClosed = false;
    const closed = used.client.close().then(() => {
      isClosed = true;
    });
    for (let turn = 0; turn < 20; turn++) await afterIo();
    equal(isClosed, false);
    await used.clock.step(1000);
    await closed;
  });

  it("closes when what runs is over, and takes nothing more", async () => {
    using server = await TlsServer.start(authority);
    using used = clientOf(server.url);
    const open: Http2ServerResponse[] = [];
    server.handle = (_, response) => open.push(response);
    const asked = get(used.client);
    await until(() => open.length === 1);
    let isClosed = false;
    const closed = used.client.close().then(() => {
      isClosed = true;
    });
    await afterIo();
    ok(!isClosed);
    match(await failureOf(get(used.client)), /the client is closed/);
    open[0]?.end("{}");
    deepEqual(await asked, {});
    await closed;
  });

  it("ends with the caller's reason, and the server hears of it", async () => {
    using server = await TlsServer.start(authority);
    using used = clientOf(server.url);
    const gone = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    server.handle = (request) => {
      request.stream.on("close", () => gone.resolve());
      begun.resolve();
    };
    const stop = new AbortController();
    const { signal } = stop;
    const asked = failureOf(used.client.request({ method: "GET", path: "/x", signal }));
    await begun.promise;
    stop.abort(new Error("had enough"));
    equal(await asked, "had enough");
    await gone.promise;
    deepEqual(used.client.connections, 1);
  });
});
