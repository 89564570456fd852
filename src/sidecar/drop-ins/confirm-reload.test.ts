import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, it } from "node:test";
import { type Clock, systemClock } from "../../base/clock.ts";
import { FakeClock } from "../../base/testing/fake-clock.ts";
import { confirmedReload } from "./confirm-reload.ts";

const { signal: never } = new AbortController();

interface Prometheus {
  isGood: boolean;
  loadedAt: string;
  /** In place of all that. */
  answer?: { readonly status: number; readonly text: string };
}

interface Circumstances {
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  readonly clock?: Clock;
  readonly onAsked?: () => void;
}

const BEFORE = "2026-01-01T00:00:00.000000001Z";
const AFTER = "2026-01-01T00:00:01.5Z";

/** What becomes of a reload: `onTold` is what Prometheus does when it is told. */
async function reloaded(
  state: Prometheus,
  onTold: (state: Prometheus) => void,
  {
    timeoutMs = 30_000,
    signal = never,
    clock = systemClock,
    onAsked = () => {},
  }: Circumstances = {},
): Promise<void> {
  const server = createServer((_, response) => {
    onAsked();
    const { isGood, loadedAt, answer } = state;
    const data = { reloadConfigSuccess: isGood, lastConfigTime: loadedAt };
    const text = JSON.stringify({ status: "success", data });
    response.writeHead(answer?.status ?? 200).end(answer?.text ?? text);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1/status/runtimeinfo`;
  const tell = async (): Promise<void> => {
    onTold(state);
    await Promise.resolve();
  };
  try {
    await confirmedReload({ url, tell, timeoutMs, clock })(signal);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

/** Time passes only while it sleeps between two questions: those take none. */
async function inSleeps(act: (clock: Clock) => Promise<void>): Promise<void> {
  const clock = new FakeClock();
  const done = new AbortController();
  const ended = act(clock).finally(() => done.abort());
  const passing = async (): Promise<void> => {
    // Besides the limit for all of it.
    while (!done.signal.aborted) await clock.step(clock.waiting > 1 ? 10 : 0);
  };
  await Promise.all([ended, passing()]);
}

describe("confirmedReload", () => {
  it("is content when Prometheus has loaded its configuration since", async () => {
    await reloaded({ isGood: true, loadedAt: BEFORE }, (state) => {
      state.loadedAt = AFTER;
    });
  });

  it("is content when a bad configuration was followed by a good one", async () => {
    await reloaded({ isGood: false, loadedAt: BEFORE }, (state) => {
      Object.assign(state, { isGood: true, loadedAt: AFTER });
    });
  });

  it("fails when Prometheus refuses the configuration", async () => {
    const told = (state: Prometheus): void => {
      state.isGood = false;
    };
    const message = "Prometheus refused the configuration";
    await assert.rejects(reloaded({ isGood: true, loadedAt: BEFORE }, told), { message });
  });

  it("fails when nothing happens in time", async () => {
    const message = /^Prometheus did not say within 0.3 s that it has loaded its configuration$/;
    const state = { isGood: true, loadedAt: BEFORE };
    await assert.rejects(
      reloaded(state, () => undefined, { timeoutMs: 300 }),
      { message },
    );
  });

  it("says that it was refused again, when a bad configuration is followed by another", async () => {
    const message = /that it has loaded its configuration; it says that its last try has failed$/;
    const state = { isGood: false, loadedAt: BEFORE };
    await assert.rejects(
      inSleeps((clock) => reloaded(state, () => undefined, { timeoutMs: 300, clock })),
      { message },
    );
  });

  it("asks more than once although there is only a second for it", async () => {
    const state = { isGood: true, loadedAt: BEFORE };
    let asks = 0;
    const onAsked = (): void => {
      // Before it is told, after that, and once more: Prometheus takes a moment.
      if (++asks === 3) state.loadedAt = AFTER;
    };
    await inSleeps((clock) =>
      reloaded(state, () => undefined, { timeoutMs: 1000, clock, onAsked }),
    );
    assert.equal(asks, 3);
  });

  const strange = [
    { answer: { status: 503, text: "" }, why: /: it answered 503$/ },
    { answer: { status: 200, text: "<html>" }, why: /not valid JSON/ },
    {
      answer: { status: 200, text: "null" },
      why: /: it has no reloadConfigSuccess and lastConfig/,
    },
    { answer: { status: 200, text: '{"data":{}}' }, why: /: it has no reloadConfigSuccess and / },
    { answer: { status: 200, text: `"${"x".repeat(2 ** 21)}"` }, why: /: its answer is too long$/ },
  ];
  for (const { answer, why } of strange) {
    it(`tells nobody while its state is not known: ${answer.status} ${answer.text.slice(0, 20)}`, async () => {
      let isTold = false;
      const state = { isGood: true, loadedAt: BEFORE, answer };
      const told = (): void => {
        isTold = true;
      };
      await assert.rejects(reloaded(state, told), (err: Error) => {
        assert.match(
          err.message,
          /^Prometheus' state is not known from 127\.0\.0\.1:\d+\/api\/v1\//,
        );
        assert.match(err.message, why);
        return true;
      });
      assert.equal(isTold, false);
    });
  }

  it("gives up when nobody wants it any more, with the reason for that", async () => {
    const stop = new AbortController();
    const state = { isGood: true, loadedAt: BEFORE };
    const told = (): void => stop.abort(new Error("newer"));
    await assert.rejects(reloaded(state, told, { signal: stop.signal }), { message: "newer" });
  });
});
