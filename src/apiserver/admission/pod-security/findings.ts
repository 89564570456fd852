// What a check says of a pod, and the phrases that checks share.

import type { Container, ObjectMeta, PodSpec, SecurityContext } from "../../../api/types.ts";
import { list } from "../../../api/validation/absent.ts";

/** A pod, or the template of one. */
export interface PodLike {
  readonly metadata?: ObjectMeta | undefined;
  readonly spec: PodSpec;
}

export interface Finding {
  readonly reason: string;
  /** "" if the reason says it all. */
  readonly detail: string;
}

/** Undefined if the pod is as it should be. */
export type Check = (pod: PodLike) => Finding | undefined;

/** In the order in which they are told. */
export function containersOf({ spec }: PodLike): readonly Container[] {
  return [
    ...list(spec.initContainers),
    ...list(spec.containers),
    ...list(spec.ephemeralContainers),
  ];
}

export function contextOf(container: Container): SecurityContext {
  return container.securityContext ?? {};
}

/** The names of the containers for which `isBad`. */
export function namesOf(
  containers: readonly Container[],
  isBad: (container: Container) => boolean,
): readonly string[] {
  return containers.filter(isBad).map(({ name }) => name);
}

/** `container "a"`, `containers "a", "b"` */
export function counted(what: string, names: readonly string[]): string {
  return `${plural(what, names)} ${quoted(names)}`;
}

/** The word, in the number in which there are `items`. */
export function plural(word: string, items: readonly unknown[], many = `${word}s`): string {
  return items.length === 1 ? word : many;
}

/** `"a", "b"`; nothing in them is escaped. */
export function quoted(items: readonly string[]): string {
  return items.map((item) => `"${item}"`).join(", ");
}

/** Each once, in order. */
export function distinct(items: readonly string[]): readonly string[] {
  return [...new Set(items)].sort();
}

/** `pod and containers "a", "b"`: who set something that is not allowed. "" if nobody did. */
export function setters(isPod: boolean, names: readonly string[]): string {
  return [
    ...(isPod ? ["pod"] : []),
    ...(names.length > 0 ? [counted("container", names)] : []),
  ].join(" and ");
}

/** A check that has nothing to say of pods for which `isExempt`. */
export function except(isExempt: (pod: PodLike) => boolean, check: Check): Check {
  return (pod) => (isExempt(pod) ? undefined : check(pod));
}

export function isWindows({ spec }: PodLike): boolean {
  return spec.os?.name === "windows";
}

/** Its root is nobody on the node. */
export function hasOwnUsers({ spec }: PodLike): boolean {
  return spec.hostUsers === false;
}
