import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, it } from "node:test";
import { systemClock } from "../../base/clock.ts";
import { confirmedReload } from "./confirm-reload.ts";

const { signal: never } = new AbortController();

interface Prometheus {
  isGood: boolean;
  loadedAt: string;
  /** In place of all that. */
  answer?: { readonly status: number; readonly text: string };
}

const BEFORE = "2026-01-01T00:00:00.000000001Z";
const AFTER = "2026-01-01T00:00:01.5Z";

/** What becomes of a reload: `onTold` is what Prometheus does when it is told. */
async function reloaded(
  state: Prometheus,
  onTold: (state: Prometheus) => void,
  { timeoutMs = 30_000, signal = never } = {},
): Promise<void> {
  const server = createServer((_, response) => {
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
    await confirmedReload({ url, tell, timeoutMs, clock: systemClock })(signal);
  } finally {
    server.closeAllConnections();
    server.close();
  }
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
