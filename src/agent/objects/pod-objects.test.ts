import { deepEqual } from "node:assert/strict";
import { describe, it } from "node:test";
import type { Pod } from "../../api/types.ts";
import { podObjects } from "./pod-objects.ts";

function objectsOf(spec: object): string[] {
  const pod = { metadata: { uid: "u", name: "p", namespace: "n" }, spec } as unknown as Pod;
  return [...podObjects(pod)].map(([key, { isInVolume }]) => `${key} ${isInVolume}`).toSorted();
}

const from = (name: string): object => ({
  envFrom: [{ configMapRef: { name: `${name}-from` } }, { secretRef: { name: `${name}-from` } }],
  env: [
    { name: "A", valueFrom: { configMapKeyRef: { name: `${name}-key`, key: "k" } } },
    { name: "B", valueFrom: { secretKeyRef: { name: `${name}-key`, key: "k" } } },
    { name: "C", value: "text" },
  ],
});

describe("podObjects", () => {
  it("finds those of the environments of all three kinds of containers", () => {
    const spec = {
      initContainers: [from("init")],
      containers: [from("main")],
      ephemeralContainers: [from("debug")],
    };
    deepEqual(
      objectsOf(spec),
      ["debug", "init", "main"]
        .flatMap((name) => [
          `ConfigMap/n/${name}-from false`,
          `ConfigMap/n/${name}-key false`,
          `Secret/n/${name}-from false`,
          `Secret/n/${name}-key false`,
        ])
        .toSorted(),
    );
  });

  it("finds those of volumes, mounted or not", () => {
    const volumes = [
      { name: "a", configMap: { name: "c" } },
      { name: "b", secret: { secretName: "s" } },
      {
        name: "d",
        projected: {
          sources: [
            { configMap: { name: "pc" } },
            { secret: { name: "ps" } },
            { serviceAccountToken: { path: "token" } },
          ],
        },
      },
      { name: "e", emptyDir: {} },
    ];
    deepEqual(objectsOf({ containers: [], volumes }), [
      "ConfigMap/n/c true",
      "ConfigMap/n/pc true",
      "Secret/n/ps true",
      "Secret/n/s true",
    ]);
  });

  it("says of what both use that it is in a volume", () => {
    const volumes = [{ name: "a", configMap: { name: "c" } }];
    const containers = [{ envFrom: [{ configMapRef: { name: "c" } }] }];
    deepEqual(objectsOf({ containers, volumes }), ["ConfigMap/n/c true"]);
  });

  it("leaves out what has no name, pull secrets, and those of storage drivers", () => {
    const spec = {
      imagePullSecrets: [{ name: "pull" }],
      containers: [{ envFrom: [{ configMapRef: { name: "" } }, { secretRef: {} }], env: null }],
      volumes: [
        { name: "a", csi: { driver: "d", nodePublishSecretRef: { name: "csi" } } },
        { name: "b", configMap: {} },
        { name: "c", projected: { sources: null } },
      ],
    };
    deepEqual(objectsOf(spec), []);
  });
});
