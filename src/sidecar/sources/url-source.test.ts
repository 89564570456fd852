import { deepEqual, equal, match, rejects } from "node:assert/strict";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, it } from "node:test";
import { systemClock } from "../../base/clock.ts";
import { Secret } from "../../base/secret.ts";
import { tempDir } from "../../base/testing/temp-dir.ts";
import type { SourceSpec } from "../compose-model.ts";
import { fetchUrl, type UrlRequest } from "./fetch-url.ts";
import { authorizationOf } from "./http-auth.ts";
import { UrlSource } from "./url-source.ts";

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

async function serving(answer: Answer) {
  const server = createServer((request, response) => answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function ask(url: string, more: Partial<UrlRequest> = {}) {
  const request: UrlRequest = {
    ...{ url, headers: new Map(), auth: undefined, caFile: undefined, timeoutMs: 5000 },
    ...{ maxBytes: 1000, skipsTlsVerify: false, takesServerErrors: false, ...more },
  };
  const { signal } = new AbortController();
  return fetchUrl(request, { clock: systemClock, signal, known: undefined });
}

describe("fetchUrl", { timeout: 20_000 }, () => {
  const refused: readonly [name: string, answer: Answer, why: RegExp][] = [
    [
      "an error",
      (_, response) => response.writeHead(503, { "Retry-After": "7" }).end("x"),
      /answered 503/,
    ],
    [
      "a page that says that there is none",
      (_, response) => response.writeHead(404).end("no"),
      /answered 404/,
    ],
    [
      "an empty body",
      (_, response) => response.writeHead(200, { "Content-Length": 0 }).end(),
      /empty/,
    ],
    [
      "a body that is cut off",
      (_, response) => {
        response.writeHead(200, { "Content-Length": 100 });
        response.write("half", () => response.destroy());
      },
      /ended too soon/,
    ],
    [
      "chunks that are cut off",
      (_, response) => response.write("half", () => response.destroy()),
      /ended too soon/,
    ],
    [
      "a body that is announced too large",
      (_, response) => response.writeHead(200, { "Content-Length": 5000 }).end("x".repeat(5000)),
      /larger than 1000/,
    ],
    [
      "chunks that become too large",
      (_, response) => {
        response.write("x".repeat(600));
        response.end("x".repeat(600));
      },
      /larger than 1000/,
    ],
    [
      "a body that was encoded",
      (_, response) => response.writeHead(200, { "Content-Encoding": "gzip" }).end("x"),
      /encoded/,
    ],
    [
      "a redirect without end",
      (_, response) => response.writeHead(302, { Location: "/again" }).end(),
      /more than 5 redirects/,
    ],
    [
      "a redirect to a file",
      (_, response) => response.writeHead(302, { Location: "file:///etc/passwd" }).end(),
      /not followed/,
    ],
    [
      "a body of unknown length",
      (_, response) => {
        response.socket?.end("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nhalf");
      },
      /how long/,
    ],
  ];
  for (const [name, answer, why] of refused) {
    it(`refuses ${name}`, async () => {
      await using server = await serving(answer);
      await rejects(ask(`${server.url}/x?token=hunter2`), (err: Error) => {
        match(err.message, why);
        equal(err.message.includes("hunter2"), false);
        return true;
      });
    });
  }

  it("gives up when it takes too long", async () => {
    await using server = await serving((_, response) =>
      response.writeHead(200, { "Content-Length": 9 }).write("x"),
    );
    await rejects(ask(server.url, { timeoutMs: 50 }), /nothing whole within 0\.05 s/);
  });

  it("says who it is to the same host after a redirect, and to no other", async () => {
    const heard: (string | undefined)[] = [];
    await using other = await serving(({ headers }, response) => {
      heard.push(`other ${headers.authorization} ${String(headers["x-key"])}`);
      response.end("there");
    });
    await using server = await serving(({ url, headers }, response) => {
      heard.push(`${url} ${headers.authorization} ${String(headers["x-key"])}`);
      const location = url === "/1" ? "/2" : `${other.url}/3`;
      response.writeHead(302, { Location: location }).end();
    });
    const auth = { username: "u", password: new Secret(Buffer.from("p")) };
    const fetched = await ask(`${server.url}/1`, { auth, headers: new Map([["X-Key", "k"]]) });
    equal(fetched !== "unchanged" && Buffer.from(fetched.data).toString(), "there");
    deepEqual(heard, ["/1 Basic dTpw k", "/2 Basic dTpw k", "other undefined undefined"]);
  });
});

describe("authorizationOf", () => {
  it("reads files anew each time, and a file counts for more than a value", async () => {
    using dir = tempDir();
    dir.write({ token: "a\n", password: "q" });
    const auth = { tokenFile: dir.join("token") };
    equal(await authorizationOf(auth), "Bearer a");
    dir.write({ token: "b" });
    equal(await authorizationOf(auth), "Bearer b");
    const both = {
      username: "u",
      password: new Secret(Buffer.from("p")),
      passwordFile: dir.join("password"),
    };
    equal(await authorizationOf(both), `Basic ${Buffer.from("u:q").toString("base64")}`);
  });

  it("refuses a token of two lines", async () => {
    using dir = tempDir();
    dir.write({ token: "a\nX-Evil: 1" });
    await rejects(authorizationOf({ tokenFile: dir.join("token") }), /more than one line/);
  });
});

describe("UrlSource", { timeout: 20_000 }, () => {
  it("asks by ETag, keeps what it has through errors, and takes what is new", async () => {
    const seen: (string | undefined)[] = [];
    const script: Answer[] = [
      (_, response) => response.writeHead(200, { ETag: '"1"' }).end("one"),
      (_, response) => response.writeHead(304).end(),
      (_, response) => response.writeHead(500).end("broken"),
      (_, response) => response.writeHead(200, { ETag: '"2"' }).end("two"),
    ];
    await using server = await serving((request, response) => {
      seen.push(request.headers["if-none-match"]);
      (script.shift() ?? ((_, last) => last.writeHead(304).end()))(request, response);
    });
    const spec: Extract<SourceSpec, { type: "url" }> = {
      type: "url",
      ...{ url: `${server.url}/a.yaml`, file: "a.yaml", headers: new Map(), auth: undefined },
      ...{ caFile: undefined, intervalMs: 5, timeoutMs: 5000, maxBytes: 1000 },
    };
    const random = { next: () => 0.999, uint32: () => 0 };
    const source = new UrlSource({ name: "remote", spec, clock: systemClock, random });
    const states: string[] = [];
    const stop = new AbortController();
    source.onChange(() => {
      const state = source.current();
      const file = state.state === "known" ? state.content.files.get("a.yaml") : undefined;
      states.push(
        `${Buffer.from(file?.data ?? []).toString()} ${state.problem?.replace(/^.*: /, "") ?? "well"}`,
      );
      if (states.at(-1) === "two well") stop.abort();
    });
    await source.run(stop.signal);
    deepEqual(states, ["one well", "one answered 500", "two well"]);
    deepEqual(seen.slice(0, 4), [undefined, '"1"', '"1"', '"1"']);
  });
});
