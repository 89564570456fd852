// Container: what a pod runs. An ephemeral container has the same fields and one more.

import {
  always,
  bool,
  byKey,
  field,
  inlined,
  int32,
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
import { envFromSource, envVar } from "./environment.ts";
import { lifecycle, probe } from "./probe.ts";
import { resourceRequirements } from "./resources.ts";
import { securityContext } from "./security-context.ts";
import { protocol, pullPolicy } from "./values.ts";

const containerPort: TypeSchema = type(
  "io.k8s.api.core.v1.ContainerPort",
  "One port of a container",
  {
    name: field(1, string, "For services and probes to refer to"),
    hostPort: field(2, int32, "Port of the node that leads here"),
    containerPort: field(3, int32, "The number", required),
    protocol: field(4, protocol, "Transport that is spoken", { default: "TCP" }),
    hostIP: field(5, string, "Address of the node that the host port is bound to"),
  },
);

const containerResizePolicy: TypeSchema = type(
  "io.k8s.api.core.v1.ContainerResizePolicy",
  "What a new size of one resource means for the container",
  {
    resourceName: field(1, string, "The resource", required),
    restartPolicy: field(2, string, "NotRequired or RestartContainer", required),
  },
);

const containerRestartRuleOnExitCodes: TypeSchema = type(
  "io.k8s.api.core.v1.ContainerRestartRuleOnExitCodes",
  "Exit codes that a rule is for",
  {
    operator: field(1, string, "In or NotIn", { required: true }),
    values: field(2, setOf(int32), "The codes"),
  },
);

const containerRestartRule: TypeSchema = type(
  "io.k8s.api.core.v1.ContainerRestartRule",
  "A rule about restarts",
  {
    action: field(1, string, "What to do if it fits", { required: true }),
    exitCodes: field(
      2,
      ref(containerRestartRuleOnExitCodes),
      "For which exit codes it fits",
      pointer,
    ),
  },
);

const volumeMount: TypeSchema = type(
  "io.k8s.api.core.v1.VolumeMount",
  "A volume of the pod at a place in the container",
  {
    name: field(1, string, "Of the volume", required),
    readOnly: field(2, bool, "The container cannot write there"),
    recursiveReadOnly: field(7, string, "Whether mounts below must be read-only as well", pointer),
    mountPath: field(3, string, "Where it appears", required),
    subPath: field(4, string, "Only this path of the volume; it does not follow later swaps"),
    mountPropagation: field(
      5,
      oneOf("Bidirectional", "HostToContainer", "None"),
      "Whether mounts made later are seen across",
      pointer,
    ),
    subPathExpr: field(6, string, "Like subPath, with $(NAME) for variables"),
    bindMountOptions: field(8, setOf(string), "Further options of the mount"),
  },
);

const volumeDevice: TypeSchema = type(
  "io.k8s.api.core.v1.VolumeDevice",
  "A block device at a place in the container",
  {
    name: field(1, string, "Of the claim's volume", required),
    devicePath: field(2, string, "Where it appears", required),
  },
);

export const container: TypeSchema = type(
  "io.k8s.api.core.v1.Container",
  "One process tree with its own files, run by a pod",
  {
    name: field(1, string, "Unique in the pod", required),
    image: field(2, string, "What to run"),
    command: field(
      3,
      listOf(string),
      "Program instead of the image's; $(NAME) stands for variables",
    ),
    args: field(
      4,
      listOf(string),
      "Arguments instead of the image's; $(NAME) stands for variables",
    ),
    workingDir: field(5, string, "Directory to start in"),
    ports: field(
      6,
      listOf(ref(containerPort), {
        keys: ["containerPort", "protocol"],
        mergeKey: "containerPort",
      }),
      "Ports it listens on, mostly for readers",
    ),
    envFrom: field(19, listOf(ref(envFromSource)), "Whole ConfigMaps and Secrets as variables"),
    env: field(7, listOf(ref(envVar), byKey("name")), "Single variables; they win over envFrom"),
    resources: field(8, ref(resourceRequirements), "How much it asks for and may use", always),
    resizePolicy: field(
      23,
      listOf(ref(containerResizePolicy)),
      "Whether a new size needs a restart",
    ),
    restartPolicy: field(
      24,
      string,
      "Instead of the pod's; Always makes an init container a sidecar",
      pointer,
    ),
    restartPolicyRules: field(
      25,
      listOf(ref(containerRestartRule)),
      "Exit codes that decide about a restart first",
    ),
    volumeMounts: field(
      9,
      listOf(ref(volumeMount), byKey("mountPath")),
      "Volumes of the pod, and where they appear",
    ),
    volumeDevices: field(
      21,
      listOf(ref(volumeDevice), byKey("devicePath")),
      "Block devices, and where they appear",
    ),
    livenessProbe: field(10, ref(probe), "Restart when it fails", pointer),
    readinessProbe: field(11, ref(probe), "Take no traffic while it fails", pointer),
    startupProbe: field(22, ref(probe), "Holds the other probes back until it succeeds", pointer),
    lifecycle: field(
      12,
      ref(lifecycle),
      "What is done after the start and before the stop",
      pointer,
    ),
    terminationMessagePath: field(13, string, "File with the last words of the container"),
    terminationMessagePolicy: field(
      20,
      oneOf("FallbackToLogsOnError", "File"),
      "Whether the log may stand in for that file",
    ),
    imagePullPolicy: field(14, pullPolicy, "When to fetch the image"),
    securityContext: field(15, ref(securityContext), "With which rights it runs", pointer),
    stdin: field(16, bool, "Keep a standard input"),
    stdinOnce: field(17, bool, "Close that input after the first client leaves"),
    tty: field(18, bool, "Give it a terminal"),
  },
);

export const ephemeralContainer: TypeSchema = type(
  "io.k8s.api.core.v1.EphemeralContainer",
  "A container added to a running pod, for looking into it",
  {
    ...inlined(1, container),
    targetContainerName: field(2, string, "Container whose processes it sees"),
  },
);
