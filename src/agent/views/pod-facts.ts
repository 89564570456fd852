// What the agent knows of one pod at one instant: all that its view is made of.

import type { ConfigKind } from "../../api/config/pod-uses.ts";
import type { Pod } from "../../api/types.ts";
import type { ReportedUse } from "../live-sub-path/live-sub-paths.ts";
import type { ObjectReference, ObjectVersion } from "../objects/config-object.ts";
import type { PodContainers } from "../pods/pod-containers.ts";
import type { Acknowledgement, NodeReload, ObjectStages, Tampering } from "./view-sources.ts";

export interface PodFacts {
  /** As it runs here. */
  readonly pod: Pod;
  readonly containers: PodContainers;
  readonly volumes: ReadonlyMap<string, ShownVolume>;
  /** Why volumes could not be refreshed of which this life of the agent knows nothing else. */
  readonly failures: ReadonlyMap<string, unknown>;
  readonly subPaths: readonly ReportedUse[];
  readonly stages: Pick<ObjectStages, "stage" | "usedVersions">;
  readonly acks: readonly Acknowledgement[];
  readonly tampering: readonly Tampering[];
  readonly reloads: readonly NodeReload[];
  /** Wall clock. */
  readonly nowMs: number;
}

/** What a volume shows, since when, and what it showed before. */
export interface ShownVolume {
  /** Of its files; undefined if the agent does not write them. */
  readonly version: string | undefined;
  readonly versions: readonly ObjectVersion[];
  /** Undefined: since a former life of the agent. */
  readonly shownAtMs: number | undefined;
  /** Why it could not be refreshed. */
  readonly failure: unknown;
  /** What it was made of when its files had this version; undefined if nobody remembers. */
  past(version: string): readonly ObjectVersion[] | undefined;
}

export function referenceTo(
  { kind, name }: { readonly kind: ConfigKind; readonly name: string },
  { pod }: Pick<PodFacts, "pod">,
): ObjectReference {
  return { kind, name, namespace: pod.metadata.namespace ?? "" };
}
