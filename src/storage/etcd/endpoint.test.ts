import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { parseEndpoint } from "./endpoint.ts";

describe("parseEndpoint", () => {
  it("reads addresses with and without a scheme", () => {
    for (const [given, tls, url, isSecure] of [
      ["http://127.0.0.1:2379", undefined, "http://127.0.0.1:2379", false],
      ["https://etcd-0.etcd:2379/", undefined, "https://etcd-0.etcd:2379", true],
      ["etcd:2379", undefined, "http://etcd:2379", false],
      ["etcd:2379", {}, "https://etcd:2379", true],
      ["http://[::1]:2379", undefined, "http://[::1]:2379", false],
    ] as const) {
      const address = parseEndpoint(given, tls);
      assert.deepEqual([address.url, address.isSecure], [url, isSecure], given);
      assert.ok(url.endsWith(address.target));
    }
  });

  it("refuses what is no address of a member, by name", () => {
    for (const given of ["", "etcd", "ftp://etcd:21", "http://etcd", "http://etcd:2379/path"]) {
      assert.throws(() => parseEndpoint(given, undefined), new RegExp(`endpoint "${given}"`));
    }
  });

  it("does not send what should be protected by TLS in the clear", () => {
    assert.throws(() => parseEndpoint("http://etcd:2379", {}), /TLS is configured/);
  });
});
