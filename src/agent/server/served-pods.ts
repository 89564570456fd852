// What of this node's pods others may ask about.

import type { Pod, PodStatus } from "../../api/types.ts";

export interface ServedPod {
  readonly pod: Pod;
  /** The newest, whether the server has it or not. */
  readonly status: PodStatus;
}

export interface ServedPods {
  find(namespace: string, name: string): ServedPod | undefined;
  list(): readonly ServedPod[];
}
