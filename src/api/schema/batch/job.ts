// Job: pods that run to an end.

import { podTemplateSpec } from "../core/pod.ts";
import { metadata, typeMeta } from "../meta.ts";
import {
  always,
  bool,
  field,
  int32,
  int64,
  listOf,
  oneOf,
  pointer,
  ref,
  required,
  setOf,
  string,
  type TypeSchema,
  time,
  type,
} from "../schema.ts";
import { labelSelector } from "../selector.ts";
import { jobSchedulingConfiguration } from "./job-scheduling.ts";

const podFailurePolicyOnExitCodesRequirement: TypeSchema = type(
  "io.k8s.api.batch.v1.PodFailurePolicyOnExitCodesRequirement",
  "Exit codes that a rule is for",
  {
    containerName: field(1, string, "Of this container; of any if absent", pointer),
    operator: field(2, oneOf("In", "NotIn"), "In or NotIn", required),
    values: field(3, setOf(int32), "The codes", required),
  },
);

const podFailurePolicyOnPodConditionsPattern: TypeSchema = type(
  "io.k8s.api.batch.v1.PodFailurePolicyOnPodConditionsPattern",
  "A condition that a rule is for",
  {
    type: field(1, string, "Of the condition", required),
    status: field(2, string, "Of the condition; True if empty", always),
  },
);

const podFailurePolicyRule: TypeSchema = type(
  "io.k8s.api.batch.v1.PodFailurePolicyRule",
  "What one sort of failure means",
  {
    action: field(
      1,
      oneOf("Count", "FailIndex", "FailJob", "Ignore"),
      "What to do if it fits",
      required,
    ),
    onExitCodes: field(
      2,
      ref(podFailurePolicyOnExitCodesRequirement),
      "Fits by exit code",
      pointer,
    ),
    onPodConditions: field(
      3,
      listOf(ref(podFailurePolicyOnPodConditionsPattern)),
      "Fits by a condition of the pod",
    ),
  },
);

const podFailurePolicy: TypeSchema = type(
  "io.k8s.api.batch.v1.PodFailurePolicy",
  "What failures of pods mean",
  {
    rules: field(1, listOf(ref(podFailurePolicyRule)), "The first that fits counts", required),
  },
);

const successPolicyRule: TypeSchema = type(
  "io.k8s.api.batch.v1.SuccessPolicyRule",
  "One way to succeed",
  {
    succeededIndexes: field(1, string, "These indexes must have succeeded, as 1,3-5", pointer),
    succeededCount: field(2, int32, "So many of them must have succeeded", pointer),
  },
);

const successPolicy: TypeSchema = type(
  "io.k8s.api.batch.v1.SuccessPolicy",
  "What is enough for a job to succeed",
  {
    rules: field(1, listOf(ref(successPolicyRule)), "The first that fits counts", required),
  },
);

export const jobSpec: TypeSchema = type(
  "io.k8s.api.batch.v1.JobSpec",
  "How many pods must succeed, and what if they fail",
  {
    parallelism: field(1, int32, "How many may run at once", pointer),
    completions: field(2, int32, "How many must succeed", pointer),
    activeDeadlineSeconds: field(3, int64, "How long the job may take", pointer),
    podFailurePolicy: field(
      11,
      ref(podFailurePolicy),
      "What a failure means, by exit code and condition",
      pointer,
    ),
    successPolicy: field(16, ref(successPolicy), "What is enough to succeed", pointer),
    backoffLimit: field(7, int32, "How many failures make the job fail", pointer),
    backoffLimitPerIndex: field(12, int32, "How many failures make one index fail", pointer),
    maxFailedIndexes: field(13, int32, "How many failed indexes make the job fail", pointer),
    selector: field(4, ref(labelSelector), "Labels of its pods; made by the server", pointer),
    manualSelector: field(5, bool, "The selector was chosen by hand", pointer),
    template: field(6, ref(podTemplateSpec), "What new pods are made from", required),
    ttlSecondsAfterFinished: field(8, int32, "How long the finished job is kept", pointer),
    completionMode: field(
      9,
      oneOf("Indexed", "NonIndexed"),
      "Whether pods are alike or numbered",
      pointer,
    ),
    suspend: field(10, bool, "Run no pods for now", pointer),
    podReplacementPolicy: field(
      14,
      oneOf("Failed", "TerminatingOrFailed"),
      "When a failed pod is replaced",
      pointer,
    ),
    managedBy: field(15, string, "Who looks after the job, if not the usual controller", pointer),
    scheduling: field(
      17,
      ref(jobSchedulingConfiguration),
      "How its pods are placed as a group",
      pointer,
    ),
  },
);

const jobCondition: TypeSchema = type(
  "io.k8s.api.batch.v1.JobCondition",
  "One finding about a job",
  {
    type: field(1, string, "What is judged", required),
    status: field(2, string, "True, False or Unknown", required),
    lastProbeTime: field(3, time, "When this was last looked at", always),
    lastTransitionTime: field(4, time, "When the status last flipped", always),
    reason: field(5, string, "One CamelCase word for programs"),
    message: field(6, string, "A sentence for people"),
  },
);

const uncountedTerminatedPods: TypeSchema = type(
  "io.k8s.api.batch.v1.UncountedTerminatedPods",
  "Pods that have ended and are not counted yet",
  {
    succeeded: field(1, setOf(string), "Uids of those that succeeded"),
    failed: field(2, setOf(string), "Uids of those that failed"),
  },
);

const jobStatus: TypeSchema = type("io.k8s.api.batch.v1.JobStatus", "How far a job is", {
  conditions: field(
    1,
    listOf(ref(jobCondition), { mergeKey: "type" }),
    "Latest findings, one per type",
  ),
  startTime: field(2, time, "When it began", pointer),
  completionTime: field(3, time, "When it succeeded", pointer),
  active: field(4, int32, "Pods that have not ended"),
  succeeded: field(5, int32, "Pods that succeeded"),
  failed: field(6, int32, "Pods that failed"),
  terminating: field(11, int32, "Pods that are stopping", pointer),
  completedIndexes: field(7, string, "Indexes that succeeded, as 1,3-5"),
  failedIndexes: field(10, string, "Indexes that failed, as 1,3-5", pointer),
  uncountedTerminatedPods: field(
    8,
    ref(uncountedTerminatedPods),
    "Pods that have ended and are not in the numbers yet",
    pointer,
  ),
  ready: field(9, int32, "Pods that are ready", pointer),
});

export const job: TypeSchema = type(
  "io.k8s.api.batch.v1.Job",
  "Runs pods until enough of them have succeeded",
  {
    ...typeMeta,
    metadata,
    spec: field(2, ref(jobSpec), "What should be", always),
    status: field(3, ref(jobStatus), "What is", always),
  },
);
