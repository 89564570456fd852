// HTTP/1.1 that means two things, or nothing. What is refused is refused by closing the connection, so that nothing of
// it can be taken for a next request.

import { doesNotMatch, equal, match } from "node:assert/strict";
import { after, afterEach, before, describe, it } from "node:test";
import type { DriftlessServer } from "../support/driftless-server.ts";
import { exchange, RawConnection } from "./raw-connection.ts";
import { assertUnharmed, startVictim } from "./victim.ts";

let server: DriftlessServer;
before(async () => {
  server = await startVictim();
});
after(() => server[Symbol.asyncDispose]());
afterEach(() => assertUnharmed(server));

const post = "POST /api/v1/namespaces/default/configmaps HTTP/1.1\r\nhost: a\r\n";
const get = "GET /version HTTP/1.1\r\nhost: a\r\n";
const hidden = "GET /api/v1/secrets HTTP/1.1\r\nhost: a\r\n\r\n";

/** What is sent, by what it is; all of it is answered with 400 and the end of the connection. */
const ambiguous: Readonly<Record<string, string>> = {
  "a length and chunks": `${post}content-length: 6\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n${hidden}`,
  "chunks and a length": `${post}transfer-encoding: chunked\r\ncontent-length: 6\r\n\r\n0\r\n\r\n${hidden}`,
  "chunks, and then not": `${post}transfer-encoding: chunked\r\ntransfer-encoding: x\r\n\r\n0\r\n\r\n${hidden}`,
  "an encoding that is none": `${post}transfer-encoding: identity\r\n\r\n${hidden}`,
  "two lengths": `${post}content-length: 6\r\ncontent-length: 5\r\n\r\n012345${hidden}`,
  "a length with a sign": `${post}content-length: +2\r\n\r\n{}`,
  "a negative length": `${post}content-length: -2\r\n\r\n{}`,
  "a length in hexadecimal": `${post}content-length: 0x2\r\n\r\n{}`,
  "a length beyond all numbers": `${post}content-length: 99999999999999999999\r\n\r\n{}`,
  "a folded header": `${get}x-a: b\r\n transfer-encoding: chunked\r\n\r\n`,
  "lines without CR": "GET /version HTTP/1.1\nhost: a\n\n",
  "a CR inside a header": `${get}x: a\rb: c\r\n\r\n`,
  "a NUL inside a header": `${get}x: a\0b\r\n\r\n`,
  "a blank before the colon": `${get}transfer-encoding : chunked\r\n\r\n`,
  "no host": "GET /version HTTP/1.1\r\n\r\n",
  "two hosts": "GET /version HTTP/1.1\r\nhost: a\r\nhost: b\r\n\r\n",
  "a chunk size that is no number": `${post}transfer-encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n`,
  "a chunk size beyond all numbers": `${post}transfer-encoding: chunked\r\n\r\nfffffffffffffffff\r\n{}\r\n`,
  "HTTP/0.9": "GET /version\r\n\r\n",
  "a version that does not exist": "GET /version HTTP/3.0\r\nhost: a\r\n\r\n",
  "a target without a slash": "GET version HTTP/1.1\r\nhost: a\r\n\r\n",
  "bytes that are no text in the target":
    "GET /api/v1/namespaces/\xff\xfe HTTP/1.1\r\nhost: a\r\n\r\n",
  "a method that does not exist": "FROB /version HTTP/1.1\r\nhost: a\r\n\r\n",
  "a TLS record inside TLS": "\x16\x03\x01\x02\x00\x01",
};

describe("HTTP/1.1 that is ambiguous", () => {
  for (const [what, text] of Object.entries(ambiguous)) {
    it(`is refused, and nothing behind it is answered: ${what}`, async () => {
      using connection = await RawConnection.open(server, "http/1.1");
      connection.write(Buffer.from(text, "latin1"));
      await connection.closed();
      match(connection.text, /^HTTP\/1\.1 400 /);
      doesNotMatch(connection.text, /SecretList/);
      equal(connection.text.match(/HTTP\/1\.1/g)?.length, 1);
    });
  }
});

const long = "x".repeat(400 * 1024);

