// What the node reports about one container.

import {
  always,
  bool,
  byKey,
  field,
  int32,
  int64,
  listOf,
  mapOf,
  pointer,
  quantity,
  ref,
  required,
  string,
  type TypeSchema,
  time,
  type,
} from "../schema.ts";
import { resourceRequirements } from "./resources.ts";
import { signal } from "./values.ts";

const containerStateWaiting: TypeSchema = type(
  "io.k8s.api.core.v1.ContainerStateWaiting",
  "A container that has not started",
  {
    reason: field(1, string, "Why, one word for programs"),
    message: field(2, string, "Why, for people"),
  },
);

const containerStateRunning: TypeSchema = type(
  "io.k8s.api.core.v1.ContainerStateRunning",
  "A container that runs",
  {
    startedAt: field(1, time, "Since when", always),
  },
);

const containerStateTerminated: TypeSchema = type(
  "io.k8s.api.core.v1.ContainerStateTerminated",
  "A container that has ended",
  {
    exitCode: field(1, int32, "Of its first process", required),
    signal: field(2, int32, "That ended it"),
    reason: field(3, string, "Why, one word for programs"),
    message: field(4, string, "Its last words"),
    startedAt: field(5, time, "When it began", always),
    finishedAt: field(6, time, "When it ended", always),
    containerID: field(7, string, "Its id in the runtime"),
  },
);

const containerState: TypeSchema = type(
  "io.k8s.api.core.v1.ContainerState",
  "What a container does; one of them",
  {
    waiting: field(1, ref(containerStateWaiting), "It has not started", pointer),
    running: field(2, ref(containerStateRunning), "It runs", pointer),
    terminated: field(3, ref(containerStateTerminated), "It has ended", pointer),
  },
);

const imageVolumeStatus: TypeSchema = type(
  "io.k8s.api.core.v1.ImageVolumeStatus",
  "What is known of an image volume",
  {
    imageRef: field(1, string, "Image that was mounted, by digest", { required: true }),
  },
);

const volumeStatus: TypeSchema = type(
  "io.k8s.api.core.v1.VolumeStatus",
  "What is known of a volume",
  {
    image: field(1, ref(imageVolumeStatus), "For image volumes", pointer),
  },
);

const volumeMountStatus: TypeSchema = type(
  "io.k8s.api.core.v1.VolumeMountStatus",
  "A mount as it is",
  {
    name: field(1, string, "Of the volume", required),
    mountPath: field(2, string, "Where it appears", required),
    readOnly: field(3, bool, "The container cannot write there"),
    recursiveReadOnly: field(4, string, "Whether mounts below are read-only as well", pointer),
    volumeStatus: field(5, ref(volumeStatus), "What is known of the volume", pointer),
  },
);

const linuxContainerUser: TypeSchema = type(
  "io.k8s.api.core.v1.LinuxContainerUser",
  "Ids of a container's first process",
  {
    uid: field(1, int64, "User", required),
    gid: field(2, int64, "Main group", required),
    supplementalGroups: field(3, listOf(int64), "Further groups"),
  },
);

const containerUser: TypeSchema = type(
  "io.k8s.api.core.v1.ContainerUser",
  "As whom a container runs",
  {
    linux: field(1, ref(linuxContainerUser), "On Linux", pointer),
  },
);

const resourceHealth: TypeSchema = type(
  "io.k8s.api.core.v1.ResourceHealth",
  "Health of one device",
  {
    resourceID: field(1, string, "Which device", required),
    health: field(2, string, "Healthy, Unhealthy or Unknown"),
    message: field(6, string, "Details for people", pointer),
  },
);

const resourceStatus: TypeSchema = type(
  "io.k8s.api.core.v1.ResourceStatus",
  "Health of what a container got of one resource",
  {
    name: field(1, string, "Of the resource", required),
    resources: field(2, listOf(ref(resourceHealth), { keys: ["resourceID"] }), "Each unit of it"),
  },
);

export const containerStatus: TypeSchema = type(
  "io.k8s.api.core.v1.ContainerStatus",
  "One container as the node sees it",
  {
    name: field(1, string, "Of the container", required),
    state: field(2, ref(containerState), "What it does now", always),
    lastState: field(3, ref(containerState), "How it ended last time", always),
    ready: field(4, bool, "It takes traffic", required),
    restartCount: field(5, int32, "How often it was started again", required),
    image: field(6, string, "Image that runs, by name", required),
    imageID: field(7, string, "Image that runs, by digest", required),
    containerID: field(8, string, "Its id in the runtime"),
    started: field(9, bool, "The startup probe has succeeded", pointer),
    allocatedResources: field(10, mapOf(quantity), "What the node set aside for it"),
    resources: field(11, ref(resourceRequirements), "What it really may use", pointer),
    volumeMounts: field(12, listOf(ref(volumeMountStatus), byKey("mountPath")), "Its mounts"),
    user: field(13, ref(containerUser), "As whom it runs", pointer),
    allocatedResourcesStatus: field(
      14,
      listOf(ref(resourceStatus), byKey("name")),
      "Health of the devices it got",
    ),
    stopSignal: field(15, signal, "Signal that stops it", pointer),
  },
);
