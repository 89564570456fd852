import { deepEqual, equal, match } from "node:assert/strict";
import { once } from "node:events";
import { connect, createSecureServer, type Http2SecureServer } from "node:http2";
import type { AddressInfo } from "node:net";
import { after, before, describe, it } from "node:test";
import type { HttpRequest } from "../http/answer.ts";
import { type ClientCertificate, clientCertificate } from "./client-certificate.ts";
import { type CertificateAndKey, createAuthority, type IssueOptions, issue } from "./issue.ts";

const DAY_MS = 24 * 3600_000;

describe("clientCertificate", () => {
  // Node judges certificates by the machine's clock, so they are made by it too.
  const nowMs = Math.floor(performance.timeOrigin);
  let authority: CertificateAndKey;
  let server: Http2SecureServer;
  let seen: (ClientCertificate | undefined)[];
  let timeMs = nowMs;

  before(async () => {
    authority = await createAuthority({ commonName: "driftless", nowMs, days: 1 });
    const own = await made({ hosts: ["localhost"] });
    server = createSecureServer({
      key: own.key,
      cert: own.certificate,
      ca: authority.certificate,
      requestCert: true,
      rejectUnauthorized: false,
    });
    server.on("request", (request, response) => {
      seen.push(clientCertificate(request as unknown as HttpRequest, timeMs));
      response.end();
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
  });
  after(() => server.close());

  const made = (options: Partial<IssueOptions>): Promise<CertificateAndKey> =>
    issue({ authority, commonName: "ann", nowMs, lifeMs: 3600_000, ...options });

  /** What it says on each request of one connection; between two of them time passes. */
  async function shown(
    pair: CertificateAndKey | undefined,
    ...times: readonly number[]
  ): Promise<readonly (ClientCertificate | undefined)[]> {
    seen = [];
    const { port } = server.address() as AddressInfo;
    const identity = pair && { cert: pair.certificate, key: pair.key };
    const session = connect(`https://127.0.0.1:${port}`, {
      rejectUnauthorized: false,
      ...identity,
    });
    for (const time of times.length === 0 ? [nowMs] : times) {
      timeMs = time;
      const stream = session.request();
      stream.resume();
      await once(stream, "end");
    }
    session.close();
    return seen;
  }

  it("says the name, the groups as they are, and the uid", async () => {
    const [found] = await shown(await made({ organizations: ["b", "a", "c, d=e"], uid: "u1" }));
    const { extra, ...user } = found?.user ?? { name: "", groups: [] };
    deepEqual(user, { name: "ann", uid: "u1", groups: ["b", "a", "c, d=e"] });
    match(
      extra?.["authentication.kubernetes.io/credential-id"]?.[0] ?? "",
      /^X509SHA256=[0-9a-f]{64}$/,
    );
  });

  it("tells a bad certificate from none", async () => {
    const other = await createAuthority({ commonName: "driftless", nowMs, days: 1 });
    const bad = [{ authority: other }, { hosts: ["a"] }, { nowMs: nowMs - DAY_MS }];
    for (const options of bad) {
      deepEqual(await shown(await made(options)), [{ user: undefined }]);
    }
    deepEqual(await shown(undefined), [undefined]);
  });

  it("takes one without a name for none", async () => {
    deepEqual(await shown(await made({ commonName: "" })), [undefined]);
  });

  it("knows nobody any more when it runs out while the connection is open", async () => {
    const [first, second] = await shown(await made({}), nowMs, nowMs + 3601_000);
    equal(first?.user?.name, "ann");
    deepEqual(second, { user: undefined });
  });
});