/** What is answered, by what it is. */
const answered: Readonly<Record<string, readonly [string, RegExp]>> = {
  "a target that is a URL": [
    "GET https://elsewhere/api/v1/namespaces/default HTTP/1.1\r\nhost: a\r\n\r\n",
    /^HTTP\/1\.1 200 [\s\S]*"kind":"Namespace"/,
  ],
  "an asterisk for all of the server": [
    "OPTIONS * HTTP/1.1\r\nhost: a\r\n\r\n",
    /^HTTP\/1\.1 405 /,
  ],
  CONNECT: ["CONNECT a:443 HTTP/1.1\r\nhost: a\r\n\r\n", /^HTTP\/1\.1 405 /],
  "TRACE of a resource": [
    "TRACE /api/v1/namespaces HTTP/1.1\r\nhost: a\r\nx-secret: s\r\n\r\n",
    /^HTTP\/1\.1 405 [\s\S]*"MethodNotAllowed"/,
  ],
  "OPTIONS of a resource": [
    "OPTIONS /api/v1/namespaces HTTP/1.1\r\nhost: a\r\n\r\n",
    /^HTTP\/1\.1 405 [\s\S]*"MethodNotAllowed"/,
  ],
  "HEAD of a resource": ["HEAD /api/v1/namespaces HTTP/1.1\r\nhost: a\r\n\r\n", /^HTTP\/1\.1 405 /],
  "an upgrade to a protocol that we do not speak": [
    `${get}connection: upgrade, http2-settings\r\nupgrade: h2c\r\nhttp2-settings: AAMAAABk\r\n\r\n`,
    /^HTTP\/1\.1 200 /,
  ],
  "an expectation that nobody has": [
    `${post}expect: 200-maybe\r\ncontent-length: 2\r\n\r\n{}`,
    /^HTTP\/1\.1 417 /,
  ],
  "a head that is too long": [`${get}x: ${long}\r\n\r\n`, /^HTTP\/1\.1 431 /],
  "a target that is too long": [`GET /${long} HTTP/1.1\r\nhost: a\r\n\r\n`, /^HTTP\/1\.1 431 /],
  "more headers than anybody has": [`${get}${"a: b\r\n".repeat(50_000)}\r\n`, /^HTTP\/1\.1 431 /],
  "extensions of chunks that never end": [
    `${post}transfer-encoding: chunked\r\n\r\n2;${"a".repeat(200_000)}\r\n{}\r\n0\r\n\r\n`,
    /^HTTP\/1\.1 413 /,
  ],
  "a body that calls itself compressed": [
    `${post}content-type: application/json\r\ncontent-encoding: gzip\r\ncontent-length: 3\r\n\r\n\x1f\x8b\x08`,
    /^HTTP\/1\.1 400 [\s\S]*"BadRequest"/,
  ],
};

describe("HTTP/1.1 that is odd", () => {
  for (const [what, [text, answer]] of Object.entries(answered)) {
    it(`is answered: ${what}`, async () => {
      match(await exchange(server, text), answer);
    });
  }
});

describe("an upgrade", () => {
  it("that does not wait for the answer before it ends the connection, and nothing else", async () => {
    for (const before of [get, "GET /api/v1/configmaps?watch=1 HTTP/1.1\r\nhost: a\r\n"]) {
      using connection = await RawConnection.open(server, "http/1.1", { anonymous: true });
      const path = "/api/v1/namespaces/default/pods/p/exec";
      const upgrade = `GET ${path} HTTP/1.1\r\nhost: a\r\nconnection: upgrade\r\nupgrade: spdy/3.1\r\n\r\n`;
      connection.write(`${before}\r\n${upgrade}`);
      await connection.closed();
      doesNotMatch(connection.text, /HTTP\/1\.1 101/);
    }
  });
});

/** Paths that try to be others. Raw, since libraries would tidy them up. */
const paths: Readonly<Record<string, number>> = {
  "/api/v1/namespaces/%2e%2e": 404,
  "/api/v1/namespaces/../../../metrics": 404,
  "/api/v1/namespaces/default/../kube-system/secrets": 404,
  "/api/v1/namespaces/default%2fsecrets": 404,
  "/api/v1/namespaces/a%00b": 404,
  "/api/v1/namespaces/%zz": 404,
  "/api/v1/namespaces/%ff%fe": 404,
  "/api/v1/namespaces/default%0d%0ax: y": 400,
  "/api/./v1/namespaces": 404,
  "/apis/%2e%2e/v1/namespaces": 404,
  "/__proto__/constructor": 404,
  "/api/v1/__proto__": 404,
  "/apis/constructor/v1/prototype": 404,
  "//api//v1//namespaces//default": 200,
  [`/api/v1/namespaces/${"a/".repeat(50_000)}`]: 404,
  [`/api/v1/namespaces/${"%61".repeat(50_000)}`]: 404,
};

describe("a path", () => {
  for (const [path, code] of Object.entries(paths)) {
    it(`means what it says and nothing else: ${path.slice(0, 60)}`, async () => {
      const answer = await exchange(server, `GET ${path} HTTP/1.1\r\nhost: a\r\n\r\n`);
      equal(answer.slice(9, 12), String(code), answer.slice(0, 300));
    });
  }
});
