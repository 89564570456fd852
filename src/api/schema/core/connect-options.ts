// What can be asked of the subresources that open a connection. They come as query parameters.

import { typeMeta } from "../meta.ts";
import {
  bool,
  field,
  int32,
  int64,
  listOf,
  pointer,
  required,
  string,
  type TypeSchema,
  time,
  type,
} from "../schema.ts";

export const podLogOptions: TypeSchema = type(
  "io.k8s.api.core.v1.PodLogOptions",
  "Which part of a log, and in which form",
  {
    ...typeMeta,
    container: field(1, string, "Which container"),
    follow: field(2, bool, "Go on as lines are written"),
    previous: field(3, bool, "Of the container before its last restart"),
    sinceSeconds: field(4, int64, "Only lines that are not older", pointer),
    sinceTime: field(5, time, "Only lines from then on", pointer),
    timestamps: field(6, bool, "Put the time before each line"),
    tailLines: field(7, int64, "Only this many lines from the end", pointer),
    limitBytes: field(8, int64, "Stop after so many bytes", pointer),
    insecureSkipTLSVerifyBackend: field(9, bool, "Do not check the node's certificate"),
    stream: field(10, string, "Output, errors or both", pointer),
  },
);

export const podAttachOptions: TypeSchema = type(
  "io.k8s.api.core.v1.PodAttachOptions",
  "What to connect to in a running container",
  {
    ...typeMeta,
    stdin: field(1, bool, "Send input"),
    stdout: field(2, bool, "Receive output"),
    stderr: field(3, bool, "Receive errors"),
    tty: field(4, bool, "It has a terminal"),
    container: field(5, string, "Which container"),
  },
);

export const podExecOptions: TypeSchema = type(
  "io.k8s.api.core.v1.PodExecOptions",
  "What to run in a container, and connected to what",
  {
    ...typeMeta,
    stdin: field(1, bool, "Send input"),
    stdout: field(2, bool, "Receive output"),
    stderr: field(3, bool, "Receive errors"),
    tty: field(4, bool, "Give it a terminal"),
    container: field(5, string, "Which container"),
    command: field(6, listOf(string), "Program and arguments; no shell is involved", required),
  },
);

export const podPortForwardOptions: TypeSchema = type(
  "io.k8s.api.core.v1.PodPortForwardOptions",
  "Which ports to forward",
  {
    ...typeMeta,
    ports: field(1, listOf(int32), "Their numbers"),
  },
);

export const podProxyOptions: TypeSchema = type(
  "io.k8s.api.core.v1.PodProxyOptions",
  "Which path of a pod to call",
  {
    ...typeMeta,
    path: field(1, string, "The path"),
  },
);

export const nodeProxyOptions: TypeSchema = type(
  "io.k8s.api.core.v1.NodeProxyOptions",
  "Which path of a node to call",
  {
    ...typeMeta,
    path: field(1, string, "The path"),
  },
);

export const serviceProxyOptions: TypeSchema = type(
  "io.k8s.api.core.v1.ServiceProxyOptions",
  "Which path of a service to call",
  {
    ...typeMeta,
    path: field(1, string, "The path, with the service's port"),
  },
);
