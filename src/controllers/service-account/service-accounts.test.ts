import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { SimCluster } from "../../controller/testing/sim-cluster.ts";
import {
  CONFIG_MAP,
  type ConfigMapObject,
  NAMESPACE,
  SECRET,
  SERVICE_ACCOUNT,
  type SecretObject,
  type ServiceAccountObject,
} from "./account-objects.ts";
import { RootCertificateController } from "./root-certificate-controller.ts";
import { ServiceAccountController } from "./service-account-controller.ts";
import { TokenSecretController, type TokenSource } from "./token-secret-controller.ts";

const rootCertificates = "-----BEGIN CERTIFICATE-----\n";

describe("ServiceAccountController", () => {
  it("gives every active namespace a default account, and again when it is deleted", async () => {
    await using sim = new SimCluster({ seed: 1 });
    await sim.start(new ServiceAccountController(sim.context));
    sim.create(NAMESPACE, { metadata: { name: "new" } });
    await sim.settle();
    const first = sim.get<ServiceAccountObject>(SERVICE_ACCOUNT, "new/default");
    assert.ok(first);
    assert.ok(sim.get(SERVICE_ACCOUNT, "kube-system/default"));

    sim.delete(SERVICE_ACCOUNT, "new/default");
    await sim.settle();

    const second = sim.get<ServiceAccountObject>(SERVICE_ACCOUNT, "new/default");
    assert.notEqual(second?.metadata.uid ?? first.metadata.uid, first.metadata.uid);
  });

  it("finds an account that the server has made", async () => {
    await using sim = new SimCluster({ seed: 1 });
    sim.observe(({ type, kind, object, by }) => {
      if (type !== "ADDED" || kind.kind !== "Namespace") return;
      sim.create(SERVICE_ACCOUNT, {
        metadata: { name: "default", namespace: object.metadata.name ?? "" },
      });
      assert.notEqual(by, "controllers");
    });
    sim.watchLagMs = (kind) => (kind.kind === "ServiceAccount" ? 500 : 0);
    await sim.start(new ServiceAccountController(sim.context));

    sim.create(NAMESPACE, { metadata: { name: "new" } });
    await sim.settle();
    await sim.pass(5000);

    assert.deepEqual(
      sim.logger.records.filter(({ level }) => level === "warn"),
      [],
    );
  });
});

describe("RootCertificateController", () => {
  it("publishes the certificates, and puts them right when somebody changes them", async () => {
    await using sim = new SimCluster({ seed: 1 });
    await sim.start(new RootCertificateController(sim.context, { rootCertificates }));
    const published = (): ConfigMapObject | undefined =>
      sim.get<ConfigMapObject>(CONFIG_MAP, "default/kube-root-ca.crt");
    assert.deepEqual(published()?.data, { "ca.crt": rootCertificates });
    assert.match(
      published()?.metadata.annotations?.["kubernetes.io/description"] ?? "",
      /^Contains a CA bundle that can be used to verify the kube-apiserver/,
    );

    sim.patch(CONFIG_MAP, "default/kube-root-ca.crt", { data: { "ca.crt": "x", more: "y" } });
    await sim.settle();
    assert.deepEqual(published()?.data, { "ca.crt": rootCertificates });
    sim.delete(CONFIG_MAP, "default/kube-root-ca.crt");
    await sim.settle();

    assert.ok(published());
  });

  it("does not take its own conflicts for a quarrel while its copy lags behind", async () => {
    await using sim = new SimCluster({ seed: 1 });
    await sim.start(new RootCertificateController(sim.context, { rootCertificates }));
    const key = "default/kube-root-ca.crt";
    sim.watchLagMs = () => 500;
    sim.patch(CONFIG_MAP, key, { data: { "ca.crt": "x" } });
    await sim.pass(250);
    sim.patch(CONFIG_MAP, key, { data: { "ca.crt": "y" } });
    await sim.pass(5000);

    assert.deepEqual(sim.get<ConfigMapObject>(CONFIG_MAP, key)?.data, {
      "ca.crt": rootCertificates,
    });
  });

  it("does not quarrel for ever with somebody who publishes others", async () => {
    await using sim = new SimCluster({ seed: 1 });
    let writes = 0;
    await sim.start(new RootCertificateController(sim.context, { rootCertificates }));
    sim.observe(({ by, object, type }) => {
      if (
        by !== "controllers" ||
        type !== "MODIFIED" ||
        object.metadata.name !== "kube-root-ca.crt"
      )
        return;
      writes++;
      const key = `${object.metadata.namespace}/kube-root-ca.crt`;
      sim.clock.schedule(10, () => sim.patch(CONFIG_MAP, key, { data: { "ca.crt": "other" } }));
    });

    sim.patch(CONFIG_MAP, "default/kube-root-ca.crt", { data: { "ca.crt": "other" } });
    await sim.pass(300_000);

    assert.equal(writes, 5);
  });
});

