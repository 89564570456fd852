// What is allowed in a pod or a template and yet deserves a word: labels that were renamed, volumes that do nothing any
// more, definitions that hide each other.

import { parseQuantity } from "../quantity.ts";
import type {
  Container,
  ContainerPort,
  NodeSelectorTerm,
  ObjectMeta,
  PodAffinity,
  PodSpec,
} from "../types.ts";
import { entry, isAbsent, list, number, text } from "./absent.ts";
import { FieldPath } from "./field-path.ts";
import { goQuote } from "./go-text.ts";
import { ipWarnings } from "./ip-warnings.ts";
import { labelValue } from "./names.ts";
import { appArmorOf, appArmorPrefix } from "./pod-annotations.ts";
import { semanticEqual } from "./semantic-equal.ts";
import { type PlacedContainer, visitContainers } from "./visit-containers.ts";
import { overlapWarnings } from "./volume-warnings.ts";

const renamedLabels: { readonly [label: string]: string } = {
  "beta.kubernetes.io/arch": 'deprecated since v1.14; use "kubernetes.io/arch" instead',
  "beta.kubernetes.io/os": 'deprecated since v1.14; use "kubernetes.io/os" instead',
  "failure-domain.beta.kubernetes.io/region":
    'deprecated since v1.17; use "topology.kubernetes.io/region" instead',
  "failure-domain.beta.kubernetes.io/zone":
    'deprecated since v1.17; use "topology.kubernetes.io/zone" instead',
  "beta.kubernetes.io/instance-type":
    'deprecated since v1.17; use "node.kubernetes.io/instance-type" instead',
  "app.kubernetes.io/created-by": "deprecated since v1.9",
  "scheduler.alpha.kubernetes.io/preferAvoidPods":
    "deprecated since v1.22; use Taints and Tolerations instead",
  "node-role.kubernetes.io/master": 'use "node-role.kubernetes.io/control-plane" instead',
};
const deadAnnotations: { readonly [key: string]: string } = {
  "scheduler.alpha.kubernetes.io/critical-pod":
    'non-functional in v1.16+; use the "priorityClassName" field instead',
  "security.alpha.kubernetes.io/sysctls":
    'non-functional in v1.11+; use the "sysctls" field instead',
  "security.alpha.kubernetes.io/unsafe-sysctls":
    'non-functional in v1.11+; use the "sysctls" field instead',
};
const deadVolumes = {
  photonPersistentDisk: "deprecated in v1.11, non-functional in v1.16+",
  gitRepo: "deprecated in v1.11, and disabled by default in v1.33+",
  scaleIO: "deprecated in v1.16, non-functional in v1.22+",
  flocker: "deprecated in v1.22, non-functional in v1.25+",
  storageos: "deprecated in v1.22, non-functional in v1.25+",
  quobyte: "deprecated in v1.22, non-functional in v1.25+",
  glusterfs: "deprecated in v1.25, non-functional in v1.26+",
  cephfs: "deprecated in v1.28, non-functional in v1.31+",
  rbd: "deprecated in v1.28, non-functional in v1.31+",
} as const;
const seccompPodKey = "seccomp.security.alpha.kubernetes.io/pod";
const seccompContainerPrefix = "container.seccomp.security.alpha.kubernetes.io/";
const requiredName = "requiredDuringSchedulingIgnoredDuringExecution";
const preferredName = "preferredDuringSchedulingIgnoredDuringExecution";

export interface PodParts {
  readonly metadata: ObjectMeta;
  readonly spec: PodSpec;
}

/** `path` is of the template; a pod has none. */
export function podWarnings({ metadata, spec }: PodParts, path?: FieldPath): string[] {
  const root = path ?? FieldPath.of();
  const at = root.child("spec");
  const containers = visitContainers(spec, at);
  return [
    ...nodeLabelWarnings(spec, at),
    ...spreadWarnings(spec, at.child("topologySpreadConstraints")),
    ...Object.entries(deadAnnotations)
      .filter(([key]) => metadata.annotations?.[key] !== undefined)
      .map(([key, text]) => root.child("metadata", "annotations").key(key).says(text)),
    ...volumeWarnings(spec, at.child("volumes")),
    ...overlapWarnings(list(spec.volumes)),
    ...repeated(list(spec.hostAliases), "ip", at.child("hostAliases")),
    ...repeated(list(spec.imagePullSecrets), "name", at.child("imagePullSecrets")),
    ...list(spec.imagePullSecrets).flatMap(({ name }, i) => {
      const place = at.child("imagePullSecrets").index(i).child("name");
      return text(name) === "" ? [place.says('invalid empty name ""')] : [];
    }),
    ...fractionWarnings(spec.overhead, at.child("overhead")),
    ...profileWarnings({ metadata, spec }, containers, { root, isTemplate: path !== undefined }),
    ...portWarnings(containers),
    ...portNameWarnings(containers),
    ...(number(spec.terminationGracePeriodSeconds) < 0
      ? [
          at
            .child("terminationGracePeriodSeconds")
            .says("must be >= 0; negative values are invalid and will be treated as 1"),
        ]
      : []),
    ...(["podAffinity", "podAntiAffinity"] as const).flatMap((kind) =>
      termWarnings(spec.affinity?.[kind], at.child("affinity", kind)),
    ),
    ...addressWarnings(spec, at),
  ];
}

