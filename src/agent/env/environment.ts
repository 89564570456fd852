// What a container's environment is made of, and what comes out. Fixed for the life of the container: the objects that it was
// made of are noted (start-note.ts), so that everybody can be told when it is out of date.

import type { Pod, Service } from "../../api/types.ts";
import type { AnyContainer } from "../all-containers.ts";
import type { ConfigObject, ObjectReference } from "../objects/config-object.ts";

export interface EnvironmentSources {
  readonly pod: Pod;
  readonly container: AnyContainer;
  readonly node: NodeFacts;
  /** Throws StatusError NotFound, among others. Each object is asked for once. */
  readonly object: (of: ObjectReference) => Promise<ConfigObject>;
  /** Undefined: they are not known yet. A static pod does not wait for them. */
  readonly services: readonly Service[] | undefined;
  readonly isStatic: boolean;
  /** Where a volume of the pod is on this machine, for fileKeyRef. */
  readonly volumePath: (volume: string) => string | undefined;
}

/** What pods can ask about the node that they run on. */
export interface NodeFacts {
  readonly name: string;
  /** The primary one first, at most one per family. Pods share them. */
  readonly addresses: readonly string[];
  /** As quantities: { cpu: "2", memory: "24Gi", … } */
  readonly allocatable: Readonly<Record<string, string>>;
}

export interface Environment {
  /** In the order of their declaration: the same every time. Values may be secrets. */
  readonly variables: ReadonlyMap<string, string>;
  /** What they were made of. */
  readonly objects: readonly ConfigObject[];
}
