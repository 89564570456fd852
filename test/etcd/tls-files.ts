// Certificates for tests: an authority, and what it has signed for the loopback.

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { type TempDir, tempDir } from "../../src/base/testing/temp-dir.ts";
import type { EtcdTls } from "../../src/storage/etcd/endpoint.ts";

export interface TlsFiles extends Disposable {
  readonly ca: string;
  readonly certificate: string;
  readonly key: string;
  /** For a client that trusts the authority and shows the certificate. */
  readonly client: Required<EtcdTls>;
}

/** Good for an hour, as server and as client. */
export function tlsFiles(): TlsFiles {
  const dir = tempDir();
  dir.write({ "names.cnf": "subjectAltName=IP:127.0.0.1\n" });
  request(dir, "ca", "test authority");
  request(dir, "leaf", "127.0.0.1");
  openssl(dir, "x509 -req -in ca.csr -signkey ca.key -days 1 -out ca.pem");
  openssl(
    dir,
    "x509 -req -in leaf.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 1 -extfile names.cnf -out leaf.pem",
  );
  const paths = {
    ca: dir.join("ca.pem"),
    certificate: dir.join("leaf.pem"),
    key: dir.join("leaf.key"),
  };
  return {
    ...paths,
    client: {
      ca: readFileSync(paths.ca),
      certificate: readFileSync(paths.certificate),
      key: readFileSync(paths.key),
    },
    [Symbol.dispose]: () => dir[Symbol.dispose](),
  };
}

function request(dir: TempDir, name: string, commonName: string): void {
  const key = "-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes";
  openssl(dir, `req ${key} -keyout ${name}.key -out ${name}.csr -subj`, `/CN=${commonName}`);
}

function openssl(dir: TempDir, args: string, ...more: readonly string[]): void {
  execFileSync("openssl", [...args.split(" "), ...more], { cwd: dir.path, stdio: "pipe" });
}
