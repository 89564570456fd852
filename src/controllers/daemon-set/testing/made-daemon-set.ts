// DaemonSets and nodes for tests, made of what the test is about.

import type { DaemonSetSpec, PodSpec, Taint } from "../../../api/types.ts";
import type { DaemonSetObject, NodeObject } from "../daemon-set-object.ts";

export const LABELS: Readonly<Record<string, string>> = { app: "agent" };

export interface MadeDaemonSet {
  readonly template?: Partial<PodSpec>;
  readonly spec?: Partial<DaemonSetSpec>;
  readonly rollingUpdate?: {
    readonly maxUnavailable?: number | string;
    readonly maxSurge?: number | string;
  };
  readonly annotations?: Readonly<Record<string, string>>;
}

export function madeDaemonSet(of: MadeDaemonSet = {}): DaemonSetObject {
  const { template, spec, rollingUpdate = { maxUnavailable: 1, maxSurge: 0 }, annotations } = of;
  const set = {
    apiVersion: "apps/v1",
    kind: "DaemonSet",
    metadata: {
      name: "agent",
      namespace: "default",
      uid: "uid-agent",
      generation: 2,
      ...(annotations && { annotations }),
    },
    spec: {
      selector: { matchLabels: LABELS },
      template: {
        metadata: { labels: LABELS },
        spec: { containers: [{ name: "c", image: "host" }], ...template },
      },
      updateStrategy: { type: "RollingUpdate", rollingUpdate },
      ...spec,
    },
    status: {
      currentNumberScheduled: 0,
      numberMisscheduled: 0,
      desiredNumberScheduled: 0,
      numberReady: 0,
    },
  };
  return set as unknown as DaemonSetObject;
}

export function madeNode(
  name: string,
  of: { readonly labels?: Readonly<Record<string, string>>; readonly taints?: Taint[] } = {},
): NodeObject {
  const { labels, taints } = of;
  const node = {
    metadata: { name, ...(labels && { labels }) },
    spec: { ...(taints && { taints }) },
    status: {},
  };
  return node as unknown as NodeObject;
}
