// Pods for tests, as a server would have made them.

import { setPodDefaults } from "../../../api/defaults/pod.ts";
import type { Container, ObjectMeta, Pod, PodSpec, PodStatus } from "../../../api/types.ts";

export interface PodWishes {
  readonly metadata?: Partial<ObjectMeta>;
  readonly spec?: Partial<PodSpec>;
  readonly status?: PodStatus;
}

/** "web" in "default" on node "n1", with one container "app", unless something else is asked for. */
export function testPod({ metadata, spec, status }: PodWishes = {}): Pod {
  const pod: Pod = {
    metadata: { name: "web", namespace: "default", uid: "u1", resourceVersion: "1", ...metadata },
    spec: { containers: [testContainer("app")], nodeName: "n1", ...spec },
    status: status ?? { phase: "Pending", qosClass: "BestEffort" },
  };
  setPodDefaults(pod);
  pod.spec.restartPolicy ??= "Always";
  pod.spec.terminationGracePeriodSeconds ??= 30;
  return pod;
}

export function testContainer(name: string, image = "host"): Container {
  return { name, image, resources: {} };
}
