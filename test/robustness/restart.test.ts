// What clients notice of a server that is stopped and started again: a clean end, and their place in the watch.

import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { it } from "node:test";
import { pathOf } from "./content.ts";
import { ServerUnderTest } from "./server-under-test.ts";
import { until } from "./shared.ts";
import { Http1Transport, Http2Transport } from "./transport.ts";

const path = pathOf("configmaps", "default");
const transports = [Http1Transport, Http2Transport] as const;

/** Writes one object, and returns its version. */
async function write(server: ServerUnderTest, name: string, text = ""): Promise<number> {
  const body = { metadata: { name }, data: { text } };
  const answer = await server.current.fetch("POST", path, body);
  assert.equal(answer.status, 201, answer.text);
  const { metadata } = JSON.parse(answer.text) as { metadata: { resourceVersion: string } };
  return Number(metadata.resourceVersion);
}

for (const how of ["stop", "kill"] as const) {
  it(`a watch goes on from its version after a ${how}, also when the store is young`, async () => {
    await using server = await ServerUnderTest.start({ flags: [] });
    const version = await write(server, "before");
    await write(server, "after");

    await server.restart(how);

    using transport = new Http1Transport(server.address);
    const lines: string[] = [];
    transport.stream({
      path: `${path}?watch=1&resourceVersion=${version}`,
      onLine: (line) => lines.push(line),
    });
    await until(
      () => lines.length > 0,
      () => "the first event",
    );
    assert.match(lines[0] ?? "", /^{"type":"ADDED","object":{.*"name":"after"/);
  });
}

for (const Transport of transports) {
  it(`a server that stops ends watches cleanly: ${Transport.name}`, async () => {
    await using server = await ServerUnderTest.start({ flags: [] });
    using transport = new Transport(server.address);
    const lines: string[] = [];
    const open = transport.stream({ path: `${path}?watch=1`, onLine: (line) => lines.push(line) });
    await write(server, "a");
    await until(
      () => lines.some((line) => line.includes('"name":"a"')),
      () => "the watch is open",
    );

    await server.current.stop();

    assert.deepEqual(await open.ended, { status: 200, end: "ended" });
  });

  it(`a server stops although a client does not read: ${Transport.name}`, async () => {
    await using server = await ServerUnderTest.start({ flags: [] });
    using transport = new Transport(server.address);
    let count = 0;
    const open = transport.stream({ path: `${path}?watch=1`, onLine: () => count++ });
    await write(server, "first");
    await until(
      () => count > 0,
      () => "the watch is open",
    );
    open.pause();
    for (let i = 0; i < 40; i++) await write(server, `large-${i}`, "x".repeat(500_000));

    await server.current.stop();

    assert.equal(server.current.process.exitCode, 0, server.log);
  });
}

it("a server stops although a client connects and says nothing", async () => {
  await using server = await ServerUnderTest.start({ flags: [] });
  const silent = connect(server.current.port, "127.0.0.1").on("error", () => undefined);
  await once(silent, "connect");

  await server.current.stop();

  assert.equal(server.current.process.exitCode, 0, server.log);
  silent.destroy();
});
