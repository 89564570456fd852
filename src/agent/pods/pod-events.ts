// What is told about pods and their containers, in the original's words.

import type { ObjectReference, Pod } from "../../api/types.ts";
import type { Events } from "../../controller/event-recorder.ts";

export type Teller = (type: "Normal" | "Warning", reason: string, message: string) => void;

export function aboutPod(events: Events, pod: Pod): Teller {
  const object = podReference(pod);
  return (type, reason, message) => events.record({ object, type, reason, message });
}

export function aboutContainer(events: Events, pod: Pod, name: string): Teller {
  const object = { ...podReference(pod), fieldPath: containerPath(pod, name) };
  return (type, reason, message) => events.record({ object, type, reason, message });
}

/** "web_default(8f2c…)", as messages name a pod. */
export function podText({ metadata }: Pod): string {
  const { name = "", namespace = "", uid = "" } = metadata;
  return `${name}_${namespace}(${uid})`;
}

function podReference({ metadata }: Pod): ObjectReference {
  const { namespace, name, uid, resourceVersion } = metadata;
  return {
    kind: "Pod",
    ...(namespace !== undefined && { namespace }),
    ...(name !== undefined && { name }),
    ...(uid !== undefined && { uid }),
    apiVersion: "v1",
    ...(resourceVersion !== undefined && { resourceVersion }),
  };
}

/** As events name the container. */
export function containerPath({ spec }: Pod, name: string): string {
  const isIn = (list: readonly { readonly name: string }[] | null | undefined): boolean =>
    (list ?? []).some((one) => one.name === name);
  if (isIn(spec.initContainers)) return `spec.initContainers{${name}}`;
  if (isIn(spec.ephemeralContainers)) return `spec.ephemeralContainers{${name}}`;
  return `spec.containers{${name}}`;
}
