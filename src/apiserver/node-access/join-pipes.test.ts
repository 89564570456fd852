import { equal, ok } from "node:assert/strict";
import { once } from "node:events";
import { type Duplex, duplexPair } from "node:stream";
import { text } from "node:stream/consumers";
import { describe, it } from "node:test";
import { FakeClock } from "../../base/testing/fake-clock.ts";
import { joinPipes } from "./join-pipes.ts";

interface Joined {
  readonly client: Duplex;
  readonly node: Duplex;
  readonly done: Promise<void>;
}

/** The outer ends; `before` is done to the inner ones. */
async function join(before: (client: Duplex, node: Duplex) => unknown): Promise<Joined> {
  const [client, nearClient] = duplexPair();
  const [node, nearNode] = duplexPair();
  for (const one of [client, node]) one.on("error", () => undefined);
  nearClient.on("close", () => client.destroy());
  nearNode.on("close", () => node.destroy());
  await before(nearClient, nearNode);
  const { signal } = new AbortController();
  const done = joinPipes(nearClient, nearNode, { clock: new FakeClock(), signal });
  return { client, node, done };
}

async function isClosed(one: Duplex): Promise<boolean> {
  if (!one.closed) await once(one, "close");
  return one.destroyed;
}

async function gone(one: Duplex): Promise<void> {
  one.destroy();
  await once(one, "close");
}

describe("joinPipes", () => {
  it("carries both ways, and ends the client's side after all that the node sent", async () => {
    const { client, node, done } = await join(() => undefined);
    client.write("question");
    equal(String((await once(node, "data"))[0]), "question");
    node.end("answer");
    equal(await text(client), "answer");
    client.end();
    node.destroy();
    await done;
  });

  it("lets go of the node if the client is gone before it begins", async () => {
    const { node, done } = await join((client) => gone(client));
    await done;
    ok(await isClosed(node));
  });

  it("lets go of the client if the node is gone before it begins", async () => {
    const { client, done } = await join((_, node) => gone(node));
    await done;
    ok(await isClosed(client));
  });
});
