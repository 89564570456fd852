// Where a pod template names ConfigMaps and Secrets: each place with its JSON pointer, so that exactly the names can be replaced.

import type { PodSpec } from "../../api/types.ts";
import type { SourceKind } from "./versioned-names.ts";

export interface ConfigReference {
  readonly kind: SourceKind;
  readonly name: string;
  /** Below the pod spec: "/volumes/0/configMap/name". */
  readonly pointer: string;
}

/** In the order of the spec. Also what no container uses: the pod does not start without it either. */
export function configReferences(spec: PodSpec | undefined): readonly ConfigReference[] {
  return [...volumeReferences(spec?.volumes ?? []), ...containerReferences(spec)].filter(
    ({ name }) => name !== "",
  );
}

/** "ConfigMap/app" of each. */
export function referredIn(spec: PodSpec | undefined): readonly string[] {
  return configReferences(spec).map(({ kind, name }) => `${kind}/${name}`);
}

function volumeReferences(volumes: NonNullable<PodSpec["volumes"]>): readonly ConfigReference[] {
  return volumes.flatMap(({ configMap, secret, projected }, i) => [
    ...reference("ConfigMap", configMap?.name, `/volumes/${i}/configMap/name`),
    ...reference("Secret", secret?.secretName, `/volumes/${i}/secret/secretName`),
    ...(projected?.sources ?? []).flatMap((source, j) =>
      eitherOf(source.configMap, source.secret, [
        `/volumes/${i}/projected/sources/${j}/configMap/name`,
        `/volumes/${i}/projected/sources/${j}/secret/name`,
      ]),
    ),
  ]);
}

function containerReferences(spec: PodSpec | undefined): readonly ConfigReference[] {
  return (["initContainers", "containers"] as const).flatMap((field) =>
    (spec?.[field] ?? []).flatMap(({ env, envFrom }, i) => [
      ...(env ?? []).flatMap(({ valueFrom }, j) =>
        eitherOf(valueFrom?.configMapKeyRef, valueFrom?.secretKeyRef, [
          `/${field}/${i}/env/${j}/valueFrom/configMapKeyRef/name`,
          `/${field}/${i}/env/${j}/valueFrom/secretKeyRef/name`,
        ]),
      ),
      ...(envFrom ?? []).flatMap(({ configMapRef, secretRef }, j) =>
        eitherOf(configMapRef, secretRef, [
          `/${field}/${i}/envFrom/${j}/configMapRef/name`,
          `/${field}/${i}/envFrom/${j}/secretRef/name`,
        ]),
      ),
    ]),
  );
}

type Named = { readonly name?: string | undefined } | null | undefined;

function eitherOf(
  configMap: Named,
  secret: Named,
  [ofConfigMap, ofSecret]: readonly [string, string],
): readonly ConfigReference[] {
  return [
    ...reference("ConfigMap", configMap?.name, ofConfigMap),
    ...reference("Secret", secret?.name, ofSecret),
  ];
}

function reference(
  kind: SourceKind,
  name: string | undefined,
  pointer: string,
): readonly ConfigReference[] {
  return name === undefined ? [] : [{ kind, name, pointer }];
}
