import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JsonObject } from "../../api/json.ts";
import type { Pod } from "../../api/types.ts";
import { seededRandom } from "../../base/testing/seeded-random.ts";
import type { AdmissionRequest } from "./admission.ts";
import { ServiceAccount } from "./service-account.ts";
import { cacheOf, type RequestOptions, refusalOf, requestFor } from "./testing/requests.ts";

const strict = {
  name: "strict",
  annotations: { "kubernetes.io/enforce-mountable-secrets": "true" },
};
const serviceAccounts = cacheOf(
  "v1 ServiceAccount",
  { metadata: { name: "default" } },
  { metadata: { name: "robot" }, imagePullSecrets: [{ name: "registry" }] },
  { metadata: { name: "mute" }, automountServiceAccountToken: false },
  { metadata: strict, secrets: [{ name: "mine" }], imagePullSecrets: [{ name: "registry" }] },
);
const seed = 7;
const plugin = new ServiceAccount({
  serviceAccounts,
  impliesDefault: false,
  random: seededRandom(seed),
});
const mountPath = "/var/run/secrets/kubernetes.io/serviceaccount";

function podRequest(
  spec: JsonObject,
  metadata: JsonObject = {},
  options: RequestOptions = {},
): AdmissionRequest {
  return requestFor("v1 Pod", {
    object: {
      metadata: { name: "p", ...metadata },
      spec: { containers: [{ name: "c", image: "i" }], ...spec },
    },
    ...options,
  });
}

function admitted(request: AdmissionRequest): Pod {
  assert.equal(refusalOf(plugin, request), "");
  return request.object as unknown as Pod;
}

