import { deepEqual, equal, throws } from "node:assert/strict";
import { describe, it } from "node:test";
import { decodePlace, encodePlace } from "./continue-token.ts";

describe("continue tokens", () => {
  it("carry a place there and back, also with revisions beyond 2^53", () => {
    for (const revision of [1n, 2n ** 53n + 1n, undefined]) {
      const place = { revision, after: "n/a" };
      deepEqual(decodePlace(encodePlace(place)), place);
    }
  });

  it("have the form of Kubernetes' own", () => {
    const text = Buffer.from(encodePlace({ revision: 763n, after: "csb" }), "base64url").toString();
    equal(text, '{"v":"meta.k8s.io/v1","rv":763,"start":"/csb\\u0000"}');
  });

  const encoded = (text: string): string => Buffer.from(text).toString("base64url");
  const bad: readonly (readonly [string, RegExp])[] = [
    ["garbage", /invalid character '\\u0081' looking for beginning of value/],
    ["", /unexpected end of JSON input/],
    [encoded("{"), /unexpected end of JSON input/],
    [encoded('{"v":"v9","rv":1,"start":"/a"}'), /does not recognize this encoded version/],
    [encoded('{"v":"meta.k8s.io/v1","start":"/a"}'), /incorrect encoded start resourceVersion/],
    [encoded('{"v":"meta.k8s.io/v1","rv":1}'), /encoded start key empty/],
  ];
  for (const [token, message] of bad) {
    it(`are refused when they are ${JSON.stringify(token)}`, () => {
      throws(() => decodePlace(token), message);
    });
  }
});
