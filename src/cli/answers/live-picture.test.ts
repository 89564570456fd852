import { equal, ok, rejects } from "node:assert/strict";
import { describe, it } from "node:test";
import { FakeClock } from "../../base/testing/fake-clock.ts";
import type { ApiClient } from "../../client/api-client.ts";
import type { CliContext } from "../cli-context.ts";
import { LivePicture } from "./live-picture.ts";
import type { Picture } from "./picture.ts";

interface Asked {
  readonly path: string;
  readonly signal?: AbortSignal;
}

const first: Picture = {
  pods: [],
  views: [],
  nodes: [],
  replicaSets: [],
  workloads: [],
  versionNow: () => undefined,
  revisionsOf: () => [],
  notes: [],
};

/** Never answers, unless `answer` does. */
function contextOf(answer: (asked: Asked) => object | undefined, asked: Asked[]): CliContext {
  const request = (one: Asked): Promise<object> => {
    asked.push(one);
    const { signal } = one;
    const answered = answer(one);
    if (answered !== undefined) return Promise.resolve(answered);
    return new Promise((_, reject) => {
      signal?.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
    });
  };
  const client = { facts: {}, request, stream: request } as unknown as ApiClient;
  const signal = new AbortController().signal;
  return { client, clock: new FakeClock(), signal } as unknown as CliContext;
}

describe("LivePicture", () => {
  it("ends in time although the server does not answer", async () => {
    const stop = new AbortController();
    const asked: Asked[] = [];
    const context = contextOf(() => undefined, asked);
    const pictures = new LivePicture(context, { namespace: "n" }, first).pictures(stop.signal);
    const next = pictures.next();
    equal(asked.length, 1);
    stop.abort(new Error("late"));
    await rejects(next, /late/);
  });

  it("leaves nothing running when a look fails", async () => {
    const asked: Asked[] = [];
    const context = contextOf(({ path }) => {
      if (path.includes("configviews")) throw new Error("broken");
      return path.includes("limit=1") ? { items: [], metadata: {} } : undefined;
    }, asked);
    const signal = new AbortController().signal;
    const pictures = new LivePicture(context, { namespace: "n" }, first).pictures(signal);
    await rejects(pictures.next(), /broken/);
    ok(asked.length >= 2);
    ok(asked.every((one) => one.signal?.aborted === true));
  });
});
