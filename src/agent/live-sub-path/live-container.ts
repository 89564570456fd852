// What is known of one running container that has parts of config volumes mounted.

import type { ProcessIdentity } from "../../mounts/process-calls.ts";
import type { BehindReason } from "../../mounts/replace-mounts.ts";
import type { ContainerStatus } from "../../runtime/runtime.ts";
import type { VolumeUse } from "../sub-path/volume-use.ts";

/** How a container sees a part of a config volume. */
export type UseState =
  | { readonly state: "live" | "absent"; readonly version: string | undefined }
  | {
      readonly state: "frozen" | "behind";
      /** A word for machines. */
      readonly reason: string;
      /** A sentence for people. */
      readonly message: string;
      /** Of what it sees, which is older than what the volume shows. */
      readonly version: string | undefined;
    };

export interface LiveUse {
  readonly use: VolumeUse;
  state: UseState;
  /** What was told about it last, so that it is told once. */
  told: BehindReason | undefined;
}

export interface LiveContainer {
  readonly status: ContainerStatus;
  readonly process: ProcessIdentity;
  readonly uses: readonly LiveUse[];
}

/** Those that are replaced, of one volume or of all. */
export function replaceable({ uses }: LiveContainer, volume?: string): readonly LiveUse[] {
  return uses.filter(({ use }) => use.isLive && (volume === undefined || use.volume === volume));
}
