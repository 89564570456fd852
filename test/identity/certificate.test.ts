import { match } from "node:assert/strict";
import { request } from "node:https";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { loadSigner } from "../../src/apiserver/pki/credentials.ts";
import {
  type CertificateAndKey,
  createAuthority,
  type IssueOptions,
  issue,
} from "../../src/apiserver/pki/issue.ts";
import { systemClock } from "../../src/base/clock.ts";
import { DriftlessServer } from "../support/driftless-server.ts";

const DAY_MS = 24 * 3600_000;

describe("a client certificate", () => {
  let server: DriftlessServer;
  let authority: CertificateAndKey;
  before(async () => {
    server = await DriftlessServer.start({ flags: ["--store", "memory"] });
    authority = loadSigner(join(server.dataDir, "pki"), "a test's");
  });
  after(() => server[Symbol.asyncDispose]());

  const made = (options: Partial<IssueOptions>): Promise<CertificateAndKey> =>
    issue({ authority, commonName: "ann", nowMs: systemClock.now(), lifeMs: DAY_MS, ...options });

  /** The code and text of the answer to "who am I", over a connection of its own. */
  function asked(pair: CertificateAndKey | undefined, bearer?: string): Promise<string> {
    return new Promise((resolve, reject) => {
      const sent = request(
        `${server.url}/apis/authentication.k8s.io/v1/selfsubjectreviews`,
        {
          method: "POST",
          agent: false,
          ca: authority.certificate,
          headers: {
            "content-type": "application/json",
            ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
          },
          ...(pair && { cert: pair.certificate, key: pair.key }),
        },
        (response) => {
          let text = "";
          response.setEncoding("utf8").on("data", (part: string) => {
            text += part;
          });
          response.on("end", () => resolve(`${response.statusCode} ${text}`));
        },
      );
      sent.on("error", reject);
      sent.end('{"apiVersion":"authentication.k8s.io/v1","kind":"SelfSubjectReview"}');
    });
  }

  it("says who it is, with all groups and the uid", async () => {
    const answer = await asked(await made({ organizations: ["a", "b", "c,d"], uid: "u1" }));
    match(answer, /^201 /);
    match(answer, /"username":"ann","uid":"u1","groups":\["a","b","c,d","system:authenticated"\]/);
  });

  it("is refused when it is over, not yet good, of another authority, or a server's", async () => {
    const nowMs = systemClock.now();
    const other = await createAuthority({ commonName: "driftless", nowMs, days: 1 });
    const bad: Readonly<Record<string, Partial<IssueOptions>>> = {
      over: { nowMs: nowMs - 2 * DAY_MS },
      "not yet good": { nowMs: nowMs + DAY_MS },
      "of another authority": { authority: other },
      "a server's": { hosts: ["a"] },
    };
    for (const [what, options] of Object.entries(bad)) {
      match(await asked(await made(options)), /^401 .*Unauthorized/, what);
    }
  });

  it("is nobody's without a name: whoever shows it is anonymous", async () => {
    match(await asked(await made({ commonName: "" })), /^403 .*User \\"system:anonymous\\"/);
    match(await asked(undefined), /^403 .*User \\"system:anonymous\\"/);
  });

  it("does not help somebody with a token that nobody knows", async () => {
    match(await asked(await made({}), "unknown"), /^401 /);
    match(await asked(undefined, "unknown"), /^401 /);
  });
});
