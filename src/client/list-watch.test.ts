import { deepEqual } from "node:assert/strict";
import { describe, it } from "node:test";
import { FakeClock } from "../base/testing/fake-clock.ts";
import { ApiClient } from "./api-client.ts";
import { listWatchOf } from "./list-watch.ts";
import { configMaps } from "./testing/fake-client.ts";
import type { Transport } from "./transport.ts";

describe("listWatchOf", () => {
  it("asks for whole objects, or for their metadata alone", async () => {
    const asked: (string | undefined)[] = [];
    const transport: Transport = {
      isConnected: true,
      connections: 1,
      answers: () => Promise.resolve(true),
      send: ({ headers }) => {
        asked.push(headers["accept"]);
        return Promise.resolve({ code: 200, retryAfter: undefined, body: once("{}") });
      },
      close: () => Promise.resolve(),
      [Symbol.dispose]() {},
    };
    const connection = { server: "https://fake", isInsecure: false, namespace: "default" };
    const clock = new FakeClock();
    const client = new ApiClient({ connection, clock, timeoutMs: 1000, transport });
    const { signal } = new AbortController();
    for (const isMetadataOnly of [false, true]) {
      const listWatch = listWatchOf({ client, kind: configMaps, isMetadataOnly });
      await listWatch.list("", signal);
      await listWatch.watch(
        { resourceVersion: "1", timeoutSeconds: 1, sendInitialEvents: false },
        signal,
      );
    }
    deepEqual(asked, [
      "application/json",
      "application/json",
      "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json",
      "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json",
    ]);
  });
});

async function* once(text: string): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(Buffer.from(text));
}
