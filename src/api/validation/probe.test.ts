import { describe } from "node:test";
import { judges } from "./testing/case-table.ts";
import { containerErrors } from "./testing/judged.ts";

describe("Probes and hooks of a container", () => {
  const exec = { command: ["true"] };
  judges(
    {
      "ask in one way": [
        { livenessProbe: { exec, tcpSocket: { port: 80 } }, readinessProbe: {} },
        [
          "livenessProbe.tcpSocket: Forbidden: may not specify more than 1 handler type",
          "readinessProbe: Required value: must specify a handler type",
        ],
      ],
      "have commands": [
        { livenessProbe: { exec: {} } },
        ["livenessProbe.exec.command: Required value"],
      ],
      "ask at ports that there can be": [
        {
          livenessProbe: { httpGet: { port: 0 } },
          readinessProbe: { tcpSocket: { port: "" } },
          startupProbe: { grpc: { port: 70_000 } },
        },
        [
          "livenessProbe.httpGet.port: Invalid value: 0: must be between 1 and 65535, inclusive",
          'readinessProbe.tcpSocket.port: Invalid value: "": must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)',
          'readinessProbe.tcpSocket.port: Invalid value: "": must contain at least one letter (a-z)',
          "startupProbe.grpc.port: Invalid value: 70000: must be between 1 and 65535, inclusive",
        ],
      ],
      "ask by HTTP": [
        {
          livenessProbe: {
            httpGet: { port: "http", scheme: "FTP", httpHeaders: [{ name: "A B", value: "c" }] },
          },
        },
        [
          'livenessProbe.httpGet.scheme: Unsupported value: "FTP": supported values: "HTTP", "HTTPS"',
          "livenessProbe.httpGet.httpHeaders: Invalid value: \"A B\": a valid HTTP header must consist of alphanumeric characters or '-' (e.g. 'X-Header-Name', regex used for validation is '[-A-Za-z0-9]+')",
        ],
      ],
      "count from zero": [
        {
          readinessProbe: {
            exec,
            initialDelaySeconds: -1,
            timeoutSeconds: -2,
            periodSeconds: -3,
            successThreshold: -4,
            failureThreshold: -5,
          },
        },
        [
          "readinessProbe.initialDelaySeconds: Invalid value: -1: must be greater than or equal to 0",
          "readinessProbe.timeoutSeconds: Invalid value: -2: must be greater than or equal to 0",
          "readinessProbe.periodSeconds: Invalid value: -3: must be greater than or equal to 0",
          "readinessProbe.successThreshold: Invalid value: -4: must be greater than or equal to 0",
          "readinessProbe.failureThreshold: Invalid value: -5: must be greater than or equal to 0",
        ],
      ],
      "need one success to be alive, and none of readiness ends a container": [
        {
          livenessProbe: { exec, successThreshold: 2, terminationGracePeriodSeconds: 0 },
          readinessProbe: { exec, successThreshold: 2, terminationGracePeriodSeconds: 5 },
        },
        [
          "livenessProbe.terminationGracePeriodSeconds: Invalid value: 0: must be greater than 0",
          "livenessProbe.successThreshold: Invalid value: 2: must be 1",
          "readinessProbe.terminationGracePeriodSeconds: Invalid value: 5: must not be set for readinessProbes",
        ],
      ],
      "sleep no longer than the pod may take to end": [
        { lifecycle: { preStop: { sleep: { seconds: 31 } }, postStart: {} } },
        [
          "lifecycle.postStart: Required value: must specify a handler type",
          "lifecycle.preStop.sleep: Invalid value: 31: must be non-negative and less than terminationGracePeriodSeconds (30)",
        ],
      ],
    },
    (container) => containerErrors(container),
  );
});
