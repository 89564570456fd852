// Whether what a pod refers to is there: objects, and keys in them. Where nothing is known of an object, nothing is said of its keys.

import { list, text } from "../../api/validation/absent.ts";
import type { ConfigFacts } from "../config-facts.ts";
import { type FieldPath, type Finding, found } from "../finding.ts";
import { suggestion } from "../nearest-name.ts";
import {
  configVolumes,
  placedContainers,
  type Reference,
  referencesOf,
  sourcesOf,
} from "../references.ts";
import { nameOf } from "../subject.ts";
import { kustomizeBase } from "../version-in-name.ts";
import type { JudgedPod, World } from "./world.ts";

/** Every namespace of a cluster has these. */
const ALWAYS_THERE: ReadonlySet<string> = new Set([
  "configmap/kube-root-ca.crt",
  "configmap/openshift-service-ca.crt",
]);

export function referenceFindings(pod: JudgedPod, world: World): readonly Finding[] {
  const told = new Set<string>();
  const missing = referencesOf(pod).flatMap((reference) => {
    const facts = factsOf(pod, reference, world);
    if (facts.length > 0) return keyFindings(pod, reference, facts);
    const object = nameOf(reference);
    const isTold = told.has(object);
    told.add(object);
    return isTold ? [] : objectFinding(pod, reference, world);
  });
  return [...missing, ...subPathFindings(pod, world)];
}

function factsOf(
  { subject }: JudgedPod,
  reference: Pick<Reference, "kind" | "name">,
  { index }: World,
): readonly ConfigFacts[] {
  return index.find({ ...reference, namespace: subject.namespace });
}

function objectFinding(pod: JudgedPod, reference: Reference, world: World): readonly Finding[] {
  const { index, isStrict, isLive } = world;
  const { kind, name, namePath, optional } = reference;
  const { subject } = pod;
  const object = nameOf(reference);
  const at = { subject, path: namePath };
  if (!index.knows(kind) || ALWAYS_THERE.has(object)) return [];
  const names = index.names({ kind, namespace: subject.namespace });
  const renamed = renamedTo(reference, names);
  if (renamed !== undefined) {
    return [found("stale-hash-name", at, `${object} is not here, but ${renamed} is.`)];
  }
  const hint = suggestion(name, names);
  const where = isLive ? "does not exist" : "is not in the input";
  if (optional) {
    return [found("optional-object-missing", at, `${object} is optional and ${where}.${hint}`)];
  }
  const severity = isStrict || isLive ? "error" : "note";
  return [found("missing-object", at, `${object} ${where}.${hint}`, { severity })];
}

/** The object under another hash, or under one while the reference has none. */
function renamedTo({ name }: Reference, names: Iterable<string>): string | undefined {
  const base = kustomizeBase(name) ?? name;
  for (const other of names) if (kustomizeBase(other) === base) return other;
  return undefined;
}

function keyFindings(
  pod: JudgedPod,
  reference: Reference,
  facts: readonly ConfigFacts[],
): readonly Finding[] {
  return reference.keys.flatMap(({ key, path }) => {
    if (key === "" || facts.some(({ keys }) => keys === undefined || keys.has(key))) return [];
    const names = facts.flatMap(({ keys }) => [...(keys?.keys() ?? [])]);
    const at = { subject: pod.subject, path };
    const what = `${nameOf(reference)} has no key ${JSON.stringify(key)}`;
    const hint = suggestion(key, names);
    if (!reference.optional) return [found("missing-key", at, `${what}.${hint}`)];
    const absent = reference.how === "env" ? `variable ${reference.variable}` : "file";
    return [
      found("optional-key-missing", at, `${what}: the ${absent} is left out silently.${hint}`),
    ];
  });
}

/** The kubelet makes an empty directory of a subPath that is not there. */
function subPathFindings(pod: JudgedPod, world: World): readonly Finding[] {
  const volumes = configVolumes(pod.spec);
  return placedContainers(pod).flatMap(({ container, path }) =>
    list(container.volumeMounts).flatMap((mount, index) => {
      const known = volumes.get(text(mount.name));
      const subPath = text(mount.subPath).replace(/^(?:\.?\/)+|\/+$/g, "");
      if (known === undefined || subPath === "") return [];
      const files = filesOf(pod, known.volume, world);
      if (files === undefined || files.some((file) => isAtOrBelow(file, subPath))) return [];
      const at = { subject: pod.subject, path: [...path, "volumeMounts", index, "subPath"] };
      const message = `The volume ${JSON.stringify(mount.name)} has no file ${JSON.stringify(subPath)}: the mount becomes an empty directory.`;
      return [found("missing-key", at, `${message}${suggestion(subPath, files)}`)];
    }),
  );
}

function isAtOrBelow(file: string, path: string): boolean {
  return file === path || file.startsWith(`${path}/`);
}

/** The paths that a volume shows; undefined if they are not all known. */
function filesOf(
  pod: JudgedPod,
  volume: Parameters<typeof sourcesOf>[0],
  world: World,
): readonly string[] | undefined {
  const none: FieldPath = [];
  const files: string[] = [];
  for (const { items, reference } of sourcesOf(volume, none)) {
    const names = items?.map(({ path }) => text(path)) ?? keysOf(pod, reference, world);
    if (names === undefined) return undefined;
    files.push(...names);
  }
  return files;
}

function keysOf(
  pod: JudgedPod,
  reference: Reference | undefined,
  world: World,
): readonly string[] | undefined {
  if (reference === undefined) return [];
  const facts = factsOf(pod, reference, world);
  if (facts.length === 0 || facts.some(({ keys }) => keys === undefined)) return undefined;
  return facts.flatMap(({ keys }) => [...(keys?.keys() ?? [])]);
}
