import { equal, throws } from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, it } from "node:test";
import { tempDir } from "../base/testing/temp-dir.ts";
import { findConnection } from "./find-connection.ts";

function kubeconfig(file: string, server: string): string {
  mkdirSync(dirname(file), { recursive: true });
  const config = {
    "current-context": "c",
    contexts: [{ name: "c", context: { cluster: "c", user: "u" } }],
    clusters: [{ name: "c", cluster: { server } }],
    users: [{ name: "u", user: {} }],
  };
  writeFileSync(file, JSON.stringify(config));
  return file;
}

describe("The server", () => {
  it("is the one that was named, then KUBECONFIG's, then driftless's, then kubectl's", () => {
    using home = tempDir();
    const found = (kubeconfigFlag?: string, env: Readonly<Record<string, string>> = {}): string =>
      findConnection({ kubeconfig: kubeconfigFlag, env, home: home.path }).server;
    kubeconfig(join(home.path, ".kube/config"), "https://kubectl");
    equal(found(), "https://kubectl");
    kubeconfig(join(home.path, ".driftless/kubeconfig"), "https://driftless");
    equal(found(), "https://driftless");
    const env = { KUBECONFIG: kubeconfig(join(home.path, "env"), "https://env") };
    equal(found(undefined, env), "https://env");
    equal(found(kubeconfig(join(home.path, "flag"), "https://flag"), env), "https://flag");
  });

  it("is missed with all that was tried", () => {
    using home = tempDir();
    throws(
      () => findConnection({ env: {}, home: home.path }),
      /no --kubeconfig, KUBECONFIG is not set, and there is neither .*\.driftless\/kubeconfig nor .*\.kube\/config/,
    );
    throws(
      () => findConnection({ kubeconfig: "/no/such", env: {}, home: home.path }),
      /Cannot use the kubeconfig \/no\/such \(from --kubeconfig\): there is no such file/,
    );
  });
});
