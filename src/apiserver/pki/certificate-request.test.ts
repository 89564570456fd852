import { equal, match, rejects } from "node:assert/strict";
import { describe, it } from "node:test";
import { newMachine } from "../join/testing/machine.ts";
import { readCertificateRequest } from "./certificate-request.ts";

const rsa = (modulusLength: number) => ({
  name: "RSASSA-PKCS1-v1_5",
  modulusLength,
  publicExponent: new Uint8Array([1, 0, 1]),
  hash: "SHA-256",
});

describe("readCertificateRequest", () => {
  it("says whose key it is and what they call themselves", async () => {
    const machine = await newMachine();
    const read = await readCertificateRequest(
      await machine.csr("CN=system:node:a, O=system:nodes"),
    );
    equal(read.keyHash, machine.keyHash);
    equal(read.commonName, "system:node:a");
    equal(read.organizations.join(), "system:nodes");
  });

  it("takes RSA with 2048 bits, and a request without a subject", async () => {
    const machine = await newMachine(rsa(2048));
    const read = await readCertificateRequest(await machine.csr());
    equal(read.keyHash, machine.keyHash);
    equal(read.commonName, "");
  });

  it("refuses keys that are weak or unusual", async () => {
    for (const algorithm of [rsa(1024), { name: "ECDSA", namedCurve: "P-384", hash: "SHA-256" }]) {
      const csr = await (await newMachine(algorithm)).csr();
      await rejects(
        readCertificateRequest(csr),
        /key must be ECDSA on P-256, or RSA with at least 2048/,
      );
    }
  });

  it("refuses a request that its key did not sign", async () => {
    const csr = await (await newMachine()).csr("CN=a");
    const der = Buffer.from(csr.replaceAll(/-----[^-]+-----|\s/g, ""), "base64");
    der[der.indexOf("a", 15, "latin1")] = "b".charCodeAt(0);
    const pem = `-----BEGIN CERTIFICATE REQUEST-----\n${der.toString("base64")}\n-----END CERTIFICATE REQUEST-----`;
    await rejects(readCertificateRequest(pem), /its signature is wrong/);
  });

  it("refuses what is no request", async () => {
    const csr = await (await newMachine()).csr();
    const broken = csr.replace(/\n.{20}/, "\n");
    for (const text of ["", "hello", broken, csr + " ".repeat(16 * 1024)]) {
      const err = await readCertificateRequest(text).then(
        () => "was read",
        (reason: unknown) => String(reason),
      );
      match(err, /csr: must be a certificate request \(PKCS #10\) in PEM/);
    }
  });
});
