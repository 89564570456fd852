import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { HttpRequest } from "../http/answer.ts";
import { sourceIps } from "./source-ips.ts";

function ips(remoteAddress: string, headers: Readonly<Record<string, string>>): readonly string[] {
  return sourceIps({ headers, socket: { remoteAddress } } as unknown as HttpRequest);
}

describe("sourceIps", () => {
  it("tells the connection's address, IPv4 in its own form", () => {
    assert.deepEqual(ips("::ffff:10.0.0.1", {}), ["10.0.0.1"]);
  });

  it("puts those that proxies name before it, in the order of the original", () => {
    const headers = { "x-forwarded-for": "1.1.1.1, junk, 2.2.2.2", "x-real-ip": "3.3.3.3" };
    assert.deepEqual(ips("10.0.0.1", headers), ["1.1.1.1", "2.2.2.2", "3.3.3.3", "10.0.0.1"]);
    assert.deepEqual(ips("2.2.2.2", { "x-forwarded-for": "1.1.1.1,2.2.2.2" }), [
      "1.1.1.1",
      "2.2.2.2",
    ]);
    assert.deepEqual(ips("10.0.0.1", { "x-forwarded-for": "1.1.1.1", "x-real-ip": "1.1.1.1" }), [
      "1.1.1.1",
      "10.0.0.1",
    ]);
  });

  it("takes no list without end, and always tells the connection itself", () => {
    const found = ips("10.0.0.1", { "x-forwarded-for": Array(1000).fill("1.1.1.1").join() });
    assert.equal(found.length, 17);
    assert.equal(found.at(-1), "10.0.0.1");
  });

  it("is empty for a session that has ended", () => {
    const socket = {
      get remoteAddress(): string {
        throw new Error("unbound");
      },
    };
    assert.deepEqual(sourceIps({ headers: {}, socket } as unknown as HttpRequest), []);
  });
});
