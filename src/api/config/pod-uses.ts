// In which ways a pod uses ConfigMaps and Secrets: the one answer that the agent's views, the reload controller, `plan`, `lint` and `audit`
// are built on. Pure: from a pod's spec, or a workload's template, and nothing else.

import type { Container, EphemeralContainer, PodSpec, Volume, VolumeMount } from "../types.ts";
import { list, text } from "../validation/absent.ts";
import {
  type ContainerVariables,
  containerVariables,
  referencesIn,
} from "./container-variables.ts";
import { keysOfPart, partAt, type ShownPart, segmentsOf, volumeKeys } from "./volume-keys.ts";

export type ConfigKind = "ConfigMap" | "Secret";

/** How content gets into a container. What a sidecar brings is known to the sidecar alone. */
export type ConfigHow = "volume" | "subPath" | "env" | "args";

export interface PodUse {
  readonly kind: ConfigKind;
  /** In the pod's own namespace. */
  readonly name: string;
  readonly how: ConfigHow;
  readonly container: string;
  /** "init" containers end before the others begin; "sidecar" are those init containers that stay. */
  readonly containerType: "init" | "sidecar" | "regular" | "ephemeral";
  /** Where files are seen, without a slash at its end; "" for env and args. */
  readonly mountPath: string;
  /** Name of the pod's volume; "" for env and args. */
  readonly volume: string;
  /** As it is written, for subPath; a subPathExpr too, unexpanded. "" otherwise, and for one that is all of the volume. */
  readonly subPath: string;
  /** Undefined: all that the object has, now and later. Never empty. */
  readonly keys: readonly string[] | undefined;
  /** Keys, or the whole object if `keys` is undefined, may be missing. */
  readonly optional: boolean;
  /** Names of variables, for env and args, where they are known: whole objects bring theirs. */
  readonly variables: readonly string[];
  /** Of the container's place in the spec: "spec.containers[0]". */
  readonly path: string;
}

/**
 * One entry per object, way, container and mountPath; the keys of several variables, or of several sources of a projected volume, are joined. Through
 * a subPath only the keys below that path count. Containers in the order in which they come to life, in each the variables before the mounts. `args` are those variables from objects that command or args of the container
 * name as $(NAME); they are `env` uses as well. What no container uses is not here, nor is what a mount cannot show.
 */
export function podUses(spec: PodSpec): readonly PodUse[] {
  const volumes = new Map<string, Volume>(
    list(spec.volumes).flatMap((volume) => (volume ? [[text(volume.name), volume] as const] : [])),
  );
  return placedContainers(spec).flatMap((placed) => joined(containerUses(placed, volumes)));
}

type AnyContainer = Container | EphemeralContainer;

type PlacedContainer = Pick<PodUse, "containerType" | "path"> & {
  readonly container: AnyContainer;
};

function placedContainers(spec: PodSpec): readonly PlacedContainer[] {
  const { initContainers, containers, ephemeralContainers } = spec;
  const placed = (
    field: string,
    of: readonly AnyContainer[] | null | undefined,
    typeOf: (container: AnyContainer) => PodUse["containerType"],
  ): readonly PlacedContainer[] =>
    list(of).flatMap((container, index) =>
      container
        ? [{ container, containerType: typeOf(container), path: `spec.${field}[${index}]` }]
        : [],
    );
  return [
    ...placed("initContainers", initContainers, ({ restartPolicy }) =>
      restartPolicy === "Always" ? "sidecar" : "init",
    ),
    ...placed("containers", containers, () => "regular"),
    ...placed("ephemeralContainers", ephemeralContainers, () => "ephemeral"),
  ];
}

function containerUses(
  { container, containerType, path }: PlacedContainer,
  volumes: ReadonlyMap<string, Volume>,
): readonly PodUse[] {
  const variables = containerVariables(container);
  const of = { container: text(container.name), containerType, path };
  const noFiles = { mountPath: "", volume: "", subPath: "" };
  const env = variables.used.map(({ key, ...use }) => ({
    ...{ ...of, ...noFiles, ...use, how: "env" as const },
    keys: key === undefined ? undefined : [key],
  }));
  const args = argUses(container, variables).map((use) => ({ ...of, ...noFiles, ...use }));
  const mounts = list(container.volumeMounts).flatMap((mount) => {
    const volume = mount ? volumes.get(text(mount.name)) : undefined;
    return volume ? mountUses(mount, volume, variables) : [];
  });
  return [...env, ...args, ...mounts.map((use) => ({ ...of, ...use }))];
}

type InContainer<Fields extends keyof PodUse = never> = Omit<
  PodUse,
  "container" | "containerType" | "path" | Fields
>;

function argUses(
  { command, args }: AnyContainer,
  variables: ContainerVariables,
): readonly InContainer<"mountPath" | "volume" | "subPath">[] {
  const named = new Set(
    [...list(command), ...list(args)].flatMap((arg) => referencesIn(text(arg))),
  );
  return [...named].flatMap((variable) =>
    variables.originsOf(variable).map(({ key, ...origin }) => ({
      ...{ ...origin, how: "args" as const },
      ...{ keys: [key], variables: [variable] },
    })),
  );
}

function mountUses(
  mount: VolumeMount,
  volume: Volume,
  variables: ContainerVariables,
): readonly InContainer[] {
  const written = text(mount.subPathExpr) || text(mount.subPath);
  const part = shownPart(mount, variables);
  const isWhole = segmentsOf(written).length === 0;
  return volumeKeys(volume).flatMap((source) => {
    const keys = keysOfPart(source, part);
    if (keys?.length === 0) return [];
    const { kind, name, optional } = source;
    return {
      ...{ kind, name, how: isWhole ? ("volume" as const) : ("subPath" as const) },
      mountPath: `/${segmentsOf(text(mount.mountPath)).join("/")}`,
      ...{ volume: text(mount.name), subPath: isWhole ? "" : written },
      ...{ keys, optional, variables: [] },
    };
  });
}

function shownPart(
  { subPath, subPathExpr }: VolumeMount,
  variables: ContainerVariables,
): ShownPart {
  if (!subPathExpr) return partAt(text(subPath));
  const expanded = variables.expanded(subPathExpr);
  return expanded === undefined ? "unknown" : partAt(expanded);
}

/** Uses of one container; those that only differ in what they take of the object become one. */
function joined(uses: readonly PodUse[]): readonly PodUse[] {
  const byIdentity = new Map<string, PodUse>();
  for (const use of uses) {
    const identity = JSON.stringify([use.kind, use.name, use.how, use.mountPath]);
    const before = byIdentity.get(identity);
    byIdentity.set(identity, before ? both(before, use) : use);
  }
  return [...byIdentity.values()];
}

function both(a: PodUse, b: PodUse): PodUse {
  return {
    ...a,
    keys: a.keys && b.keys && [...new Set([...a.keys, ...b.keys])],
    optional: a.optional && b.optional,
    variables: [...new Set([...a.variables, ...b.variables])],
  };
}
