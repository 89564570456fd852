// Addresses with https, against real TLS servers: whom it trusts, who it says that it is, where it lets itself be led.

import { deepEqual, equal, match, rejects } from "node:assert/strict";
import { once } from "node:events";
import {
  createServer as createPlainServer,
  type IncomingMessage,
  type RequestListener,
} from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { describe, it } from "node:test";
import { type CertificateAndKey, createAuthority, issue } from "../../src/apiserver/pki/issue.ts";
import { systemClock } from "../../src/base/clock.ts";
import { systemRandom } from "../../src/base/random.ts";
import { type TempDir, tempDir } from "../../src/base/testing/temp-dir.ts";
import type { SourceSpec } from "../../src/sidecar/compose-model.ts";
import type { SourceState } from "../../src/sidecar/source.ts";
import { fetchUrl, type UrlRequest } from "../../src/sidecar/sources/fetch-url.ts";
import { UrlSource } from "../../src/sidecar/sources/url-source.ts";
import { ended, SidecarScene } from "./sidecar-process.ts";

const PATIENCE_MS = 60_000;
const { signal } = new AbortController();

const newAuthority = (commonName: string): Promise<CertificateAndKey> =>
  createAuthority({ commonName, nowMs: Date.now(), days: 2 });

async function leafOf(
  authority: CertificateAndKey,
  host = "127.0.0.1",
): Promise<CertificateAndKey> {
  const lifeMs = 24 * 3_600_000;
  return issue({ authority, commonName: "server", hosts: [host], nowMs: Date.now(), lifeMs });
}

