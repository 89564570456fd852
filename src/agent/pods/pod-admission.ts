// Which pods this node does not take, in the original's words. What the network looks like is no reason: pods share the
// host's.

import type { Pod } from "../../api/types.ts";
import type { Verdict } from "./pod-status.ts";

const OS = "linux";
const OS_LABEL = "kubernetes.io/os";

/** Undefined: it is welcome. */
export function whyRejected({ spec }: Pod, nodeName: string): Verdict | undefined {
  if (spec.nodeName !== nodeName) {
    return failed("NodeName", "node(s) didn't match the requested node name");
  }
  if ((spec.nodeSelector?.[OS_LABEL] ?? OS) !== OS) {
    return {
      reason: "PodOSSelectorNodeLabelDoesNotMatch",
      message: "Failed to admit pod as the `kubernetes.io/os` label doesn't match node label",
    };
  }
  if ((spec.os?.name ?? OS) !== OS) {
    return {
      reason: "PodOSNotSupported",
      message: "Failed to admit pod as the OS field doesn't match node OS",
    };
  }
  const missing = unsupported(spec);
  return missing === undefined
    ? undefined
    : {
        reason: "PodFeatureUnsupported",
        message: `Pod needs ${missing}, which this node does not have`,
      };
}

function unsupported(spec: Pod["spec"]): string | undefined {
  if ((spec.resourceClaims ?? []).length > 0) return "resource claims";
  return spec.hostUsers === false ? "user namespaces" : undefined;
}

function failed(predicate: string, why: string): Verdict {
  return { reason: predicate, message: `Predicate ${predicate} failed: ${why}` };
}
