import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import { test } from "node:test";
import { hearEarly } from "./early-signals.ts";

const tick = (): Promise<void> => Promise.resolve();

test("hearEarly gives a signal that came too early to the first who listens, once", async () => {
  const source = new EventEmitter();
  hearEarly(source);
  source.emit("SIGTERM", "SIGTERM");
  source.emit("SIGTERM", "SIGTERM");
  const got: string[] = [];
  source.on("SIGTERM", (name: string) => got.push(name));
  await tick();
  source.on("SIGTERM", () => got.push("second"));
  await tick();
  assert.deepEqual(got, ["SIGTERM"]);
});

test("hearEarly gives nobody a signal that did not come", async () => {
  const source = new EventEmitter();
  hearEarly(source);
  source.emit("SIGTERM", "SIGTERM");
  const got: string[] = [];
  source.on("SIGINT", (name: string) => got.push(name));
  await tick();
  assert.deepEqual(got, []);
});

test("hearEarly is out of the way of signals that come in time", async () => {
  const source = new EventEmitter();
  hearEarly(source);
  const got: string[] = [];
  source.on("SIGTERM", (name: string) => got.push(name));
  await tick();
  source.emit("SIGTERM", "SIGTERM");
  assert.deepEqual(got, ["SIGTERM"]);
  assert.equal(source.listenerCount("SIGTERM"), 1);
});
