// Probes and lifecycle hooks: what a container is asked, and what it is told.

import type { Container, HTTPGetAction, Lifecycle, LifecycleHandler, Probe } from "../types.ts";
import { isAbsent, list, number, text } from "./absent.ts";
import {
  type FieldError,
  forbidden,
  invalid,
  invalids,
  notSupported,
  required,
} from "./field-error.ts";
import type { FieldPath } from "./field-path.ts";
import { httpHeaderName, portName, portNumber } from "./names.ts";
import { nonNegative } from "./object-meta.ts";

type Handler = LifecycleHandler & Pick<Probe, "grpc">;
type ProbeKind = "livenessProbe" | "readinessProbe" | "startupProbe";

const counts = [
  "initialDelaySeconds",
  "timeoutSeconds",
  "periodSeconds",
  "successThreshold",
  "failureThreshold",
] as const;

/** The three probes of a container, in the order of the API. */
export function validateProbes(
  container: Pick<Container, ProbeKind>,
  gracePeriod: number | undefined,
  path: FieldPath,
): FieldError[] {
  return (["livenessProbe", "readinessProbe", "startupProbe"] as const).flatMap((kind) => {
    const probe = container[kind];
    if (isAbsent(probe)) return [];
    const at = path.child(kind);
    const errors = validateProbe(probe, gracePeriod, at);
    const grace = probe.terminationGracePeriodSeconds;
    if (kind === "readinessProbe") {
      if (isAbsent(grace)) return errors;
      const detail = "must not be set for readinessProbes";
      return [...errors, invalid(at.child("terminationGracePeriodSeconds"), grace, detail)];
    }
    const threshold = number(probe.successThreshold);
    if (threshold === 1) return errors;
    return [...errors, invalid(at.child("successThreshold"), threshold, "must be 1")];
  });
}

export function validateLifecycle(
  lifecycle: Lifecycle,
  gracePeriod: number | undefined,
  path: FieldPath,
): FieldError[] {
  return (["postStart", "preStop"] as const).flatMap((hook) => {
    const handler = lifecycle[hook];
    return isAbsent(handler) ? [] : validateHandler(handler, gracePeriod, path.child(hook));
  });
}

function validateProbe(
  probe: Probe,
  gracePeriod: number | undefined,
  path: FieldPath,
): FieldError[] {
  const errors = validateHandler(probe, gracePeriod, path);
  for (const name of counts) errors.push(...nonNegative(number(probe[name]), path.child(name)));
  const grace = probe.terminationGracePeriodSeconds;
  if (!isAbsent(grace) && grace <= 0) {
    const at = path.child("terminationGracePeriodSeconds");
    errors.push(invalid(at, grace, "must be greater than 0"));
  }
  return errors;
}

function validateHandler(
  handler: Handler,
  gracePeriod: number | undefined,
  path: FieldPath,
): FieldError[] {
  const kinds = (["exec", "httpGet", "tcpSocket", "grpc", "sleep"] as const).filter(
    (kind) => !isAbsent(handler[kind]),
  );
  const [first, ...others] = kinds;
  if (first === undefined) return [required(path, "must specify a handler type")];
  return [
    ...validateAction(handler, first, gracePeriod, path.child(first)),
    ...others.map((kind) =>
      forbidden(path.child(kind), "may not specify more than 1 handler type"),
    ),
  ];
}

function validateAction(
  handler: Handler,
  kind: "exec" | "httpGet" | "tcpSocket" | "grpc" | "sleep",
  gracePeriod: number | undefined,
  path: FieldPath,
): FieldError[] {
  switch (kind) {
    case "exec":
      return list(handler.exec?.command).length === 0 ? [required(path.child("command"))] : [];
    case "httpGet":
      return isAbsent(handler.httpGet) ? [] : validateHttpGet(handler.httpGet, path);
    case "tcpSocket":
      return validatePort(handler.tcpSocket?.port, path.child("port"));
    case "grpc":
      return validatePort(handler.grpc?.port, path.child("port"));
    case "sleep":
      return validateSleep(number(handler.sleep?.seconds), gracePeriod, path);
  }
}

function validateHttpGet(action: HTTPGetAction, path: FieldPath): FieldError[] {
  const errors = text(action.path) === "" ? [required(path.child("path"))] : [];
  errors.push(...validatePort(action.port, path.child("port")));
  const scheme = text(action.scheme);
  if (scheme !== "HTTP" && scheme !== "HTTPS") {
    errors.push(notSupported(path.child("scheme"), scheme, ["HTTP", "HTTPS"]));
  }
  for (const { name } of list(action.httpHeaders)) {
    errors.push(...invalids(path.child("httpHeaders"), name, httpHeaderName(name)));
  }
  return errors;
}

/** A port by number, or by the name that it has in the container. */
function validatePort(port: number | string | null | undefined, path: FieldPath): FieldError[] {
  if (typeof port === "string") return invalids(path, port, portName(port));
  const value = number(port);
  return invalids(path, value, portNumber(value));
}

function validateSleep(
  seconds: number,
  gracePeriod: number | undefined,
  path: FieldPath,
): FieldError[] {
  if (gracePeriod === undefined || (seconds >= 0 && seconds <= gracePeriod)) return [];
  const detail = `must be non-negative and less than terminationGracePeriodSeconds (${gracePeriod})`;
  return [invalid(path, seconds, detail)];
}
