import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import { describe, it } from "node:test";
import { type Action, nowhere } from "../authorization.ts";
import type { HttpResponse } from "../http/answer.ts";
import { type FlowRequest, flowAsk } from "./flow-ask.ts";

const list: Action = {
  ...nowhere,
  user: { name: "alice", groups: [] },
  verb: "list",
  isResource: true,
  path: "",
  resource: "pods",
};

function ask(query: string, given: Partial<FlowRequest> = {}): ReturnType<typeof flowAsk> {
  const response = new EventEmitter() as unknown as HttpResponse;
  const request = { action: list, query: new URLSearchParams(query), response, source: "" };
  return flowAsk({ ...request, stored: 350, ...given });
}

describe("flowAsk", () => {
  it("is as wide as what the request goes through", () => {
    assert.equal(ask("").width, 4);
    assert.equal(ask("limit=50").width, 1);
    assert.equal(ask("limit=nonsense").width, 4);
    const action = { ...list, verb: "watch" };
    assert.equal(ask("resourceVersion=7", { action }).width, 1);
    assert.equal(ask("resourceVersion=0", { action }).width, 4);
    assert.equal(ask("resourceVersion=7&sendInitialEvents=true", { action }).width, 4);
  });

  it("takes the client's time limit, and none from a watch", () => {
    assert.equal(ask("timeout=30s").timeoutMs, 30_000);
    assert.equal(ask("timeout=1m30s").timeoutMs, undefined);
    assert.equal(ask("timeout=0s").timeoutMs, undefined);
    assert.equal(ask("timeout=30s", { action: { ...list, verb: "watch" } }).timeoutMs, undefined);
  });

  it("hears the client leave, also if it has left before, until nobody listens", async () => {
    let heard = 0;
    const listen = (response: object): (() => void) =>
      ask("", { response: response as HttpResponse }).onGone(() => heard++);
    const response = new EventEmitter();
    listen(response);
    listen(response)();
    assert.equal(heard, 0);
    response.emit("close");
    assert.equal(heard, 1);
    listen({ destroyed: true });
    listen({ destroyed: true })();
    assert.equal(heard, 1);
    await Promise.resolve();
    assert.equal(heard, 2);
  });

  it("follows the answers of lists, and not those of watches and single objects", () => {
    assert.equal(ask("").isBulky, true);
    assert.equal(ask("", { action: { ...list, verb: "watch" } }).isBulky, false);
    assert.equal(ask("", { action: { ...list, name: "one" } }).isBulky, false);
  });
});
