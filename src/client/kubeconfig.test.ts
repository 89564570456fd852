import { deepEqual, equal, match, throws } from "node:assert/strict";
import { describe, it } from "node:test";
import { stringify } from "yaml";
import { tempDir } from "../base/testing/temp-dir.ts";
import { inClusterConnection } from "./in-cluster.ts";
import { loadConnection, readKubeconfig } from "./kubeconfig.ts";

const base64 = (text: string): string => Buffer.from(text).toString("base64");

const v1 = "client.authentication.k8s.io/v1";

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
      [config({ "auth-provider": { name: "gcp" } }), /by auth-provider, which is not supported/],
      [
        config({ token: "t", as: "somebody" }),
        /users\[u\]\.user says who it is by as, which is not/,
      ],
      [config({ "client-key-data": base64("K") }), /needs both/],
      [stringify({ clusters: [] }), /no current-context/],
      [
        config({}, { "proxy-url": "http://p" }),
        /clusters\[c\]\.cluster\.proxy-url is not supported/,
      ],
      [config({}, { server: "a:1" }), /clusters\[c\]\.cluster\.server must be an address/],
      [config({ token: 1 }), /users\[u\]\.user\.token must be a text/],
      [config({ tokenFile: "t" }), /users\[u\]\.user\.tokenFile names t, which cannot be read/],
      [config({}, { "insecure-skip-tls-verify": "yes" }), /skip-tls-verify must be true or false/],
      [config({ exec: { command: "x" } }), /users\[u\]\.user\.exec\.apiVersion must be one of/],
      [config({ exec: { apiVersion: v1 } }), /users\[u\]\.user\.exec has no command/],
      [config({ exec: { apiVersion: v1, command: "x" } }), /interactiveMode must be one of Never/],
      [
        config({ exec: { apiVersion: v1, command: "x", interactiveMode: "Always" } }),
        /interactiveMode is Always, and nobody can answer/,
      ],
      [stringify({ "current-context": "a", contexts: 7 }), /contexts must be a list/],
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

describe("loadConnection", () => {
  it("merges the files of KUBECONFIG: the first that names a thing wins, and missing files do not matter", () => {
    using directory = tempDir();
    const cluster = (server: string): object => ({ name: "c", cluster: { server } });
    directory.write({
      first: stringify({ clusters: [cluster("https://first:1")] }),
      second: stringify({
        "current-context": "x",
        clusters: [cluster("https://second:1")],
        contexts: [{ name: "x", context: { cluster: "c", user: "u", namespace: "n" } }],
      }),
      "more/third": stringify({
        "current-context": "y",
        users: [{ name: "u", user: { tokenFile: "token" } }],
      }),
      "more/token": "t",
    });
    const files = ["first", "missing", "second", "more/third"].map((name) => directory.join(name));
    const { server, namespace, token } = loadConnection({ env: { KUBECONFIG: files.join(":") } });
    equal(server, "https://first:1");
    equal(namespace, "n");
    equal(token?.(), "t", "a file is relative to the kubeconfig that names it");
  });

  it("takes the file in the home directory, and says where it looked", () => {
    using directory = tempDir();
    const home = directory.path;
    throws(
      () => loadConnection({ env: {}, home }),
      /there is no .*\/\.kube\/config, and this is not/,
    );
    directory.write({ ".kube/config": config({ token: "t" }) });
    equal(loadConnection({ env: {}, home }).token?.(), "t");
  });

  it("wants the one file that it was told of, and takes a pod's account for one of the environment", () => {
    using directory = tempDir();
    const file = directory.join("none");
    throws(() => loadConnection({ env: {}, file }), { code: "ENOENT" });
    throws(
      () => loadConnection({ env: { KUBECONFIG: file } }),
      /\(from KUBECONFIG\): there is no such file, and this is not a pod/,
    );
    // A pod has its account, if it has one; here it does not.
    const pod = { KUBERNETES_SERVICE_HOST: "10.0.0.1", KUBERNETES_SERVICE_PORT: "443" };
    throws(
      () => loadConnection({ env: { KUBECONFIG: file, ...pod } }),
      /Cannot use the service account of this pod/,
    );
  });

  it("follows certificates that are files", () => {
    using directory = tempDir();
    directory.write({
      kubeconfig: config({ "client-certificate": "c", "client-key": "k" }),
      c: "C1",
      k: "K1",
    });
    const { certificate, followed } = readKubeconfig(directory.join("kubeconfig"));
    equal(certificate, "C1");
    directory.write({ c: "C2-is-longer" });
    const now = typeof followed?.certificate === "function" ? followed.certificate() : undefined;
    equal(now, "C2-is-longer");
  });

  it("tells a login program what it wants to know", () => {
    using directory = tempDir();
    const exec = {
      apiVersion: "client.authentication.k8s.io/v1beta1",
      command: "./bin/login",
      args: ["a", "b"],
      env: [{ name: "E", value: "1" }],
      provideClusterInfo: true,
      installHint: "install it\n",
    };
    const extensions = [
      { name: "client.authentication.k8s.io/exec", extension: { audience: "x" } },
    ];
    directory.write({ kubeconfig: config({ exec }, { extensions }) });
    const file = directory.join("kubeconfig");
    deepEqual(loadConnection({ file, env: { PATH: "/p", GONE: undefined } }).exec, {
      where: `${file}, users[u].user.exec`,
      apiVersion: exec.apiVersion,
      command: directory.join("bin/login"),
      args: ["a", "b"],
      env: { PATH: "/p", E: "1" },
      installHint: "install it",
      cluster: { server: "https://a:1", config: { audience: "x" } },
    });
  });
});

describe("inClusterConnection", () => {
  const env = { KUBERNETES_SERVICE_HOST: "fd00::1", KUBERNETES_SERVICE_PORT: "443" };

  it("uses what a pod is given, and the token that is there now", () => {
    using directory = tempDir();
    directory.write({ token: "t1\n", "ca.crt": "A", namespace: "n" });
    const connection = inClusterConnection({ env, directory: directory.path });
    equal(connection?.server, "https://[fd00::1]:443");
    equal(connection?.authority, "A");
    equal(connection?.namespace, "n");
    equal(connection?.token?.(), "t1");
    directory.write({ token: "t2-rotated" });
    equal(connection?.token?.(), "t2-rotated");
  });

  it("is nothing outside a pod, and says what a pod lacks", () => {
    using directory = tempDir();
    equal(inClusterConnection({ env: {}, directory: directory.path }), undefined);
    throws(
      () => inClusterConnection({ env, directory: directory.path }),
      /Cannot use the service account of this pod: .*token cannot be read/,
    );
  });
});
