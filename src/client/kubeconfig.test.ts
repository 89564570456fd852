import { equal, match, throws } from "node:assert/strict";
import { describe, it } from "node:test";
import { stringify } from "yaml";
import { tempDir } from "../base/testing/temp-dir.ts";
import { readKubeconfig } from "./kubeconfig.ts";

const base64 = (text: string): string => Buffer.from(text).toString("base64");

function config(user: object, cluster: object = {}): string {
  return stringify({
    "current-context": "here",
    contexts: [
      { name: "other", context: { cluster: "c", user: "u", namespace: "elsewhere" } },
      { name: "here", context: { cluster: "c", user: "u" } },
    ],
    clusters: [{ name: "c", cluster: { server: "https://a:1/", ...cluster } }],
    users: [{ name: "u", user }],
  });
}

describe("readKubeconfig", () => {
  it("reads what is in it, and files beside it", () => {
    using directory = tempDir();
    const user = { "client-certificate-data": base64("C"), "client-key": "keys/k.pem" };
    const cluster = { "certificate-authority": "ca.crt", "tls-server-name": "b" };
    directory.write({ kubeconfig: config(user, cluster), "keys/k.pem": "K", "ca.crt": "A" });
    const read = readKubeconfig(directory.join("kubeconfig"));
    equal(read.server, "https://a:1");
    equal(read.certificate, "C");
    equal(read.key, "K");
    equal(read.authority, "A");
    equal(read.serverName, "b");
    equal(read.namespace, "default");
    equal(read.isInsecure, false);
  });

  it("takes the context that is named", () => {
    using directory = tempDir();
    directory.write({ kubeconfig: config({}) });
    equal(readKubeconfig(directory.join("kubeconfig"), "other").namespace, "elsewhere");
    throws(
      () => readKubeconfig(directory.join("kubeconfig"), "third"),
      /no context "third" in contexts/,
    );
  });

  it("reads a token's file each time, since it is written anew", () => {
    using directory = tempDir();
    directory.write({ kubeconfig: config({ token: "t0", tokenFile: "token" }), token: "t1\n" });
    const { token } = readKubeconfig(directory.join("kubeconfig"));
    equal(token?.(), "t1");
    directory.write({ token: "t2" });
    equal(token?.(), "t2");
  });

  it("says what it cannot use, and never shows what is in it", () => {
    using directory = tempDir();
    const file = directory.join("kubeconfig");
    const cases: readonly (readonly [string, RegExp])[] = [
      [config({ exec: { command: "login" } }), /logs in by exec, which is not supported/],
      [config({ "client-key-data": base64("K") }), /needs both/],
      [stringify({ clusters: [] }), /no current-context/],
      ["- 1", /is not a kubeconfig/],
      ["token: s3cret\n  : [", /it is not YAML/],
    ];
    for (const [text, refusal] of cases) {
      directory.write({ kubeconfig: text });
      throws(
        () => readKubeconfig(file),
        (err: Error) => {
          match(err.message, refusal);
          match(err.message, /^Cannot use the kubeconfig /);
          return !err.message.includes("s3cret");
        },
      );
    }
  });
});
