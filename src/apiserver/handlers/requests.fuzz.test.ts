// What is read of a request before its body: path, types, options, tokens.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { StatusError } from "../../api/status-error.ts";
import { annoyingText, damagedText, fuzz } from "../../api/testing/fuzz.ts";
import { mediaType, representationFor } from "../http/media-type.ts";
import { requestInfo } from "../http/request-info.ts";
import { staticTokens } from "../tokens/static-tokens.ts";
import { decodePlace, encodePlace } from "./continue-token.ts";
import { listOptions } from "./list-options.ts";

const throws = [StatusError];

describe("a request that is damaged", () => {
  it("in its path asks for something or nothing", () => {
    const input = damagedText(
      "/api/v1/namespaces/n/configmaps/a/status",
      "/apis/apps/v1/watch/deployments",
      "/%41//%2f",
    );
    fuzz({
      input,
      throws: [],
      run: (path) => {
        const info = requestInfo(path);
        if (info?.is === "resource") assert.notEqual(info.resource, undefined);
      },
    });
  });

  it("in its types is answered in some form or not at all", () => {
    const input = damagedText(
      "application/json;as=Table;g=meta.k8s.io;v=v1,application/json",
      'application/yaml; q="0"',
      "*/*",
    );
    fuzz({ input, throws, run: (text) => [mediaType(text), representationFor(text)] });
  });

  it("in its options is told so", () => {
    const key = fc.constantFrom(
      "watch",
      "limit",
      "continue",
      "resourceVersion",
      "resourceVersionMatch",
      "timeoutSeconds",
      "sendInitialEvents",
      "allowWatchBookmarks",
    );
    const value = fc.oneof(
      annoyingText,
      fc.constantFrom("1", "true", "Exact", "NotOlderThan", "9".repeat(30)),
    );
    const input = fc.tuple(fc.array(fc.tuple(key, value), { maxLength: 6 }), fc.boolean());
    const run = ([pairs, isWatchPath]: [[string, string][], boolean]): void => {
      const options = listOptions(new URLSearchParams(pairs), isWatchPath);
      assert.ok(Number.isFinite(options.limit) && options.limit >= 0);
      assert.ok(options.timeoutSeconds === undefined || Number.isFinite(options.timeoutSeconds));
    };
    fuzz({ input, throws, run });
  });

  it("in its continue token is told so", () => {
    const text = damagedText(
      '{"v":"meta.k8s.io/v1","rv":5,"start":"/a/b\\u0000"}',
      '{"v":"meta.k8s.io/v1","rv":-1,"start":"c"}',
    );
    const input = fc.oneof(
      annoyingText,
      text.map((json) => Buffer.from(json).toString("base64url")),
    );
    const run = (token: string): void => {
      const place = decodePlace(token);
      assert.deepEqual(decodePlace(encodePlace(place)).revision, place.revision);
    };
    fuzz({ input, throws, run });
  });
});

describe("a damaged file of tokens", () => {
  it("is read or refused with the line", () => {
    const input = damagedText('a,b,c,"d,e"\n# f\ng,h,i\n', '"a""b",c,d');
    const run = (text: string): void => {
      try {
        staticTokens(text);
      } catch (err) {
        assert.match(String(err), /^Error: Cannot read the token file: line \d+ /);
      }
    };
    fuzz({ input, throws: [], run });
  });
});
