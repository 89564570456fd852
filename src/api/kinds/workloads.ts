// Kinds that run pods, or protect them while they run.

import type { Kind } from "../kind.ts";
import { controllerRevision } from "../schema/apps/controller-revision.ts";
import { daemonSet } from "../schema/apps/daemon-set.ts";
import { deployment } from "../schema/apps/deployment.ts";
import { replicaSet } from "../schema/apps/replica-set.ts";
import { statefulSet } from "../schema/apps/stateful-set.ts";
import { cronJob } from "../schema/batch/cron-job.ts";
import { job } from "../schema/batch/job.ts";
import { podDisruptionBudget } from "../schema/policy/pod-disruption-budget.ts";
import { inGroup, scaleAndStatus, statusOnly } from "./entry.ts";

export const appsKinds: readonly Kind[] = inGroup("apps", [
  { kind: "ControllerRevision", resource: "controllerrevisions", schema: controllerRevision },
  {
    kind: "DaemonSet",
    resource: "daemonsets",
    schema: daemonSet,
    shortNames: ["ds"],
    categories: ["all"],
    subresources: statusOnly,
  },
  {
    kind: "Deployment",
    resource: "deployments",
    schema: deployment,
    shortNames: ["deploy"],
    categories: ["all"],
    subresources: scaleAndStatus,
  },
  {
    kind: "ReplicaSet",
    resource: "replicasets",
    schema: replicaSet,
    shortNames: ["rs"],
    categories: ["all"],
    subresources: scaleAndStatus,
  },
  {
    kind: "StatefulSet",
    resource: "statefulsets",
    schema: statefulSet,
    shortNames: ["sts"],
    categories: ["all"],
    subresources: scaleAndStatus,
  },
]);

export const batchKinds: readonly Kind[] = inGroup("batch", [
  {
    kind: "CronJob",
    resource: "cronjobs",
    schema: cronJob,
    shortNames: ["cj"],
    categories: ["all"],
    subresources: statusOnly,
  },
  {
    kind: "Job",
    resource: "jobs",
    schema: job,
    categories: ["all"],
    subresources: statusOnly,
  },
]);

export const policyKinds: readonly Kind[] = inGroup("policy", [
  {
    kind: "PodDisruptionBudget",
    resource: "poddisruptionbudgets",
    schema: podDisruptionBudget,
    shortNames: ["pdb"],
    subresources: statusOnly,
  },
]);