function nodeLabelWarnings({ nodeSelector, affinity }: PodSpec, path: FieldPath): string[] {
  const node = affinity?.nodeAffinity;
  const at = path.child("affinity", "nodeAffinity");
  return [
    ...Object.keys(nodeSelector ?? {})
      .filter((label) => entry(renamedLabels, label) !== undefined)
      .map((label) => path.child("nodeSelector").key(label).says(text(renamedLabels[label]))),
    ...list(node?.[requiredName]?.nodeSelectorTerms).flatMap((term, i) =>
      nodeTermWarnings(term, at.child(requiredName, "nodeSelectorTerms").index(i), false),
    ),
    ...list(node?.[preferredName]).flatMap(({ preference }, i) =>
      nodeTermWarnings(preference, at.child(preferredName).index(i).child("preference"), true),
    ),
  ];
}

/** `judgesValues`: where values are not validated, those that no label can have are told. */
function nodeTermWarnings(
  term: NodeSelectorTerm,
  path: FieldPath,
  judgesValues: boolean,
): string[] {
  return list(term.matchExpressions).flatMap(({ key, values }, i) => {
    const at = path.child("matchExpressions").index(i);
    const told = entry(renamedLabels, key);
    return [
      ...(told === undefined ? [] : [at.child("key").says(`${key} is ${told}`)]),
      ...list(judgesValues ? values : []).flatMap((value, j) =>
        labelValue(value).map((detail) =>
          at.child("values").index(j).says(`${value} is invalid, ${detail}`),
        ),
      ),
    ];
  });
}

function spreadWarnings(spec: PodSpec, path: FieldPath): string[] {
  return list(spec.topologySpreadConstraints).flatMap(({ topologyKey, labelSelector }, i) => {
    const at = path.index(i);
    const told = entry(renamedLabels, topologyKey);
    return [
      ...(told === undefined ? [] : [at.child("topologyKey").says(`${topologyKey} is ${told}`)]),
      ...(isAbsent(labelSelector) ? [noSelector(at.child("labelSelector"))] : []),
    ];
  });
}

function volumeWarnings(spec: PodSpec, path: FieldPath): string[] {
  const names = Object.keys(deadVolumes) as (keyof typeof deadVolumes)[];
  return list(spec.volumes).flatMap((volume, i) =>
    names
      .filter((name) => !isAbsent(volume[name]))
      .map((name) => {
        const shown = name === "storageos" ? "storageOS" : name;
        return path.index(i).child(shown).says(deadVolumes[name]);
      }),
  );
}

function repeated<K extends "ip" | "name">(
  items: readonly { readonly [key in K]?: string | undefined }[],
  key: K,
  path: FieldPath,
): string[] {
  const seen = new Set<string>();
  return items.flatMap((item, i) => {
    const value = text(item[key]);
    if (seen.has(value))
      return [
        path
          .index(i)
          .child(key)
          .says(`duplicate ${key} ${goQuote(value)}`),
      ];
    seen.add(value);
    return [];
  });
}

function fractionWarnings(
  amounts: { readonly [name: string]: string } | undefined,
  path: FieldPath,
): string[] {
  return ["memory", "ephemeral-storage"].flatMap((name) => {
    const value = amounts?.[name];
    if (value === undefined || parseQuantity(value).milliValue() % 1000n === 0n) return [];
    return [
      path.key(name).says(`fractional byte value ${goQuote(value)} is invalid, must be an integer`),
    ];
  });
}

interface ProfileContext {
  readonly root: FieldPath;
  readonly isTemplate: boolean;
}

function profileWarnings(
  { metadata, spec }: PodParts,
  containers: readonly PlacedContainer[],
  { root, isTemplate }: ProfileContext,
): string[] {
  const annotations = metadata.annotations ?? {};
  const place = (key: string) => root.child("metadata", "annotations").key(key);
  const seccomp = (key: string) =>
    place(key).says('non-functional in v1.27+; use the "seccompProfile" field instead');
  const warnings: string[] = [];
  if (
    spec.securityContext?.seccompProfile === undefined &&
    annotations[seccompPodKey] !== undefined
  ) {
    warnings.push(seccomp(seccompPodKey));
  }
  for (const { container, path } of containers) {
    const key = seccompContainerPrefix + container.name;
    if (container.securityContext?.seccompProfile === undefined && annotations[key] !== undefined) {
      warnings.push(seccomp(key));
    }
    const armor = appArmorPrefix + container.name;
    if (isTemplate && needsAppArmorField(container, annotations[armor], spec)) {
      warnings.push(
        place(armor).says('deprecated since v1.30; use the "appArmorProfile" field instead'),
      );
    }
    warnings.push(...resourceWarnings(container, path), ...hiddenVariables(container, path));
  }
  return warnings;
}

