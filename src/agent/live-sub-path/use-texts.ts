// What people are told about sub paths that do not follow their volume: which, why, and what to do.

import type { BehindReason } from "../../mounts/replace-mounts.ts";
import type { FreezeReason, VolumeUse } from "../sub-path/volume-use.ts";

const freezing: Readonly<Record<FreezeReason, string>> = {
  annotation:
    'the pod\'s annotation driftless.dev/live-subpath is "false". Restart the container to see changes, or remove the annotation and make the pod anew',
  kernel:
    "this node's kernel cannot put a mount beneath another one. Use Linux 6.5 or later, or mount the whole volume without subPath",
};

/** For one container: all its frozen uses have the same reason. */
export function frozenText(uses: readonly VolumeUse[]): string {
  const [first] = uses;
  const many = uses.length > 1 ? "stay as they were" : "stays as it was";
  const why = freezing[first?.whyFrozen ?? "kernel"];
  return `${uses.map(useText).join(", ")} ${many} when the container started: ${why}`;
}

const advice: Readonly<Record<BehindReason, string>> = {
  missing: "The container keeps what it had; it follows again when the key is back",
  sort: "Restart the container to see it",
  covered: "It follows again when that is unmounted",
  nested: "Mount it elsewhere, or restart the container to see the change",
  gone: "Restart the container to have it back",
  failed: "It is tried again",
};

export function behindText(use: VolumeUse, reason: BehindReason, detail: string): string {
  return `${useText(use)} does not show what the volume shows: ${detail}. ${advice[reason]}`;
}

function useText({ volume, mountPath, subPath }: VolumeUse): string {
  const quoted = JSON.stringify;
  return `${quoted(mountPath)} (volume ${quoted(volume)}, subPath ${quoted(subPath ?? "")})`;
}
