// Pods that refer to objects, and nothing else of them.

import type { Pod } from "../../../api/types.ts";
import type { ObjectKind, ObjectReference } from "../config-object.ts";

export interface TestPodOptions {
  readonly uid: string;
  readonly name?: string;
  readonly namespace?: string;
  /** In volumes. */
  readonly configMaps?: readonly string[];
  readonly secrets?: readonly string[];
  /** By envFrom. */
  readonly envConfigMaps?: readonly string[];
  readonly envSecrets?: readonly string[];
}

export function testPod(options: TestPodOptions): Pod {
  const { uid, name = uid, namespace = "default" } = options;
  const { configMaps = [], secrets = [], envConfigMaps = [], envSecrets = [] } = options;
  const volumes = [
    ...configMaps.map((each) => ({ name: `c-${each}`, configMap: { name: each } })),
    ...secrets.map((each) => ({ name: `s-${each}`, secret: { secretName: each } })),
  ];
  const envFrom = [
    ...envConfigMaps.map((each) => ({ configMapRef: { name: each } })),
    ...envSecrets.map((each) => ({ secretRef: { name: each } })),
  ];
  const spec = { containers: [{ name: "c", envFrom }], volumes };
  return { metadata: { uid, name, namespace }, spec } as unknown as Pod;
}

export function named(
  name: string,
  kind: ObjectKind = "ConfigMap",
  namespace = "default",
): ObjectReference {
  return { kind, namespace, name };
}
