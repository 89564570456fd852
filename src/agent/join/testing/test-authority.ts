// Signs what a node asks for, as the server does.

import type { webcrypto } from "node:crypto";
import "reflect-metadata";
import {
  BasicConstraintsExtension,
  Pkcs10CertificateRequest,
  X509CertificateGenerator,
} from "@peculiar/x509";

const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const;

export interface Wanted {
  /** PEM */
  readonly csr: string;
  readonly nodeName: string;
  readonly startMs: number;
  readonly endMs: number;
}

export class TestAuthority {
  readonly #keys: webcrypto.CryptoKeyPair;

  private constructor(keys: webcrypto.CryptoKeyPair) {
    this.#keys = keys;
  }

  static async make(): Promise<TestAuthority> {
    return new TestAuthority(await crypto.subtle.generateKey(algorithm, true, ["sign", "verify"]));
  }

  /** PEM */
  async sign({ csr, nodeName, startMs, endMs }: Wanted): Promise<string> {
    const { publicKey } = new Pkcs10CertificateRequest(csr);
    const certificate = await X509CertificateGenerator.create({
      serialNumber: "01",
      subject: `CN=system:node:${nodeName}, O=system:nodes`,
      issuer: "CN=test",
      notBefore: new Date(startMs),
      notAfter: new Date(endMs),
      publicKey,
      signingKey: this.#keys.privateKey,
      signingAlgorithm: algorithm,
      extensions: [new BasicConstraintsExtension(false)],
    });
    return certificate.toString("pem");
  }
}
