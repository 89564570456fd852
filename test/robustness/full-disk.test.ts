// The disk under the server's database fills up. Writes are refused with the reason, everything else goes on, and when
// there is room again the server works without anybody's help.

import assert from "node:assert/strict";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { it } from "node:test";
import { DriftlessServer, type HttpAnswer, readCredentials } from "../support/driftless-server.ts";
import { tmpfs } from "../support/tmpfs.ts";
import { until } from "./shared.ts";
import { Http1Transport } from "./transport.ts";

const MIB = 2 ** 20;
const PATH = "/api/v1/namespaces/default/configmaps";

interface Shown {
  readonly metadata: { readonly name: string; readonly resourceVersion: string };
  readonly data: { readonly text: string };
}

it("G4 a server on a full disk is read-only, says so on /readyz, and recovers by itself", async (t) => {
  using disk = tmpfs("size=16m");
  if (!("path" in disk)) return t.skip(disk.reason);
  const ballast = join(disk.path, "ballast");
  const dataDir = join(disk.path, "data");
  writeFileSync(ballast, Buffer.alloc(6 * MIB));
  let written: ReadonlyMap<string, string>;
  {
    await using server = await DriftlessServer.start({ dataDir });
    const { pid } = server.process;
    using transport = new Http1Transport({
      url: server.url,
      credentials: readCredentials(server.kubeconfig),
    });
    const watched: string[] = [];
    const stream = transport.stream({
      path: `${PATH}?watch=1&resourceVersion=${await versionOf(server)}`,
      onLine: (line) => watched.push(nameIn(line)),
    });

    // To the last page: large objects first, then small ones.
    const large = await fill(server, "large", 1000);
    const small = await fill(server, "small", 20);
    const before = new Map([...large.written, ...small.written]);

    // Read-only, and it says why.
    for (const { status, text } of [large.refusal, small.refusal]) {
      assert.equal(status, 503, text);
      const { reason, message } = JSON.parse(text) as { reason: string; message: string };
      assert.equal(reason, "ServiceUnavailable");
      assert.match(message, /^Cannot write ".*": .*full.*make room/);
    }
    const ready = await server.fetch("GET", "/readyz");
    assert.equal(ready.status, 500);
    assert.match(ready.text, /\[-\]store failed: .*full/);
    assert.equal((await server.fetch("GET", "/livez")).text, "ok");
    // Everything acknowledged is there, and nothing else; watches go on.
    assert.deepEqual(await contents(server), before);
    await until(
      () => watched.length >= before.size,
      () => "the watch has everything",
    );

    rmSync(ballast);

    let health = ready;
    for (const endMs = performance.now() + 30_000; health.status !== 200; ) {
      assert.ok(performance.now() < endMs, `still not ready: ${health.text}`);
      health = await server.fetch("GET", "/readyz");
    }
    const more = await fill(server, "after", 1000);
    assert.ok(more.written.size > 0, more.refusal.text);
    assert.equal(server.process.pid, pid);
    written = new Map([...before, ...more.written]);
    assert.deepEqual(await contents(server), written);
    await until(
      () => watched.length >= written.size,
      () => "the same watch has everything",
    );
    assert.deepEqual(watched.toSorted(), [...written.keys()].toSorted());
    stream.close();
    await server.kill();
  }
  // It is full again, and also that must not keep a server from starting.
  await using server = await DriftlessServer.start({ dataDir });
  assert.deepEqual(await contents(server), written);
  return undefined;
});

interface Filled {
  /** Acknowledged: name and content. */
  readonly written: ReadonlyMap<string, string>;
  readonly refusal: HttpAnswer;
}

/** Writes, several at once, until it is refused. */
async function fill(server: DriftlessServer, prefix: string, words: number): Promise<Filled> {
  const written = new Map<string, string>();
  let refusal: HttpAnswer | undefined;
  for (let round = 0; refusal === undefined; round++) {
    assert.ok(round < 1000, "the disk does not fill up");
    const writes = Array.from({ length: 8 }, async (_, i) => {
      const name = `${prefix}-${round}-${i}`;
      const text = `${name} `.repeat(words);
      const answer = await server.fetch("POST", PATH, { metadata: { name }, data: { text } });
      if (answer.status === 201) written.set(name, text);
      else refusal ??= answer;
    });
    await Promise.all(writes);
  }
  return { written, refusal };
}

async function list(server: DriftlessServer): Promise<{
  readonly items: readonly Shown[];
  readonly metadata: { readonly resourceVersion: string };
}> {
  const answer = await server.fetch("GET", PATH);
  assert.equal(answer.status, 200, answer.text);
  return JSON.parse(answer.text) as Awaited<ReturnType<typeof list>>;
}

async function contents(server: DriftlessServer): Promise<Map<string, string>> {
  const { items } = await list(server);
  return new Map(
    items
      .filter(({ data }) => data?.text !== undefined)
      .map(({ metadata, data }) => [metadata.name, data.text]),
  );
}

async function versionOf(server: DriftlessServer): Promise<string> {
  return (await list(server)).metadata.resourceVersion;
}

function nameIn(line: string): string {
  const { type, object } = JSON.parse(line) as { type: string; object: Shown };
  assert.equal(type, "ADDED", line.slice(0, 500));
  return object.metadata.name;
}
