import { deepEqual, ok } from "node:assert/strict";
import { describe, it } from "node:test";
import { pod as podSchema } from "../../api/schema/core/pod.ts";
import type { Pod } from "../../api/types.ts";
import { podReferences } from "./pod-references.ts";
import { objectWith, textPaths } from "./testing/name-paths.ts";

/** Names of objects, as far as the name of the field or of what holds it tells. */
const telling: readonly (readonly [RegExp, string])[] = [
  [/^spec\..*(secret\w*\.name|secretName|imagePullSecrets\.\*\.name)$/i, "secrets"],
  [/^spec\..*configMap\w*\.name$/, "configmaps"],
  [/^spec\..*\.claimName$/, "persistentvolumeclaims"],
  [/^spec\.serviceAccountName$/, "serviceaccounts"],
];

const paths = textPaths(podSchema).flatMap((path) => {
  const resource = telling.find(([pattern]) => pattern.test(path))?.[1];
  return resource === undefined ? [] : [{ path, resource }];
});

function podWith(path: string, text: string): Pod {
  return { metadata: {}, spec: {}, status: {}, ...objectWith(path, text) } as unknown as Pod;
}

describe("podReferences", () => {
  it("has fields to look at", () => {
    ok(paths.some(({ path }) => path === "spec.volumes.*.csi.nodePublishSecretRef.name"));
    ok(paths.some(({ path }) => path === "spec.ephemeralContainers.*.envFrom.*.configMapRef.name"));
  });

  for (const { path, resource } of paths) {
    it(`finds ${resource} in ${path}`, () => {
      deepEqual(podReferences(podWith(path, "x")), [{ resource, name: "x" }]);
    });

    it(`finds nothing in ${path} if that is empty`, () => {
      deepEqual(podReferences(podWith(path, "")), []);
    });
  }

  it("finds the claim that is made for an ephemeral volume", () => {
    const pod: Pod = {
      metadata: { name: "web-0" },
      spec: { volumes: [{ name: "scratch", ephemeral: {} }] },
      status: {},
    };
    deepEqual(podReferences(pod), [{ resource: "persistentvolumeclaims", name: "web-0-scratch" }]);
  });
});
