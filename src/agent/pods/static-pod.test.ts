import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isMirror, staticPodOf } from "./static-pod.ts";

const manifest = (spec = "", metadata = "{ name: web }"): string => `
apiVersion: v1
kind: Pod
metadata: ${metadata}
spec:
  containers: [{ name: app, image: host }]
${spec}`;

describe("staticPodOf", () => {
  it("makes a pod as the server would, named after the node and bound to it", () => {
    const pod = staticPodOf(manifest(), "n1");
    const { name, namespace, uid = "", annotations } = pod.metadata;

    assert.deepEqual([name, namespace, pod.spec.nodeName], ["web-n1", "default", "n1"]);
    assert.match(uid, /^[0-9a-f]{32}$/);
    assert.deepEqual(annotations, {
      "kubernetes.io/config.source": "file",
      "kubernetes.io/config.hash": uid,
    });
    assert.equal(pod.spec.restartPolicy, "Always");
    assert.equal(pod.spec.terminationGracePeriodSeconds, 30);
    assert.equal(pod.spec.containers?.[0]?.imagePullPolicy, "Always");
    assert.equal(pod.status.phase, "Pending");
    assert.ok(!isMirror(pod));
  });

  it("gives another uid to another text, and to the same on another node", () => {
    const uids = [
      staticPodOf(manifest(), "n1"),
      staticPodOf(manifest(), "n1"),
      staticPodOf(`${manifest()} `, "n1"),
      staticPodOf(manifest(), "n2"),
    ].map(({ metadata }) => metadata.uid);

    assert.equal(uids[0], uids[1]);
    assert.equal(new Set(uids).size, 3);
  });

  const refused: readonly (readonly [text: string, error: RegExp | string])[] = [
    ["", /not an object/],
    ["{", /yaml/],
    [manifest("", "{}"), /name is needed/],
    ["apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}", /not a Pod of v1/],
    ["apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {}", /spec.containers: Required value/],
    [
      manifest("  volumes: [{ name: v, configMap: { name: c } }]"),
      "static pods may not reference configmaps (via configmap volumes)",
    ],
    [
      manifest("  volumes: [{ name: v, secret: { secretName: c } }]"),
      "static pods may not reference secrets (via secret volumes)",
    ],
    [
      manifest("  volumes: [{ name: v, projected: { sources: [{ secret: { name: c } }] } }]"),
      "static pods may not reference secrets (via projected volumes)",
    ],
    [
      manifest("  initContainers: [{name: i, image: host, envFrom: [{configMapRef: {name: c}}]}]"),
      "static pods may not reference configmaps",
    ],
    [manifest("  imagePullSecrets: [{ name: s }]"), "static pods may not reference secrets"],
    [manifest("  serviceAccountName: a"), "static pods may not reference serviceaccounts"],
  ];
  for (const [text, error] of refused) {
    it(`refuses what is wrong: ${typeof error === "string" ? error : error.source}`, () => {
      assert.throws(
        () => staticPodOf(text, "n1"),
        typeof error === "string" ? { message: error } : error,
      );
    });
  }

  it("takes volumes that need no server", () => {
    const items = "[{ path: l, fieldRef: { fieldPath: metadata.labels } }]";
    const volumes = `[{ name: e, emptyDir: {} }, { name: d, downwardAPI: { items: ${items} } }]`;
    assert.equal(staticPodOf(manifest(`  volumes: ${volumes}`), "n1").spec.volumes?.length, 2);
  });
});
