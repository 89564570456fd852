// What a change of content never reaches: environments, arguments, subPath mounts and immutable objects, where nothing asks for a restart. What
// somebody takes care of in another way (names with hashes, a chart's checksum annotations) is no finding.

import type { PodUse } from "../../api/config/pod-uses.ts";
import { RELOAD_ANNOTATION } from "../../api/config/reload-rules.ts";
import { list, text } from "../../api/validation/absent.ts";
import type { ConfigFacts } from "../config-facts.ts";
import { type FieldPath, type Finding, type Fix, found } from "../finding.ts";
import { containerPath } from "../pod-subject.ts";
import { placedContainers, referencesOf } from "../references.ts";
import { nameOf } from "../subject.ts";
import { hasVersionInName } from "../version-in-name.ts";
import { effectOfChange, type JudgedPod, type World } from "./world.ts";

export function frozenFindings(pod: JudgedPod, world: World): readonly Finding[] {
  if (pod.isShortLived) return [];
  const isRolledAnyway = rollsByTemplate(pod);
  const frozen = isRolledAnyway ? [] : pod.uses.filter((use) => isFrozen(pod, use, world));
  return [
    ...frozen.flatMap((use) => frozenFinding(pod, use)),
    ...immutableFindings(pod, world),
    ...(isRolledAnyway ? [] : untoldFindings(pod, world)),
  ];
}

/** Charts put a hash of the content into the template; wave does it in the cluster. */
function rollsByTemplate({ podAnnotations, workloadAnnotations }: JudgedPod): boolean {
  const names = Object.keys(podAnnotations);
  return (
    names.some((name) => /^checksum\/|(?:^|\/)config-?hash$/.test(name)) ||
    workloadAnnotations["wave.pusher.com/update-on-config-change"] === "true"
  );
}

function isFrozen(pod: JudgedPod, use: PodUse, world: World): boolean {
  return (
    !isFixedName(pod, use, world) &&
    !acceptsAll(pod) &&
    effectOfChange(pod, use, world) === "frozen"
  );
}

/** Its content never changes under this name, or that is another rule's matter. */
function isFixedName({ subject }: JudgedPod, use: PodUse, { index }: World): boolean {
  const facts = index.find({ ...use, namespace: subject.namespace });
  return hasVersionInName(use.name) || (facts.length > 0 && facts.every((one) => one.isImmutable));
}

/** Somebody has said that nothing is to be done. */
function acceptsAll({ podAnnotations, workloadAnnotations }: JudgedPod): boolean {
  const said = podAnnotations[RELOAD_ANNOTATION] ?? workloadAnnotations[RELOAD_ANNOTATION];
  return said?.trim() === "none";
}

function frozenFinding(pod: JudgedPod, use: PodUse): readonly Finding[] {
  const { subject } = pod;
  const container = `container ${JSON.stringify(use.container)}`;
  const object = nameOf(use);
  const at = containerPath(pod, use.path);
  switch (use.how) {
    case "env": {
      const path = environmentPath(pod, use) ?? at;
      const message = `${capital(container)} takes ${variablesText(use)} from ${object} once, when it starts.`;
      return [found("env-frozen", { subject, path }, message, { fix: reloadFix(pod) })];
    }
    case "args": {
      const path = argumentPath(pod, use) ?? at;
      const message = `The arguments of ${container} are made from ${object} (${use.variables.join(", ")}) once, when it starts.`;
      return [found("args-frozen", { subject, path }, message, { fix: reloadFix(pod) })];
    }
    case "subPath": {
      const path = mountPath(pod, use);
      const message = `${use.mountPath} in ${container} is mounted from ${object} with subPath and stays as it is when the container starts.`;
      return [found("subpath-frozen", { subject, path: path ?? at }, message)];
    }
    case "volume":
      return [];
  }
}

/** Others than these would not be restarted by it. */
function reloadFix({ canRestart, rules }: JudgedPod): Fix | undefined {
  if (!canRestart || rules.asksForSomething || rules.problems.length > 0) return undefined;
  return { type: "annotate", key: RELOAD_ANNOTATION, value: "auto" };
}

