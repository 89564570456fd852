// Pods that use two ConfigMaps and two Secrets in every way, and by which path each use is seen from outside: written down by hand, so that
// whoever judges by it does not believe the product's own reading of a pod.

import type { Container, Volume } from "../../src/api/types.ts";
import { type PodParts, sleeper } from "../agent/cluster.ts";

export type ObjectName = "cm0" | "cm1" | "s0" | "s1";

export const OBJECTS: readonly ObjectName[] = ["cm0", "cm1", "s0", "s1"];

/** Each object's own, so that files of several can be told apart. */
export function keysOf(object: ObjectName): readonly string[] {
  return [`${object}_a`, `${object}_b`, `${object}_c`];
}

export function isSecret(object: ObjectName): boolean {
  return object.startsWith("s");
}

/** How the keys of one object are seen by a container. */
export type Sight =
  /** Files below `path`; all that begin with the object's name, or those of `keys`. */
  | {
      readonly in: "files";
      readonly path: string;
      readonly files?: Readonly<Record<string, string>>;
    }
  /** One file. */
  | { readonly in: "file"; readonly path: string; readonly key: string }
  /** Variables by their names, or all with this prefix. */
  | { readonly in: "environ"; readonly variables: Readonly<Record<string, string>> }
  | { readonly in: "environ"; readonly prefix: string }
  /** The word after this one. */
  | { readonly in: "cmdline"; readonly after: string; readonly key: string };

export interface DeclaredUse {
  readonly object: ObjectName;
  readonly how: "args" | "env" | "subPath" | "volume";
  readonly mountPath: string;
  readonly sight: Sight;
  /** It does without the object. */
  readonly isOptional?: boolean;
}

export interface ConfigUser {
  readonly parts: PodParts;
  readonly uses: readonly DeclaredUse[];
}

function reader(parts: Partial<Container>, volumes: readonly Volume[] = []): PodParts {
  return { containers: [sleeper(parts)], volumes: [...volumes] };
}

const cm = (name: string): Volume => ({ name, configMap: { name } });
const secret = (name: string): Volume => ({ name, secret: { secretName: name } });

function ofFile(object: ObjectName, key: string, mountPath: string): DeclaredUse {
  return { object, how: "subPath", mountPath, sight: { in: "file", path: mountPath, key } };
}

function ofFiles(object: ObjectName, mountPath: string): DeclaredUse {
  return { object, how: "volume", mountPath, sight: { in: "files", path: mountPath } };
}

const subPaths = reader(
  {
    volumeMounts: [
      { name: "cm0", mountPath: "/etc/first/one", subPath: "cm0_a" },
      { name: "s0", mountPath: "/etc/second/two", subPath: "s0_a" },
    ],
  },
  [cm("cm0"), secret("s0")],
);
const subPathUses = [
  ofFile("cm0", "cm0_a", "/etc/first/one"),
  ofFile("s0", "s0_a", "/etc/second/two"),
];

export const users: Readonly<Record<string, ConfigUser>> = {
  env: {
    parts: reader({
      env: [
        { name: "ONE", valueFrom: { configMapKeyRef: { name: "cm0", key: "cm0_a" } } },
        { name: "TWO", valueFrom: { secretKeyRef: { name: "s0", key: "s0_a" } } },
        { name: "THREE", valueFrom: { secretKeyRef: { name: "s0", key: "s0_b" } } },
      ],
    }),
    uses: [envUse("cm0", { ONE: "cm0_a" }), envUse("s0", { TWO: "s0_a", THREE: "s0_b" })],
  },
  "env-from": {
    parts: reader({
      envFrom: [
        { prefix: "FROM_", configMapRef: { name: "cm1" } },
        { prefix: "ALSO_", secretRef: { name: "s1", optional: true } },
      ],
    }),
    uses: [
      { object: "cm1", how: "env", mountPath: "", sight: { in: "environ", prefix: "FROM_" } },
      {
        ...{ object: "s1", how: "env", mountPath: "", isOptional: true },
        sight: { in: "environ", prefix: "ALSO_" },
      },
    ],
  },
  args: {
    parts: reader({
      args: ["--level", "$(LEVEL)"],
      env: [{ name: "LEVEL", valueFrom: { configMapKeyRef: { name: "cm1", key: "cm1_a" } } }],
    }),
    uses: [
      envUse("cm1", { LEVEL: "cm1_a" }),
      {
        ...{ object: "cm1", how: "args", mountPath: "" },
        sight: { in: "cmdline", after: "--level", key: "cm1_a" },
      },
    ],
  },
  volumes: {
    parts: reader(
      {
        volumeMounts: [
          { name: "cm0", mountPath: "/etc/all" },
          { name: "some", mountPath: "/etc/some" },
        ],
      },
      [
        cm("cm0"),
        {
          name: "some",
          secret: {
            secretName: "s1",
            items: [
              { key: "s1_a", path: "deep/first" },
              { key: "s1_b", path: "second" },
            ],
          },
        },
      ],
    ),
    uses: [
      ofFiles("cm0", "/etc/all"),
      {
        ...{ object: "s1", how: "volume", mountPath: "/etc/some" },
        sight: {
          ...{ in: "files", path: "/etc/some" },
          files: { "deep/first": "s1_a", second: "s1_b" },
        },
      },
    ],
  },
  projected: {
    parts: reader({ volumeMounts: [{ name: "both", mountPath: "/etc/both" }] }, [
      {
        name: "both",
        projected: {
          sources: [
            { configMap: { name: "cm1" } },
            { secret: { name: "s0" } },
            { configMap: { name: "cm0", optional: true } },
          ],
        },
      },
    ]),
    uses: [
      ofFiles("cm1", "/etc/both"),
      ofFiles("s0", "/etc/both"),
      { ...ofFiles("cm0", "/etc/both"), isOptional: true },
    ],
  },
  "sub-path": { parts: subPaths, uses: subPathUses },
  frozen: {
    parts: { ...subPaths, annotations: { "driftless.dev/live-subpath": "false" } },
    uses: subPathUses,
  },
};

function envUse(object: ObjectName, variables: Readonly<Record<string, string>>): DeclaredUse {
  return { object, how: "env", mountPath: "", sight: { in: "environ", variables } };
}

/** Keys of the object that this use shows, of those that it may have. */
export function usedKeys({ object, sight }: DeclaredUse): readonly string[] {
  if (sight.in === "files") return sight.files ? Object.values(sight.files) : keysOf(object);
  if (sight.in === "environ") {
    return "prefix" in sight ? keysOf(object) : Object.values(sight.variables);
  }
  return [sight.key];
}
