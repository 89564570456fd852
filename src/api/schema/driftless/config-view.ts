// What one pod really has of its configuration, object by object, and why it differs where it does. The node's agent
// writes it; everyone else reads.

import { driftReasons } from "../../config/use-words.ts";
import { typeMeta } from "../meta.ts";
import {
  field,
  int32,
  listOf,
  mapOf,
  microTime,
  oneOf,
  pointer,
  ref,
  required,
  string,
  type TypeSchema,
  type,
} from "../schema.ts";
import { metadata } from "./config-revision.ts";

const podReference: TypeSchema = type(
  "dev.driftless.v1.PodReference",
  "A pod in the same namespace",
  {
    name: field(0, string, "Name of the pod", required),
    uid: field(0, string, "Tells the pod from an earlier one of the same name"),
  },
  { atomic: true },
);

const configVersion: TypeSchema = type(
  "dev.driftless.v1.ConfigVersion",
  "A content, and since when it has been there",
  {
    hash: field(0, string, "Of the content", required),
    resourceVersion: field(0, string, "Of the write that brought the content"),
    at: field(0, microTime, "When this content arrived here", pointer),
  },
  { atomic: true },
);

const drift: TypeSchema = type(
  "dev.driftless.v1.Drift",
  "A difference that delivery cannot close by itself",
  {
    reason: field(0, oneOf(...driftReasons), "Why the difference stays", required),
    message: field(0, string, "The reason in words, and what would fix it"),
    since: field(0, microTime, "When the difference was first seen", pointer),
  },
);

const reloadReport: TypeSchema = type(
  "dev.driftless.v1.ReloadReport",
  "How a process was told of new content",
  {
    action: field(0, string, "As the annotation says it", required),
    result: field(0, oneOf("Failing", "Pending", "Succeeded"), "How it stands", required),
    hash: field(0, string, "Of the content that it was told of", required),
    attempts: field(0, int32, "How often it was tried for this content"),
    at: field(0, microTime, "Of the last attempt", pointer),
    message: field(0, string, "Why it does not succeed"),
  },
);

const configUse: TypeSchema = type(
  "dev.driftless.v1.ConfigUse",
  "One way in which the pod uses one ConfigMap or Secret",
  {
    kind: field(0, oneOf("ConfigMap", "Secret"), "Kind of the object", required),
    name: field(0, string, "Name of the object", required),
    how: field(
      0,
      oneOf("args", "env", "sidecar", "subPath", "volume"),
      "The way into the container",
      required,
    ),
    container: field(0, string, "The container that uses it", { default: "" }),
    mountPath: field(0, string, "Where its files are seen in the container", { default: "" }),
    keys: field(0, listOf(string), "The keys that are used; all if empty"),
    wanted: field(0, ref(configVersion), "What the object holds now", pointer),
    onDisk: field(0, ref(configVersion), "What the container's files hold", pointer),
    applied: field(0, ref(configVersion), "What the process has confirmed to run with", pointer),
    confirmedBy: field(
      0,
      oneOf("Library", "Reload", "Sidecar", "Start"),
      "How it is known what the process runs with; empty if it is not",
    ),
    stages: field(
      0,
      mapOf(microTime),
      "When the wanted version reached each stage: seen, gated, onDisk, noticed, applied",
    ),
    reload: field(0, ref(reloadReport), "What was done last to tell the process", pointer),
    drift: field(0, ref(drift), "Absent while all is well or on its way", pointer),
  },
);

export const configView: TypeSchema = type(
  "dev.driftless.v1.ConfigView",
  "Which configuration one pod has, and which it should have",
  {
    ...typeMeta,
    metadata,
    pod: field(0, ref(podReference), "The pod that is looked at", required),
    node: field(0, string, "The node that the pod runs on"),
    uses: field(
      0,
      listOf(ref(configUse), { keys: ["kind", "name", "how", "container", "mountPath"] }),
      "Every use of a ConfigMap or Secret by the pod",
    ),
  },
);