function variablesText({ variables, keys }: PodUse): string {
  if (variables.length === 0 || keys === undefined) return "its environment";
  const shown = variables.slice(0, 3).join(", ");
  return variables.length > 3 ? `${shown} and ${variables.length - 3} more` : shown;
}

function environmentPath(pod: JudgedPod, use: PodUse): FieldPath | undefined {
  return referencesOf(pod).find(
    ({ how, kind, name, of }) =>
      how !== "volume" && kind === use.kind && name === use.name && of === use.container,
  )?.path;
}

function argumentPath(pod: JudgedPod, { container, variables }: PodUse): FieldPath | undefined {
  const placed = placedContainers(pod).find((one) => one.container.name === container);
  if (placed === undefined) return undefined;
  for (const field of ["command", "args"] as const) {
    const index = list(placed.container[field]).findIndex((arg) =>
      variables.some((name) => arg.includes(`$(${name})`)),
    );
    if (index >= 0) return [...placed.path, field, index];
  }
  return undefined;
}

function mountPath(pod: JudgedPod, use: PodUse): FieldPath | undefined {
  const placed = placedContainers(pod).find((one) => one.container.name === use.container);
  const mounts = list(placed?.container.volumeMounts);
  const index = mounts.findIndex(
    ({ name, subPath, subPathExpr }) =>
      name === use.volume && (text(subPathExpr) || text(subPath)) === use.subPath,
  );
  if (placed === undefined || index < 0) return undefined;
  const field = text(mounts[index]?.subPathExpr) === "" ? "subPath" : "subPathExpr";
  return [...placed.path, "volumeMounts", index, field];
}

function immutableFindings(pod: JudgedPod, { index }: World): readonly Finding[] {
  const { subject } = pod;
  const told = new Set<string>();
  return referencesOf(pod).flatMap((reference) => {
    const [facts] = index.find({ ...reference, namespace: subject.namespace });
    const object = nameOf(reference);
    if (facts === undefined || told.has(object)) return [];
    told.add(object);
    const at = { subject, path: reference.namePath };
    return [...unversioned(facts, object, at), ...recreated(facts, object, at)];
  });
}

type At = Parameters<typeof found>[1];

function unversioned(facts: ConfigFacts, object: string, at: At): readonly Finding[] {
  if (!facts.isImmutable || hasVersionInName(facts.name)) return [];
  const message = `${object} is immutable, and its name carries no version: a new content needs it deleted and created anew.`;
  return [found("immutable-unversioned", at, message)];
}

function recreated({ recreatedBy }: ConfigFacts, object: string, at: At): readonly Finding[] {
  if (recreatedBy === undefined) return [];
  const message = `${object} is deleted and created anew by ${recreatedBy}.`;
  return [found("recreated-name", at, message)];
}

/** Containers that watch files and tell the program, by what their images are called. */
const WATCHERS =
  /config-?map-reload|config-?reload|k8s-sidecar|driftless|reloader|config-?sync|confd|consul-template/;

/** Once per pod: how the program is told is one decision. */
function untoldFindings(pod: JudgedPod, world: World): readonly Finding[] {
  const { rules, subject } = pod;
  if (rules.asksForSomething || rules.problems.length > 0) return [];
  const images = placedContainers(pod).map(({ container }) => text(container.image));
  if (images.some((image) => WATCHERS.test(image))) return [];
  const use = pod.uses.find(
    (one) => one.how === "volume" && one.containerType !== "init" && !isFixedName(pod, one, world),
  );
  if (use === undefined) return [];
  const message = `The files at ${use.mountPath} follow ${nameOf(use)}; nothing says how the program in container ${JSON.stringify(use.container)} hears of it.`;
  const path = wholeMountPath(pod, use) ?? containerPath(pod, use.path);
  return [found("nobody-tells-the-app", { subject, path }, message)];
}

function wholeMountPath(pod: JudgedPod, use: PodUse): FieldPath | undefined {
  const placed = placedContainers(pod).find((one) => one.container.name === use.container);
  const index = list(placed?.container.volumeMounts).findIndex(({ name }) => name === use.volume);
  return placed === undefined || index < 0 ? undefined : [...placed.path, "volumeMounts", index];
}

function capital(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}