describe("ServiceAccount", () => {
  it("gives a pod that names none the account default, under both names of the field", () => {
    const { spec } = admitted(podRequest({}));
    assert.deepEqual([spec.serviceAccountName, spec.serviceAccount], ["default", "default"]);
  });

  it("mounts a token, the certificate and the namespace into every container", () => {
    const initContainers = [{ name: "i", image: "i" }];
    const { spec } = admitted(podRequest({ initContainers }));
    const [volume] = spec.volumes ?? [];
    assert.match(volume?.name ?? "", /^kube-api-access-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
    assert.deepEqual(volume?.projected, {
      sources: [
        { serviceAccountToken: { expirationSeconds: 3607, path: "token" } },
        { configMap: { name: "kube-root-ca.crt", items: [{ key: "ca.crt", path: "ca.crt" }] } },
        {
          downwardAPI: {
            items: [
              {
                path: "namespace",
                fieldRef: { apiVersion: "v1", fieldPath: "metadata.namespace" },
              },
            ],
          },
        },
      ],
      defaultMode: 420,
    });
    const mount = { name: volume?.name, readOnly: true, mountPath };
    assert.deepEqual(spec.containers?.[0]?.volumeMounts, [mount]);
    assert.deepEqual(spec.initContainers?.[0]?.volumeMounts, [mount]);
  });

  it("changes nothing when it is asked a second time", () => {
    const request = podRequest({ serviceAccountName: "robot" });
    const once = structuredClone(admitted(request));
    assert.deepEqual(admitted(request), once);
  });

  it("leaves a container alone that mounts something else there, and makes no volume for nobody", () => {
    const volumes = [{ name: "own", emptyDir: {} }];
    const containers = [{ name: "c", image: "i", volumeMounts: [{ name: "own", mountPath }] }];
    const { spec } = admitted(podRequest({ volumes, containers }));
    assert.deepEqual(spec.volumes, volumes);
    assert.deepEqual(spec.containers?.[0]?.volumeMounts, [{ name: "own", mountPath }]);
  });

  it("uses a volume of that name which the pod brings along", () => {
    const volumes = [{ name: "kube-api-access-own", emptyDir: {} }];
    const { spec } = admitted(podRequest({ volumes }));
    assert.deepEqual(spec.volumes, volumes);
    assert.equal(spec.containers?.[0]?.volumeMounts?.[0]?.name, "kube-api-access-own");
  });

  for (const [account, automount, expected] of [
    ["default", undefined, true],
    ["default", false, false],
    ["mute", undefined, false],
    ["mute", true, true],
  ] as const) {
    const said = automount === undefined ? "says nothing" : `says ${automount}`;
    it(`mounts ${expected ? "a" : "no"} token if the account is ${account} and the pod ${said}`, () => {
      const { spec } = admitted(
        podRequest({
          serviceAccountName: account,
          ...(automount !== undefined && { automountServiceAccountToken: automount }),
        }),
      );
      assert.equal((spec.volumes ?? []).length === 1, expected);
    });
  }

  it("takes over the account's credentials for images, unless the pod has its own", () => {
    const serviceAccountName = "robot";
    assert.deepEqual(admitted(podRequest({ serviceAccountName })).spec.imagePullSecrets, [
      { name: "registry" },
    ]);
    const imagePullSecrets = [{ name: "own" }];
    const { spec } = admitted(podRequest({ serviceAccountName, imagePullSecrets }));
    assert.deepEqual(spec.imagePullSecrets, imagePullSecrets);
  });

  it("leaves pods alone that are changed, and what is written to their subresources", () => {
    const update = podRequest({}, {}, { operation: "UPDATE" });
    assert.equal(admitted(update).spec.serviceAccountName, undefined);
    const status = podRequest({ serviceAccountName: "nobody" }, {}, { subresource: "status" });
    assert.equal(refusalOf(plugin, status), "");
  });

  it("does not change mirror pods", () => {
    const annotations = { "kubernetes.io/config.mirror": "x" };
    const request = podRequest({}, { annotations });
    const before = structuredClone(request.object);
    admitted(request);
    assert.deepEqual(request.object, before);
  });

  it("takes a default account that is not there yet for an empty one, where there will be one", () => {
    const sure = new ServiceAccount({
      serviceAccounts: cacheOf("v1 ServiceAccount"),
      impliesDefault: true,
      random: seededRandom(seed),
    });
    const request = podRequest({});
    assert.equal(refusalOf(sure, request), "");
    assert.equal((request.object as unknown as Pod).spec.volumes?.length, 1);
    assert.match(refusalOf(sure, podRequest({ serviceAccountName: "other" })), /not found$/);
  });
});

const secretVar = { name: "V", valueFrom: { secretKeyRef: { name: "theirs", key: "k" } } };
const withVar = [{ name: "c", image: "i", env: [secretVar] }];
const withAll = [{ name: "c", image: "i", envFrom: [{ secretRef: { name: "theirs" } }] }];
const strictAccount = { serviceAccountName: "strict" };
const mirror = { annotations: { "kubernetes.io/config.mirror": "x" } };
const notListed = "is not allowed because service account strict does not reference that";

const refusals: readonly (readonly [string, JsonObject, JsonObject, string])[] = [
  [
    "an account that is not there",
    { serviceAccountName: "nobody" },
    {},
    'error looking up service account n/nobody: serviceaccount "nobody" not found',
  ],
  [
    "an account for a mirror pod",
    { serviceAccountName: "robot" },
    mirror,
    "a mirror pod may not reference service accounts",
  ],
  [
    "a secret for a mirror pod",
    { volumes: [{ name: "v", secret: { secretName: "s" } }] },
    mirror,
    "a mirror pod may not reference secrets",
  ],
  [
    "a secret for a variable of a mirror pod",
    { containers: withVar },
    mirror,
    "a mirror pod may not reference secrets",
  ],
  [
    "a token for a mirror pod",
    { volumes: [{ name: "v", projected: { sources: [{ serviceAccountToken: { path: "t" } }] } }] },
    mirror,
    "a mirror pod may not use ServiceAccountToken volume projections",
  ],
  [
    "a volume with a secret that the account does not list",
    { ...strictAccount, volumes: [{ name: "v", secret: { secretName: "theirs" } }] },
    {},
    `volume with secret.secretName="theirs" ${notListed} secret`,
  ],
  [
    "a variable from a secret that the account does not list",
    { ...strictAccount, containers: withVar },
    {},
    `container c with envVar V referencing secret.secretName="theirs" ${notListed} secret`,
  ],
  [
    "variables from a secret that the account does not list",
    { ...strictAccount, initContainers: withAll },
    {},
    `init container c with envFrom referencing secret.secretName="theirs" ${notListed} secret`,
  ],
  [
    "credentials that the account does not list",
    { ...strictAccount, imagePullSecrets: [{ name: "registry" }, { name: "theirs" }] },
    {},
    `imagePullSecrets[1].name="theirs" ${notListed} imagePullSecret`,
  ],
];

describe("ServiceAccount refuses", () => {
  for (const [what, spec, metadata, why] of refusals) {
    it(what, () => {
      const expected = `pods "p" is forbidden: ${why}`;
      assert.equal(refusalOf(plugin, podRequest(spec, metadata)), expected);
    });
  }

  it("nothing that a strict account lists", () => {
    const volumes = [{ name: "v", secret: { secretName: "mine" } }];
    admitted(podRequest({ ...strictAccount, volumes }));
  });

  it("a debugging container with a secret that the account does not list", () => {
    const request = podRequest(
      { ...strictAccount, ephemeralContainers: withVar },
      {},
      { operation: "UPDATE", subresource: "ephemeralcontainers" },
    );
    assert.equal(
      refusalOf(plugin, request),
      `pods "p" is forbidden: ephemeral container c with envVar V referencing secret.secretName="theirs" ${notListed} secret`,
    );
  });
});