describe("TokenSecretController", () => {
  interface Situation extends AsyncDisposable {
    readonly sim: SimCluster;
    readonly asked: unknown[];
    secret(): SecretObject | undefined;
    make(annotations?: Record<string, string>): void;
  }

  async function situation(lifeSeconds?: number): Promise<Situation> {
    const sim = new SimCluster({ seed: 1 });
    sim.create(SERVICE_ACCOUNT, { metadata: { name: "bot", namespace: "default" } });
    const asked: unknown[] = [];
    const tokens: TokenSource = (account, spec) => {
      asked.push({ account, spec });
      const iat = sim.clock.now() / 1000;
      const claims = {
        iat,
        exp: iat + (lifeSeconds ?? spec.expirationSeconds ?? 0),
        n: asked.length,
      };
      return Promise.resolve(`h.${Buffer.from(JSON.stringify(claims)).toString("base64url")}.s`);
    };
    await sim.start(new TokenSecretController(sim.context, { rootCertificates, tokens }));
    return {
      sim,
      asked,
      secret: () => sim.get<SecretObject>(SECRET, "default/token"),
      make: (annotations = {}) => {
        const all = { "kubernetes.io/service-account.name": "bot", ...annotations };
        const metadata = { name: "token", namespace: "default", annotations: all };
        sim.create(SECRET, { metadata, type: "kubernetes.io/service-account-token" });
      },
      [Symbol.asyncDispose]: () => sim[Symbol.asyncDispose](),
    };
  }

  const text = (value: string | undefined): string => Buffer.from(value ?? "", "base64").toString();

  it("puts a token that is bound to the Secret, the certificates and the namespace into it", async () => {
    await using all = await situation();
    all.make();
    await all.sim.settle();

    const { data, metadata } = all.secret() ?? {};
    assert.match(text(data?.["token"]), /^h\..+\.s$/);
    assert.equal(text(data?.["ca.crt"]), rootCertificates);
    assert.equal(text(data?.["namespace"]), "default");
    const account = all.sim.get<ServiceAccountObject>(SERVICE_ACCOUNT, "default/bot");
    assert.equal(
      metadata?.annotations?.["kubernetes.io/service-account.uid"],
      account?.metadata.uid,
    );
    const boundObjectRef = { kind: "Secret", apiVersion: "v1", name: "token", uid: metadata?.uid };
    assert.deepEqual(all.asked, [
      {
        account: { namespace: "default", name: "bot" },
        spec: { audiences: [], expirationSeconds: 31_536_000, boundObjectRef },
      },
    ]);
  });

  it("replaces the token before it ends, and not earlier", async () => {
    await using all = await situation(3600);
    all.make();
    await all.sim.settle();

    await all.sim.pass(2879_000);
    assert.equal(all.asked.length, 1);
    await all.sim.pass(2000);

    assert.equal(all.asked.length, 2);
  });

  it("does not replace tokens one after the other when its clock is far ahead of the server's", async () => {
    await using all = await situation(-3600);
    all.make();
    await all.sim.pass(59_000);
    assert.equal(all.asked.length, 1);
    await all.sim.pass(10_000);
    assert.equal(all.asked.length, 2);
  });

  it("leaves the certificates as they are if it was given none", async () => {
    const sim = new SimCluster({ seed: 1 });
    sim.create(SERVICE_ACCOUNT, { metadata: { name: "bot", namespace: "default" } });
    const tokens: TokenSource = () => Promise.resolve("t");
    await sim.start(new TokenSecretController(sim.context, { rootCertificates: "", tokens }));
    const annotations = { "kubernetes.io/service-account.name": "bot" };
    const data = { "ca.crt": Buffer.from("theirs").toString("base64") };
    const metadata = { name: "token", namespace: "default", annotations };
    sim.create(SECRET, { metadata, data, type: "kubernetes.io/service-account-token" });
    await sim.pass(1);
    assert.equal(text(sim.get<SecretObject>(SECRET, "default/token")?.data?.["ca.crt"]), "theirs");
    await sim[Symbol.asyncDispose]();
  });

  it("puts back what somebody took out", async () => {
    await using all = await situation();
    all.make();
    await all.sim.settle();

    all.sim.patch(SECRET, "default/token", { data: { "ca.crt": null } });
    await all.sim.settle();

    assert.equal(text(all.secret()?.data?.["ca.crt"]), rootCertificates);
  });

  it("deletes the Secret when the account goes, and one for an account that is not there", async () => {
    await using all = await situation();
    all.make();
    await all.sim.settle();

    all.sim.delete(SERVICE_ACCOUNT, "default/bot");
    await all.sim.settle();
    assert.equal(all.secret(), undefined);
    all.make();
    await all.sim.settle();

    assert.equal(all.secret(), undefined);
  });

  it("deletes a Secret that is for an earlier account of the same name", async () => {
    await using all = await situation();
    all.make({ "kubernetes.io/service-account.uid": "another" });
    await all.sim.settle();

    assert.equal(all.secret(), undefined);
  });

  it("does not delete a Secret whose account it has not seen yet", async () => {
    await using all = await situation();
    all.sim.watchLagMs = (kind) => (kind.kind === "ServiceAccount" ? 5000 : 0);
    all.sim.create(SERVICE_ACCOUNT, { metadata: { name: "late", namespace: "default" } });
    all.make({ "kubernetes.io/service-account.name": "late" });
    await all.sim.pass(100);

    assert.match(text(all.secret()?.data?.["token"]), /^h/);
  });
});
