// The port speaks TLS and nothing else, and only what is good of it.

import { equal, match, rejects } from "node:assert/strict";
import { once } from "node:events";
import { connect as connectPlain } from "node:net";
import { after, before, describe, it } from "node:test";
import { type ConnectionOptions, connect } from "node:tls";
import { DriftlessServer, readCredentials } from "../support/driftless-server.ts";

let server: DriftlessServer;

before(async () => {
  server = await DriftlessServer.start({ flags: ["--store", "memory"] });
});

after(async () => server?.[Symbol.asyncDispose]());

/** What was agreed on: "TLSv1.3 TLS_AES_128_GCM_SHA256". Rejects if nothing was. */
async function agreed(options: ConnectionOptions): Promise<string> {
  const { ca } = readCredentials(server.kubeconfig);
  const socket = connect({ host: "127.0.0.1", port: server.port, ca, ...options });
  try {
    await once(socket, "secureConnect");
    return `${socket.getProtocol()} ${socket.getCipher().standardName}`;
  } finally {
    socket.destroy();
  }
}

describe("The port", () => {
  it("speaks TLS 1.3, and 1.2 with ciphers that are forward secret and authenticated", async () => {
    match(await agreed({}), /^TLSv1\.3 TLS_AES_/);
    match(await agreed({ maxVersion: "TLSv1.2" }), /^TLSv1\.2 TLS_ECDHE_ECDSA_WITH_AES_128_GCM/);
  });

  it("speaks nothing older", async () => {
    for (const version of ["TLSv1", "TLSv1.1"] as const) {
      // The level lets this client offer what it would not offer by itself.
      const old = { minVersion: version, maxVersion: version, ciphers: "DEFAULT@SECLEVEL=0" };
      await rejects(agreed(old), /alert protocol version|unsupported protocol|no protocols/i);
    }
  });

  it("takes no weaker cipher", async () => {
    for (const ciphers of ["ECDHE-ECDSA-AES128-SHA256", "AES128-GCM-SHA256", "AES128-SHA"]) {
      await rejects(agreed({ maxVersion: "TLSv1.2", ciphers }), /handshake failure/i, ciphers);
    }
  });

  it("answers nobody who speaks without TLS", async () => {
    const socket = connectPlain(server.port, "127.0.0.1");
    let answer = "";
    socket.setEncoding("utf8").on("data", (text: string) => {
      answer += text;
    });
    socket.on("error", () => undefined);
    socket.write("GET /version HTTP/1.1\r\nhost: a\r\n\r\n");
    await once(socket, "close");
    equal(answer.includes("HTTP/1.1 200"), false);
  });

  it("tells browsers to come back over TLS only where others can reach it", async () => {
    const here = await server.fetch("GET", "/version");
    equal(here.headers["strict-transport-security"], undefined);
    await using open = await DriftlessServer.start({
      flags: ["--store", "memory", "--listen", "0.0.0.0:0"],
    });
    const there = await open.fetch("GET", "/version");
    equal(there.headers["strict-transport-security"], "max-age=31536000");
    match(open.output, /Listening beyond this machine \(0\.0\.0\.0\)/);
  });
});
