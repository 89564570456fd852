import { deepEqual, equal } from "node:assert/strict";
import { describe, it } from "node:test";
import { StatusError } from "../../api/status-error.ts";
import { CaptureLogger } from "../../base/testing/capture-logger.ts";
import { FakeClock } from "../../base/testing/fake-clock.ts";
import type { ApiRequest } from "../../client/api-client.ts";
import { PodEvents } from "./pod-events.ts";

class Scene implements AsyncDisposable {
  readonly clock = new FakeClock();
  readonly logger = new CaptureLogger();
  readonly sent: ApiRequest[] = [];
  failure: Error | undefined;
  readonly events: PodEvents;
  readonly #stop = new AbortController();
  readonly running: Promise<void>;

  constructor() {
    const request = (asked: ApiRequest): Promise<null> => {
      this.sent.push(asked);
      return this.failure === undefined ? Promise.resolve(null) : Promise.reject(this.failure);
    };
    const { clock, logger } = this;
    const pod = { namespace: "shop", name: "web", uid: "u1" };
    this.events = new PodEvents({ client: { request }, pod, clock, logger });
    this.running = this.events.run(this.#stop.signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.running;
  }
}

const event = { type: "Warning", reason: "ConfigRejected", message: "it is bad" } as const;

describe("PodEvents", () => {
  it("records an event on the pod, and the same one not again for a while", async () => {
    await using scene = new Scene();
    scene.events.record(event);
    scene.events.record(event);
    await scene.clock.step(0);
    equal(scene.sent.length, 1);
    equal(scene.sent[0]?.path, "/api/v1/namespaces/shop/events");
    const body: { readonly involvedObject?: object } = scene.sent[0]?.body ?? {};
    const pod = { apiVersion: "v1", kind: "Pod", namespace: "shop", name: "web", uid: "u1" };
    deepEqual(body.involvedObject, pod);
    await scene.clock.step(300_000);
    scene.events.record(event);
    await scene.clock.step(0);
    equal(scene.sent.length, 2);
  });

  it("ends when it may not, and goes on when the server is only away", async () => {
    await using scene = new Scene();
    scene.failure = new Error("no connection");
    scene.events.record(event);
    await scene.clock.step(0);
    const status = { code: 403, reason: "Forbidden", message: "no" };
    scene.failure = Object.assign(Object.create(StatusError.prototype) as StatusError, status);
    scene.events.record({ ...event, message: "it is worse" });
    await scene.running;
    equal(scene.sent.length, 2);
    scene.events.record({ ...event, message: "nobody hears this" });
    equal(scene.sent.length, 2);
  });
});
