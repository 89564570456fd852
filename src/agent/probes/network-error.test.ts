import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { goSeconds } from "./go-seconds.ts";
import { dialFailure, hostAndPort } from "./network-error.ts";

function systemError(code: string, fields: object = {}): Error {
  return Object.assign(new Error(`connect ${code}`), { code, syscall: "connect", ...fields });
}

describe("dialFailure", () => {
  const cases: readonly (readonly [err: unknown, text: string])[] = [
    [systemError("ECONNREFUSED"), "dial tcp web:80: connect: connection refused"],
    [
      systemError("EHOSTUNREACH", { address: "fd00::1" }),
      "dial tcp [fd00::1]:80: connect: no route to host",
    ],
    [systemError("EOTHER"), "dial tcp web:80: connect EOTHER"],
    [systemError("ENOTFOUND", { syscall: "getaddrinfo" }), "dial tcp: lookup web: no such host"],
    [
      new AggregateError([
        systemError("ECONNREFUSED", { address: "::1" }),
        systemError("ECONNREFUSED", { address: "127.0.0.1" }),
      ]),
      "dial tcp [::1]:80: connect: connection refused",
    ],
    ["odd", "dial tcp web:80: odd"],
  ];
  for (const [err, text] of cases) {
    it(`says "${text}"`, () => {
      assert.equal(dialFailure(err, "web", 80), text);
    });
  }
});

describe("hostAndPort", () => {
  it("puts brackets around addresses of IPv6", () => {
    assert.equal(hostAndPort("fd00::1", 80), "[fd00::1]:80");
    assert.equal(hostAndPort("10.0.0.1", 80), "10.0.0.1:80");
  });
});

describe("goSeconds", () => {
  for (const [seconds, text] of [
    [1, "1s"],
    [60, "1m0s"],
    [90, "1m30s"],
    [7200, "2h0m0s"],
  ] as const) {
    it(`writes ${seconds} as ${text}`, () => {
      assert.equal(goSeconds(seconds), text);
    });
  }
});
