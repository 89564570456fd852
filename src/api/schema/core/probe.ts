// How a container is asked whether it is well, and told to start and stop.

import {
  always,
  field,
  inlined,
  int32,
  int64,
  intOrString,
  listOf,
  oneOf,
  pointer,
  ref,
  required,
  string,
  type TypeSchema,
  type,
} from "../schema.ts";
import { signal } from "./values.ts";

const execAction: TypeSchema = type(
  "io.k8s.api.core.v1.ExecAction",
  "Runs a command in a container",
  {
    command: field(1, listOf(string), "Program and arguments; no shell is involved"),
  },
);

const httpHeader: TypeSchema = type("io.k8s.api.core.v1.HTTPHeader", "One header of a request", {
  name: field(1, string, "Of the header", required),
  value: field(2, string, "Of the header", required),
});

const httpGetAction: TypeSchema = type(
  "io.k8s.api.core.v1.HTTPGetAction",
  "Sends an HTTP GET request",
  {
    path: field(1, string, "Path of the request"),
    port: field(2, intOrString, "Number of the port, or its name in the container", required),
    host: field(3, string, "Host to ask; the pod if absent"),
    scheme: field(4, oneOf("HTTP", "HTTPS"), "HTTP or HTTPS, without checking the certificate"),
    httpHeaders: field(5, listOf(ref(httpHeader)), "Headers to send"),
    protocol: field(6, oneOf("HTTP1", "HTTP2"), "Version of HTTP to speak", pointer),
  },
);

const tcpSocketAction: TypeSchema = type(
  "io.k8s.api.core.v1.TCPSocketAction",
  "Opens a TCP connection",
  {
    port: field(1, intOrString, "Number of the port, or its name in the container", required),
    host: field(2, string, "Host to connect to; the pod if absent"),
  },
);

const grpcAction: TypeSchema = type(
  "io.k8s.api.core.v1.GRPCAction",
  "Calls the gRPC health service",
  {
    port: field(1, int32, "Number of the port", required),
    service: field(2, string, "Name that the health service is asked about", {
      ...always,
      pointer: true,
      default: "",
    }),
    mode: field(3, oneOf("Plaintext", "TLS"), "Whether the connection is encrypted", pointer),
  },
);

const probeHandler: TypeSchema = type(
  "io.k8s.api.core.v1.ProbeHandler",
  "How to ask; one of them",
  {
    exec: field(1, ref(execAction), "Run a command in the container", pointer),
    httpGet: field(2, ref(httpGetAction), "Send an HTTP request", pointer),
    tcpSocket: field(3, ref(tcpSocketAction), "Open a connection", pointer),
    grpc: field(4, ref(grpcAction), "Call the gRPC health service", pointer),
  },
);

export const probe: TypeSchema = type(
  "io.k8s.api.core.v1.Probe",
  "A question that is asked of a container again and again",
  {
    ...inlined(1, probeHandler),
    initialDelaySeconds: field(2, int32, "Pause before the first question"),
    timeoutSeconds: field(3, int32, "How long an answer may take"),
    periodSeconds: field(4, int32, "From one question to the next"),
    successThreshold: field(5, int32, "How many good answers in a row make it well"),
    failureThreshold: field(6, int32, "How many bad answers in a row make it ill"),
    terminationGracePeriodSeconds: field(
      7,
      int64,
      "Time to stop after a failed probe, instead of the pod's",
      pointer,
    ),
  },
);

const sleepAction: TypeSchema = type("io.k8s.api.core.v1.SleepAction", "Waits", {
  seconds: field(1, int64, "How long", required),
});

const lifecycleHandler: TypeSchema = type(
  "io.k8s.api.core.v1.LifecycleHandler",
  "What to do; one of them",
  {
    exec: field(1, ref(execAction), "Run a command in the container", pointer),
    httpGet: field(2, ref(httpGetAction), "Send an HTTP request", pointer),
    tcpSocket: field(3, ref(tcpSocketAction), "Does nothing; kept for old manifests", pointer),
    sleep: field(4, ref(sleepAction), "Wait a while", pointer),
  },
);

export const lifecycle: TypeSchema = type(
  "io.k8s.api.core.v1.Lifecycle",
  "What is done around a container's life",
  {
    postStart: field(
      1,
      ref(lifecycleHandler),
      "Right after the start; the container waits for it",
      pointer,
    ),
    preStop: field(2, ref(lifecycleHandler), "Before the container is told to stop", pointer),
    stopSignal: field(3, signal, "Signal that means stop", pointer),
  },
);
