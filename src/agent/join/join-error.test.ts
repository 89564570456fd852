import { equal, match } from "node:assert/strict";
import { describe, it } from "node:test";
import {
  StatusError,
  serviceUnavailable,
  tooManyRequests,
  unauthorized,
} from "../../api/status-error.ts";
import { finalJoinError } from "./join-error.ts";

const attempt = { server: "https://s", nodeName: "n1", tokenId: "abcdef", nowMs: 0 };
const tls = (code: string): Error =>
  new Error("Cannot reach the API server at https://s", {
    cause: Object.assign(new Error(code), { code }),
  });

describe("finalJoinError", () => {
  for (const err of [
    tls("ECONNREFUSED"),
    tls("ENOTFOUND"),
    serviceUnavailable("busy"),
    tooManyRequests("later", 1),
  ]) {
    it(`lets "${err.cause instanceof Error ? err.cause.message : err.message}" be tried again`, () => {
      equal(finalJoinError(err, attempt), undefined);
    });
  }

  const told: readonly (readonly [Error, RegExp])[] = [
    [tls("CERT_NOT_YET_VALID"), /does not hold at 1970-01-01T00:00:00.000Z, .*Set the clock/],
    [tls("CERT_HAS_EXPIRED"), /Set the clock/],
    [tls("ERR_TLS_CERT_ALTNAME_INVALID"), /not for this address/],
    [unauthorized(), /join token "abcdef": it is wrong, over or was deleted/],
    [
      new StatusError({ code: 403, reason: "Forbidden", message: "forbidden: the name is taken" }),
      /^Cannot join https:\/\/s as node "n1": the name is taken$/,
    ],
    [new Error("Cannot trust https://s: it shows"), /: Cannot trust https:\/\/s: it shows$/],
  ];
  for (const [err, words] of told) {
    it(`says ${words}`, () => match(finalJoinError(err, attempt)?.message ?? "", words));
  }
});