function needsAppArmorField(
  container: Container,
  annotation: string | undefined,
  spec: PodSpec,
): boolean {
  if (annotation === undefined) return false;
  if (container.securityContext?.appArmorProfile !== undefined) return false;
  const ofPod = spec.securityContext?.appArmorProfile;
  return ofPod === undefined || !semanticEqual(ofPod, appArmorOf(annotation));
}

function resourceWarnings({ resources }: Container, path: FieldPath): string[] {
  const { limits, requests } = resources;
  const one = (name: string) => [
    ...fractionWarnings(only(limits, name), path.child("resources", "limits")),
    ...fractionWarnings(only(requests, name), path.child("resources", "requests")),
  ];
  return ["memory", "ephemeral-storage"].flatMap(one);
}

function only(
  amounts: { readonly [name: string]: string } | undefined,
  name: string,
): { readonly [name: string]: string } {
  const value = amounts?.[name];
  return value === undefined ? {} : { [name]: value };
}

/** A variable that is defined again may go on from its old value; otherwise the first definition is lost. */
function hiddenVariables({ env }: Container, path: FieldPath): string[] {
  const seen = new Set<string>();
  return list(env).flatMap(({ name, value, valueFrom }, i) => {
    if (!seen.has(name)) {
      seen.add(name);
      return [];
    }
    const reference = `$(${name})`;
    const goesOn =
      isAbsent(valueFrom) && text(value) !== reference && text(value).includes(reference);
    if (goesOn) return [];
    const place = path.child("env").index(i);
    return [
      place.says(
        `hides previous definition of ${goQuote(name)}, which may be dropped when using apply`,
      ),
    ];
  });
}

function portWarnings(containers: readonly PlacedContainer[]): string[] {
  const known = new Map<string, { readonly place: FieldPath; readonly port: ContainerPort }[]>();
  return containers.flatMap(({ container, path }) =>
    list(container.ports).flatMap((port, i) => {
      const place = path.child("ports").index(i);
      const key = `${port.containerPort}/${text(port.protocol)}`;
      const others = known.get(key) ?? [];
      known.set(key, [...others, { place, port }]);
      return [
        ...(text(port.hostIP) !== "" && number(port.hostPort) === 0
          ? [place.says(`hostIP set without hostPort: ${shownPort(port)}`)]
          : []),
        ...others.flatMap((other) => {
          const clash = portClash(port, other.port);
          return clash === undefined
            ? []
            : [place.says(`${clash} port definition with ${other.place.toString()}`)];
        }),
      ];
    }),
  );
}

function portClash(port: ContainerPort, other: ContainerPort): string | undefined {
  const [ip, otherIp] = [text(port.hostIP), text(other.hostIP)];
  const [host, otherHost] = [number(port.hostPort), number(other.hostPort)];
  if (ip === otherIp && host === otherHost) return "duplicate";
  if (host === 0 || otherHost === 0) return "overlapping";
  const isOneOpen = (ip === "") !== (otherIp === "");
  return host === otherHost && isOneOpen ? "dangerously ambiguous" : undefined;
}

function shownPort(port: ContainerPort): string {
  const { containerPort } = port;
  const name = text(port.name);
  return `{Name:${name} HostPort:0 ContainerPort:${containerPort} Protocol:${text(port.protocol)} HostIP:${text(port.hostIP)}}`;
}

function portNameWarnings(containers: readonly PlacedContainer[]): string[] {
  const known = new Map<string, FieldPath>();
  return containers.flatMap(({ container, path }) =>
    list(container.ports).flatMap((port, i) => {
      const name = text(port.name);
      const place = path.child("ports").index(i);
      const other = known.get(name);
      if (name === "") return [];
      if (other === undefined) {
        known.set(name, place);
        return [];
      }
      return [
        place.says(
          `duplicate port name ${goQuote(name)} with ${other.toString()}, services and probes that select ports by name will use ${other.toString()}`,
        ),
      ];
    }),
  );
}

function termWarnings(affinity: PodAffinity | undefined, path: FieldPath): string[] {
  return [
    ...list(affinity?.[requiredName]).flatMap(({ labelSelector }, i) =>
      isAbsent(labelSelector)
        ? [noSelector(path.child(requiredName).index(i).child("labelSelector"))]
        : [],
    ),
    ...list(affinity?.[preferredName]).flatMap(({ podAffinityTerm: term }, i) => {
      const place = path.child(preferredName).index(i).child("podAffinityTerm", "labelSelector");
      return isAbsent(term.labelSelector) ? [noSelector(place)] : [];
    }),
  ];
}

function noSelector(path: FieldPath): string {
  return path.says("a null labelSelector results in matching no pod");
}

function addressWarnings(spec: PodSpec, path: FieldPath): string[] {
  return [
    ...list(spec.dnsConfig?.nameservers).flatMap((server, i) =>
      ipWarnings(path.child("dnsConfig", "nameservers").index(i), server),
    ),
    ...list(spec.hostAliases).flatMap(({ ip }, i) =>
      ipWarnings(path.child("hostAliases").index(i).child("ip"), ip),
    ),
  ];
}
