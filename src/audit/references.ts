// Every place in a pod that names a ConfigMap or Secret, with its path: what podUses sums up for those who deliver, one by one for those who
// point at lines.

import type { ConfigKind } from "../api/config/pod-uses.ts";
import type { Container, EphemeralContainer, KeyToPath, PodSpec, Volume } from "../api/types.ts";
import { list, text } from "../api/validation/absent.ts";
import type { FieldPath } from "./finding.ts";
import type { PodSubject } from "./pod-subject.ts";

export interface Reference {
  readonly kind: ConfigKind;
  readonly name: string;
  readonly how: "env" | "envFrom" | "volume";
  readonly optional: boolean;
  /** Of the source that names the object: …configMapKeyRef, …volumes[0].secret. */
  readonly path: FieldPath;
  /** Of the field with the name. */
  readonly namePath: FieldPath;
  readonly keys: readonly { readonly key: string; readonly path: FieldPath }[];
  /** Container or volume that it is in. */
  readonly of: string;
  /** Of the variable, for env. */
  readonly variable: string;
  /** Of the variables, for envFrom. */
  readonly prefix: string;
}

type AnyContainer = Container | EphemeralContainer;

export interface PlacedContainer {
  readonly container: AnyContainer;
  readonly path: FieldPath;
  /** It ends before the pod begins. */
  readonly isInit: boolean;
}

export function placedContainers({ spec, path }: PodSubject): readonly PlacedContainer[] {
  const placed = (
    field: "initContainers" | "containers" | "ephemeralContainers",
  ): readonly PlacedContainer[] =>
    list<AnyContainer>(spec[field]).map((container, index) => ({
      container,
      path: [...path, "spec", field, index],
      isInit: field === "initContainers" && container.restartPolicy !== "Always",
    }));
  return [...placed("initContainers"), ...placed("containers"), ...placed("ephemeralContainers")];
}

/** Volumes first, then containers, in the order of the spec. Those without a name are left out. */
export function referencesOf(pod: PodSubject): readonly Reference[] {
  return [
    ...volumeReferences(pod),
    ...placedContainers(pod).flatMap((placed) => [...variables(placed), ...wholeObjects(placed)]),
  ].filter(({ name }) => name !== "");
}

function volumeReferences({ spec, path }: PodSubject): readonly Reference[] {
  return list(spec.volumes).flatMap((volume, index) =>
    sourcesOf(volume, [...path, "spec", "volumes", index]).flatMap(({ reference }) =>
      reference === undefined ? [] : [reference],
    ),
  );
}

export interface VolumeSource {
  readonly path: FieldPath;
  /** Where the names of its files come from: undefined means the keys of the object. */
  readonly items: readonly KeyToPath[] | undefined;
  /** Undefined for facts about the pod and tokens. */
  readonly reference: Reference | undefined;
}

/** What the files of a volume are made of; empty for volumes of other kinds. */
export function sourcesOf(volume: Volume, path: FieldPath): readonly VolumeSource[] {
  const { configMap, secret, projected } = volume;
  const of = text(volume.name);
  if (configMap) {
    return [
      source({ kind: "ConfigMap", name: text(configMap.name), of, nameField: "name" }, configMap, [
        ...path,
        "configMap",
      ]),
    ];
  }
  if (secret) {
    return [
      source(
        { kind: "Secret", name: text(secret.secretName), of, nameField: "secretName" },
        secret,
        [...path, "secret"],
      ),
    ];
  }
  return list(projected?.sources).flatMap((one, index) => {
    const at = [...path, "projected", "sources", index];
    const { configMap: map, secret: hidden, downwardAPI, serviceAccountToken: token } = one;
    if (map)
      return [
        source({ kind: "ConfigMap", name: text(map.name), of, nameField: "name" }, map, [
          ...at,
          "configMap",
        ]),
      ];
    if (hidden)
      return [
        source({ kind: "Secret", name: text(hidden.name), of, nameField: "name" }, hidden, [
          ...at,
          "secret",
        ]),
      ];
    if (downwardAPI) {
      const items = list(downwardAPI.items).map((item) => ({ key: "", path: text(item.path) }));
      return [{ path: [...at, "downwardAPI"], items, reference: undefined }];
    }
    const items = token ? [{ key: "", path: text(token.path) }] : [];
    return [{ path: at, items, reference: undefined }];
  });
}

function source(
  { nameField, ...named }: Pick<Reference, "kind" | "name" | "of"> & { readonly nameField: string },
  from: {
    readonly items?: readonly KeyToPath[] | undefined;
    readonly optional?: boolean | undefined;
  },
  path: FieldPath,
): VolumeSource {
  const items = list(from.items);
  return {
    path,
    items: items.length === 0 ? undefined : items,
    reference: {
      ...named,
      ...{ how: "volume", variable: "", prefix: "", path, namePath: [...path, nameField] },
      optional: from.optional === true,
      keys: items.map(({ key }, i) => ({ key: text(key), path: [...path, "items", i, "key"] })),
    },
  };
}

function variables({ container, path }: PlacedContainer): readonly Reference[] {
  return list(container.env).flatMap(({ name: variable, valueFrom }, index) => {
    const fields = ["configMapKeyRef", "secretKeyRef"] as const;
    return fields.flatMap((field): readonly Reference[] => {
      const ref = valueFrom?.[field];
      if (!ref) return [];
      const at = [...path, "env", index, "valueFrom", field];
      return [
        {
          kind: field === "secretKeyRef" ? "Secret" : "ConfigMap",
          ...{ name: text(ref.name), how: "env", optional: ref.optional === true },
          ...{ path: at, namePath: [...at, "name"] },
          keys: [{ key: text(ref.key), path: [...at, "key"] }],
          ...{ of: text(container.name), variable: text(variable), prefix: "" },
        },
      ];
    });
  });
}

function wholeObjects({ container, path }: PlacedContainer): readonly Reference[] {
  return list(container.envFrom).flatMap((from, index) => {
    const fields = ["configMapRef", "secretRef"] as const;
    return fields.flatMap((field): readonly Reference[] => {
      const ref = from[field];
      if (!ref) return [];
      const at = [...path, "envFrom", index, field];
      return [
        {
          kind: field === "secretRef" ? "Secret" : "ConfigMap",
          ...{ name: text(ref.name), how: "envFrom", optional: ref.optional === true },
          ...{ path: at, namePath: [...at, "name"], keys: [] },
          ...{ of: text(container.name), variable: "", prefix: text(from.prefix) },
        },
      ];
    });
  });
}

/** Config volumes by name, with their index. */
export function configVolumes(
  spec: PodSpec,
): ReadonlyMap<string, { readonly volume: Volume; readonly index: number }> {
  const entries = list(spec.volumes).map(
    (volume, index) => [text(volume.name), { volume, index }] as const,
  );
  return new Map(
    entries.filter(([, { volume }]) => sourcesOf(volume, []).some(({ reference }) => reference)),
  );
}