/** Over TLS if there is a certificate. */
async function serving(answer: RequestListener, identity?: CertificateAndKey) {
  const server =
    identity === undefined
      ? createPlainServer(answer)
      : createServer({ cert: identity.certificate, key: identity.key }, answer);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `${identity === undefined ? "http" : "https"}://127.0.0.1:${port}`,
    /** From the next connection on. */
    use: ({ certificate, key }: CertificateAndKey): void => {
      if ("setSecureContext" in server) server.setSecureContext({ cert: certificate, key });
    },
    async [Symbol.asyncDispose]() {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

function requestOf(url: string, more: Partial<UrlRequest> = {}): UrlRequest {
  return {
    ...{ url, headers: new Map(), auth: undefined, caFile: undefined, timeoutMs: PATIENCE_MS },
    ...{ maxBytes: 1000, skipsTlsVerify: false, takesServerErrors: false, ...more },
  };
}

async function textOf(request: UrlRequest): Promise<string> {
  const fetched = await fetchUrl(request, { clock: systemClock, signal, known: undefined });
  return fetched === "unchanged" ? fetched : Buffer.from(fetched.data).toString();
}

/** A source that asks often, until the scope ends. */
function following(dir: TempDir, url: string) {
  const spec: Extract<SourceSpec, { type: "url" }> = {
    ...{ type: "url", url, file: "a", headers: new Map(), caFile: dir.join("ca.crt") },
    auth: { tokenFile: dir.join("token") },
    ...{ intervalMs: 20, timeoutMs: PATIENCE_MS, maxBytes: 1000 },
  };
  const source = new UrlSource({ name: "remote", spec, clock: systemClock, random: systemRandom });
  const stop = new AbortController();
  const running = source.run(stop.signal);
  return {
    until: async (what: string, isSo: (text: string, state: SourceState) => boolean) => {
      for (const endMs = performance.now() + PATIENCE_MS; ; await systemClock.sleep(5)) {
        const state = source.current();
        const data = state.state === "known" ? state.content.files.get("a")?.data : undefined;
        const text = Buffer.from(data ?? []).toString();
        if (isSo(text, state)) return;
        if (performance.now() > endMs)
          throw new Error(`never: ${what}; ${text}, ${state.problem ?? "no problem"}`);
      }
    },
    async [Symbol.asyncDispose]() {
      stop.abort();
      await running;
    },
  };
}

describe("an https address", { timeout: 240_000 }, () => {
  it("is trusted by caFile alone, and by its name", async () => {
    using dir = tempDir();
    const [ours, theirs] = await Promise.all([newAuthority("ours"), newAuthority("theirs")]);
    dir.write({ "ca.crt": ours.certificate, "other.crt": theirs.certificate });
    const caFile = dir.join("ca.crt");
    const answer: RequestListener = (_, response) => void response.end("hello");
    await using server = await serving(answer, await leafOf(ours));
    equal(await textOf(requestOf(server.url, { caFile })), "hello");
    await rejects(textOf(requestOf(server.url)), /unable to verify|self.signed/);
    const other = requestOf(server.url, { caFile: dir.join("other.crt") });
    await rejects(textOf(other), /unable to verify|self.signed/);
    await rejects(textOf(requestOf(server.url, { caFile: dir.join("none") })), /ENOENT/);
    await using elsewhere = await serving(answer, await leafOf(ours, "config.example.com"));
    await rejects(textOf(requestOf(elsewhere.url, { caFile })), /does not match|not in the cert/);
    equal(await textOf(requestOf(elsewhere.url, { skipsTlsVerify: true })), "hello");
  });

  it("keeps its content while token and authority are old, and goes on when the files are new", async () => {
    using dir = tempDir();
    const [first, second] = await Promise.all([newAuthority("first"), newAuthority("second")]);
    dir.write({ "ca.crt": first.certificate, token: "one\n" });
    let [token, content] = ["one", "1"];
    const answer: RequestListener = ({ headers }, response) => {
      if (headers.authorization === `Bearer ${token}`) response.end(content);
      else response.writeHead(401).end("hush");
    };
    await using server = await serving(answer, await leafOf(first));
    await using source = following(dir, server.url);
    await source.until("the first", (text) => text === "1");
    [token, content] = ["two", "2"];
    await source.until("it fails", (_, { problem }) => problem?.includes("answered 401") === true);
    await source.until("it is kept", (text) => text === "1");
    dir.write({ token: "two\n" });
    await source.until("the second", (text, { problem }) => text === "2" && problem === undefined);
    server.use(await leafOf(second));
    content = "3";
    await source.until(
      "no trust",
      (text, { problem }) => text === "2" && /unable to verify|self.signed/.test(problem ?? ""),
    );
    dir.write({ "ca.crt": `${first.certificate}\n${second.certificate}` });
    await source.until("the third", (text, { problem }) => text === "3" && problem === undefined);
  });

  it("leads to its own host with credentials, to others without, and never to http", async () => {
    using dir = tempDir();
    const authority = await newAuthority("ours");
    const identity = await leafOf(authority);
    dir.write({ "ca.crt": authority.certificate, token: "hush\n" });
    const seen: string[] = [];
    const note = (who: string, { url, headers }: IncomingMessage): void =>
      void seen.push(`${who} ${url} ${headers.authorization} ${String(headers["x-team"])}`);
    await using plain = await serving((request, response) => {
      note("plain", request);
      response.end("plain");
    });
    await using other = await serving((request, response) => {
      note("other", request);
      response.end("other");
    }, identity);
    const places: Readonly<Record<string, string>> = {
      "/own": "/end",
      "/other": `${other.url}/end`,
      "/plain": `${plain.url}/end`,
      "/round": "/round",
    };
    await using server = await serving((request, response) => {
      note("server", request);
      const location = places[request.url ?? ""];
      if (location === undefined) response.end("own");
      else response.writeHead(302, { location }).end();
    }, identity);
    const get = (path: string): Promise<string> =>
      textOf(
        requestOf(`${server.url}${path}`, {
          ...{ caFile: dir.join("ca.crt"), auth: { tokenFile: dir.join("token") } },
          headers: new Map([["X-Team", "shop"]]),
        }),
      );
    equal(await get("/own"), "own");
    equal(await get("/other"), "other");
    await rejects(get("/plain"), /redirects from https to http/);
    deepEqual(seen, [
      "server /own Bearer hush shop",
      "server /end Bearer hush shop",
      "server /other Bearer hush shop",
      "other /end undefined undefined",
      "server /plain Bearer hush shop",
    ]);
    await rejects(get("/round"), /more than 5 redirects/);
  });

  it("is a source of the program like any other", async () => {
    await using scene = new SidecarScene();
    const authority = await newAuthority("ours");
    scene.write("ca.crt", authority.certificate);
    scene.write("password", "hunter2\n");
    await using server = await serving(
      ({ headers }, response) => {
        const isKnown = headers.authorization === `Basic ${btoa("me:hunter2")}`;
        response.writeHead(isKnown ? 200 : 401).end("a: 1\n");
      },
      await leafOf(authority),
    );
    const remote = {
      ...{ url: `${server.url}/rules.yaml`, caFile: scene.join("ca.crt") },
      auth: { username: "me", passwordFile: scene.join("password") },
    };
    const compose = { sources: { remote }, output: scene.join("out") };
    equal(await ended(scene.start(compose, ["--once"])), 0, scene.log);
    equal(scene.read("out/rules.yaml"), "a: 1\n");
    const wrong = { ...remote, caFile: undefined };
    const untrusting = scene.start({ ...compose, sources: { remote: wrong } }, ["--once"]);
    await scene.until("it has no trust", () => /unable to verify|self.signed/.test(scene.log));
    await scene.kill(untrusting, "SIGTERM");
    equal(untrusting.exitCode, 1);
    match(scene.log, /before it was done: source: remote: .*(unable to verify|self.signed)/);
    equal(scene.log.includes("hunter2"), false);
  });
});
