import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { kubeconfig } from "../apiserver/pki/kubeconfig.ts";
import { tempDir } from "../base/testing/temp-dir.ts";
import { controllersConnection } from "./controllers-connection.ts";

function config(certificate: string): string {
  const credentials = { certificate, key: `key of ${certificate}` };
  return kubeconfig({ server: "https://s", authority: "CA", user: "controllers", credentials });
}

describe("controllersConnection", () => {
  it("uses the file in the data directory, and follows it when the certificate is renewed", () => {
    using dir = tempDir();
    dir.write({ "controllers.kubeconfig": config("old") });
    const { server, followed } = controllersConnection({ dataDir: dir.path }, {});
    const [certificate, key] = [followed?.certificate, followed?.key];
    assert.ok(typeof certificate === "function" && typeof key === "function");
    assert.deepEqual([server, certificate(), key()], ["https://s", "old", "key of old"]);

    dir.write({ "controllers.kubeconfig": config("renewed") });

    assert.deepEqual([certificate(), key()], ["renewed", "key of renewed"]);
  });

  it("goes on as who it was while the file is half written", () => {
    using dir = tempDir();
    dir.write({ "controllers.kubeconfig": config("old") });
    const { followed } = controllersConnection({ dataDir: dir.path }, {});
    const certificate = followed?.certificate;
    assert.ok(typeof certificate === "function");
    dir.write({ "controllers.kubeconfig": config("renewed").slice(0, 50) });
    assert.equal(certificate(), "old");
    dir.write({ "controllers.kubeconfig": config("renewed") });
    assert.equal(certificate(), "renewed");
  });

  it("prefers a kubeconfig that is named", () => {
    using dir = tempDir();
    dir.write({ "controllers.kubeconfig": config("a"), "other.kubeconfig": config("b") });
    const place = { dataDir: dir.path, kubeconfig: dir.join("other.kubeconfig") };

    assert.equal(controllersConnection(place, {}).certificate, "b");
  });

  it("uses what a pod is given only if nothing is named", () => {
    using dir = tempDir();
    dir.write({ "controllers.kubeconfig": config("a") });
    const env = { KUBERNETES_SERVICE_HOST: "10.0.0.1", KUBERNETES_SERVICE_PORT: "443" };

    assert.equal(controllersConnection({ dataDir: dir.path }, env).certificate, "a");
    assert.throws(() => controllersConnection({}, env), /service account of this pod/);
  });

  it("says what to do when there is none", () => {
    using dir = tempDir();

    assert.throws(
      () => controllersConnection({ dataDir: dir.path }, {}),
      /there is no .*controllers\.kubeconfig\. Say --kubeconfig FILE, or --data-dir/,
    );
  });
});
