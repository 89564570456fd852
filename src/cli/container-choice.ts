// Which container of a pod is meant: the one that was named, the one that an annotation names, or the first, which is said then.

import type { Pod } from "../api/types.ts";
import { CliError } from "./cli-error.ts";

const DEFAULT_CONTAINER = "kubectl.kubernetes.io/default-container";

export interface ContainerChoice {
  readonly container: string;
  /** For people, if there were others. */
  readonly note?: string;
}

/** Throws CliError if there is no such container. */
export function chooseContainer(pod: Pod, asked: string | undefined): ContainerChoice {
  const names = containersOf(pod);
  const named = asked ?? pod.metadata.annotations?.[DEFAULT_CONTAINER] ?? "";
  const podName = pod.metadata.name ?? "";
  if (named !== "") {
    if (names.includes(named)) return { container: named };
    throw new CliError(`container ${named} is not valid for pod ${podName} out of: ${listed(pod)}`);
  }
  const first = pod.spec?.containers?.[0]?.name;
  if (first === undefined) throw new CliError(`pod ${podName} does not have any containers`);
  if (names.length === 1) return { container: first };
  return { container: first, note: `Defaulted container "${first}" out of: ${listed(pod)}` };
}

/** In the order in which they begin. */
export function containersOf({ spec }: Pod): readonly string[] {
  const { initContainers, containers, ephemeralContainers } = spec ?? {};
  const all = [...(initContainers ?? []), ...(containers ?? []), ...(ephemeralContainers ?? [])];
  return all.map(({ name }) => name);
}

function listed({ spec }: Pod): string {
  return [
    ...(spec?.containers ?? []).map(({ name }) => name),
    ...(spec?.ephemeralContainers ?? []).map(({ name }) => `${name} (ephem)`),
    ...(spec?.initContainers ?? []).map(({ name }) => `${name} (init)`),
  ].join(", ");
}
