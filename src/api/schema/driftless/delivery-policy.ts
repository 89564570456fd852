// How changes of a set of ConfigMaps and Secrets travel: what is checked first, in which steps they go out, what
// stops them and how processes are told.

import { condition } from "../condition.ts";
import { typeMeta } from "../meta.ts";
import {
  always,
  bool,
  byKey,
  field,
  int32,
  int64,
  intOrString,
  json,
  listOf,
  oneOf,
  pointer,
  ref,
  required,
  setOf,
  string,
  type TypeSchema,
  type,
} from "../schema.ts";
import { labelSelector } from "../selector.ts";
import { metadata } from "./config-revision.ts";

const deliveryCheck: TypeSchema = type(
  "dev.driftless.v1.DeliveryCheck",
  "What a new content must pass before it is delivered",
  {
    name: field(0, string, "Names the check in messages", required),
    keys: field(0, listOf(string), "Patterns of the keys that are checked; all if empty"),
    format: field(
      0,
      oneOf("INI", "JSON", "Properties", "TOML", "YAML"),
      "The value must be readable as this",
    ),
    schema: field(0, json, "A JSON Schema that the value must fulfil", pointer),
  },
);

const rolloutStep: TypeSchema = type(
  "dev.driftless.v1.RolloutStep",
  "One step of a delivery to many pods",
  {
    pods: field(0, intOrString, "How many pods have the change after this step", required),
    pauseSeconds: field(0, int32, "How long to watch before the next step"),
  },
);

const deliveryRollout: TypeSchema = type(
  "dev.driftless.v1.DeliveryRollout",
  "In which steps a change goes out",
  {
    steps: field(0, listOf(ref(rolloutStep)), "In order; everything at once if empty"),
    paused: field(0, bool, "Holds the delivery where it is"),
  },
);

const healthGate: TypeSchema = type(
  "dev.driftless.v1.HealthGate",
  "What must hold after a step for the next one to begin",
  {
    timeoutSeconds: field(0, int32, "How long pods may take to become healthy", pointer),
    maxRestarts: field(0, int32, "How many container restarts are still healthy", pointer),
    minReady: field(0, intOrString, "How many of the step's pods must be ready", pointer),
  },
);

const confirmWindow: TypeSchema = type(
  "dev.driftless.v1.ConfirmWindow",
  "How long someone has to keep a change before it is taken back",
  {
    timeoutSeconds: field(0, int32, "Length of the window", required),
  },
);

const reloadRequest: TypeSchema = type(
  "dev.driftless.v1.ReloadRequest",
  "The HTTP request that tells a process to reload",
  {
    path: field(0, string, "Path of the request"),
    port: field(0, intOrString, "Number of the port, or its name in the container", required),
    method: field(0, string, "POST unless said otherwise"),
  },
);

const reloadAction: TypeSchema = type(
  "dev.driftless.v1.ReloadAction",
  "How a process learns of new content of certain keys",
  {
    name: field(0, string, "Names the action in messages", required),
    keys: field(0, listOf(string), "Patterns of the keys that call for it; all if empty"),
    container: field(0, string, "The container that is told; every user of the object if empty"),
    how: field(
      0,
      oneOf("Exec", "HTTP", "None", "Restart", "Signal"),
      "What is done once the files are in place",
      required,
    ),
    signal: field(0, string, "Sent to the container's first process"),
    http: field(0, ref(reloadRequest), "Sent to the pod", pointer),
    command: field(0, listOf(string), "Run in the container; exit code 0 confirms the reload"),
    timeoutSeconds: field(0, int32, "How long the action may take", pointer),
  },
);

const deliveryPolicySpec: TypeSchema = type(
  "dev.driftless.v1.DeliveryPolicySpec",
  "How changes of the chosen objects are delivered",
  {
    selector: field(0, ref(labelSelector), "Chooses ConfigMaps and Secrets by their labels", {
      ...required,
      pointer: true,
    }),
    kinds: field(0, setOf(oneOf("ConfigMap", "Secret")), "Narrows the choice; both if empty"),
    changeSet: field(0, string, "Objects of one change set are delivered together"),
    checks: field(0, listOf(ref(deliveryCheck), byKey("name")), "All must pass"),
    rollout: field(0, ref(deliveryRollout), "Steps; absent delivers everywhere at once", pointer),
    health: field(0, ref(healthGate), "Judges each step", pointer),
    rollback: field(
      0,
      oneOf("Automatic", "Manual"),
      "What follows when a step is not healthy or not confirmed",
    ),
    confirm: field(0, ref(confirmWindow), "Absent keeps changes without asking", pointer),
    reload: field(0, listOf(ref(reloadAction), byKey("name")), "Every action that fits is taken"),
  },
);

const deliveryPolicyStatus: TypeSchema = type(
  "dev.driftless.v1.DeliveryPolicyStatus",
  "Where deliveries under the policy stand",
  {
    observedGeneration: field(0, int64, "The generation of the policy that this is about"),
    step: field(0, int32, "The rollout step that was reached"),
    conditions: field(0, listOf(ref(condition), byKey("type")), "Latest findings, one per type"),
  },
);

export const deliveryPolicy: TypeSchema = type(
  "dev.driftless.v1.DeliveryPolicy",
  "How changes of a set of ConfigMaps and Secrets travel",
  {
    ...typeMeta,
    metadata,
    spec: field(0, ref(deliveryPolicySpec), "What the policy asks for", required),
    status: field(0, ref(deliveryPolicyStatus), "Where its deliveries stand", always),
  },
);
