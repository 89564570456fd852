// In front of a server, with a certificate as old clusters have them: without what strict checks (VERIFY_X509_STRICT of OpenSSL) want to see, such as key identifiers.

import { webcrypto } from "node:crypto";
import { once } from "node:events";
import type { AddressInfo, Socket } from "node:net";
import { connect, createServer, type Server } from "node:tls";
import type { ObjectServer } from "./object-server.ts";

const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
const DAY_MS = 86_400_000;

export class OldCertificate implements AsyncDisposable {
  readonly authority: string;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(authority: string, server: Server) {
    this.authority = authority;
    this.#server = server;
    server.on("connection", (socket: Socket) => this.#sockets.add(socket));
  }

  static async inFrontOf({ port, authority }: ObjectServer): Promise<OldCertificate> {
    const made = await oldChain();
    const server = createServer({ ...made, ALPNProtocols: ["h2", "http/1.1"] }, (near) => {
      const ALPNProtocols = [near.alpnProtocol || "http/1.1"];
      const far = connect({ host: "127.0.0.1", port, ca: authority, ALPNProtocols });
      for (const [from, to] of [
        [near, far],
        [far, near],
      ] as const) {
        from.on("error", () => to.destroy());
        from.on("close", () => to.destroy());
        from.pipe(to);
      }
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return new OldCertificate(made.authority, server);
  }

  get url(): string {
    return `https://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#server, "close");
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }
}

async function oldChain(): Promise<{
  readonly authority: string;
  readonly cert: string;
  readonly key: string;
}> {
  // Before the library, which wants it.
  await import("reflect-metadata");
  const { BasicConstraintsExtension, SubjectAlternativeNameExtension, X509CertificateGenerator } =
    await import("@peculiar/x509");
  const pair = (): Promise<webcrypto.CryptoKeyPair> =>
    webcrypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  const [authorityKeys, keys] = [await pair(), await pair()];
  const times = {
    notBefore: new Date(Date.now() - DAY_MS),
    notAfter: new Date(Date.now() + DAY_MS),
  };
  const authority = await X509CertificateGenerator.createSelfSigned({
    ...{ name: "CN=old", keys: authorityKeys, signingAlgorithm: algorithm, ...times },
    ...{ serialNumber: "01", extensions: [new BasicConstraintsExtension(true)] },
  });
  const certificate = await X509CertificateGenerator.create({
    ...{ subject: "CN=server", issuer: "CN=old", publicKey: keys.publicKey, ...times },
    ...{ serialNumber: "02", signingKey: authorityKeys.privateKey, signingAlgorithm: algorithm },
    extensions: [new SubjectAlternativeNameExtension([{ type: "ip", value: "127.0.0.1" }])],
  });
  const der = Buffer.from(await webcrypto.subtle.exportKey("pkcs8", keys.privateKey));
  const body = der.toString("base64").replace(/.{64}/g, "$&\n");
  const key = `-----BEGIN PRIVATE KEY-----\n${body}\n-----END PRIVATE KEY-----\n`;
  return { authority: authority.toString("pem"), cert: certificate.toString("pem"), key };
}
