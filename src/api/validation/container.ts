// The containers of a pod. What all of them have in common comes first; then what regular, init and ephemeral
// containers each may and may not have.

import type { JsonObject } from "../json.ts";
import type {
  Container,
  ContainerPort,
  ContainerResizePolicy,
  ContainerRestartRule,
  EphemeralContainer,
  Volume,
} from "../types.ts";
import { isAbsent, list, number, text } from "./absent.ts";
import { validateEnv, validateEnvFrom } from "./env.ts";
import {
  duplicate,
  type FieldError,
  forbidden,
  invalid,
  invalids,
  notFound,
  notSupported,
  required,
  tooMany,
} from "./field-error.ts";
import type { FieldPath } from "./field-path.ts";
import { dns1123Label, portName, portNumber } from "./names.ts";
import { validateLifecycle, validateProbes } from "./probe.ts";
import { validatePullPolicy } from "./pull-policy.ts";
import { validateContainerResourceName, validateRequirements } from "./resources.ts";
import { type SecurityRules, validateSecurityContext } from "./security-context.ts";
import { validateDevices, validateMounts } from "./volume-mounts.ts";

/** What containers need to know of the pod that they are in. */
export interface ContainerRules extends SecurityRules {
  readonly volumes: ReadonlyMap<string, Volume>;
  readonly claims: ReadonlySet<string>;
  readonly gracePeriod: number | undefined;
  readonly podRestartPolicy: string;
}

const restartPolicies = ["Always", "Never", "OnFailure"];
const notForSidecars = "may not be set for init containers without restartPolicy=Always";
const notForEphemeral = "cannot be set for an Ephemeral Container";
/** In the order of the API; everything else may be set. */
const refusedForEphemeral = [
  "ports",
  "resources",
  "resizePolicy",
  "restartPolicy",
  "restartPolicyRules",
  "livenessProbe",
  "readinessProbe",
  "startupProbe",
  "lifecycle",
];

export function validateContainers(
  containers: readonly Container[] | null | undefined,
  rules: ContainerRules,
  path: FieldPath,
): FieldError[] {
  const all = list(containers);
  if (all.length === 0) return [required(path)];
  const names = new Set<string>();
  const errors = all.flatMap((container, i) => {
    const at = path.index(i);
    return [
      ...validateContainer(container, rules, at),
      ...claimName(container.name, names, at.child("name")),
      ...validateHooks(container, rules, at),
      ...validateRestart(container, at),
    ];
  });
  return [...errors, ...validateHostPorts(all, path)];
}

/** `regular` are the containers proper: no two of all may have the same name. */
export function validateInitContainers(
  containers: readonly Container[] | null | undefined,
  regular: readonly Container[] | null | undefined,
  rules: ContainerRules,
  path: FieldPath,
): FieldError[] {
  const names = new Set(list(regular).map(({ name }) => name));
  return list(containers).flatMap((container, i) => {
    const at = path.index(i);
    const isSidecar = container.restartPolicy === "Always";
    const errors = [
      ...validateContainer(container, rules, at),
      ...validateRestart(container, at),
      ...(container.name === "" ? [] : claimName(container.name, names, at.child("name"))),
      ...validateHostPorts([container], path),
    ];
    if (isSidecar) return [...errors, ...validateHooks(container, rules, at)];
    for (const name of ["lifecycle", "livenessProbe", "readinessProbe", "startupProbe"] as const) {
      if (!isAbsent(container[name])) errors.push(forbidden(at.child(name), notForSidecars));
    }
    if (rules.leniency.initResizeRestart) return errors;
    return [...errors, ...validateNoResizeRestart(container, at.child("resizePolicy"))];
  });
}

export function validateEphemeralContainers(
  containers: readonly EphemeralContainer[] | null | undefined,
  others: readonly Container[],
  rules: ContainerRules,
  path: FieldPath,
): FieldError[] {
  const targets = new Set(others.map(({ name }) => name));
  const names = new Set(targets);
  return list(containers).flatMap((container, i) => {
    const at = path.index(i);
    const target = text(container.targetContainerName);
    return [
      ...validateContainer(container, rules, at),
      ...validateImageSpaces(container, at),
      ...claimName(container.name, names, at.child("name")),
      ...(target !== "" && !targets.has(target)
        ? [notFound(at.child("targetContainerName"), target)]
        : []),
      ...refusedFields(container, at),
    ];
  });
}

/** For pods only: templates may hold images that are filled in later. */
export function validateImageSpaces(container: Container, path: FieldPath): FieldError[] {
  const image = text(container.image);
  if (image.trim() === image) return [];
  return [invalid(path.child("image"), image, "must not have leading or trailing whitespace")];
}

function validateContainer(
  container: Container,
  rules: ContainerRules,
  path: FieldPath,
): FieldError[] {
  const { name } = container;
  const resources = { name: validateContainerResourceName, claims: rules.claims };
  return [
    ...(name === ""
      ? [required(path.child("name"))]
      : invalids(path.child("name"), name, dns1123Label(name))),
    ...(text(container.image) === "" ? [required(path.child("image"))] : []),
    ...validateMessagePolicy(container, path.child("terminationMessagePolicy")),
    ...validatePorts(container.ports, path.child("ports")),
    ...validateEnv(container.env, path.child("env")),
    ...validateEnvFrom(container.envFrom, path.child("envFrom")),
    ...validateMounts(container, rules.volumes, path.child("volumeMounts")),
    ...validateDevices(container, rules.volumes, path.child("volumeDevices")),
    ...validatePullPolicy(text(container.imagePullPolicy), path.child("imagePullPolicy")),
    ...validateRequirements(container.resources, resources, path.child("resources")),
    ...validateResizePolicy(container.resizePolicy, rules, path.child("resizePolicy")),
    ...validateSecurityContext(container, rules, path.child("securityContext")),
  ];
}

function claimName(name: string, names: Set<string>, path: FieldPath): FieldError[] {
  if (names.has(name)) return [duplicate(path, name)];
  names.add(name);
  return [];
}

function validateHooks(
  container: Container,
  { gracePeriod }: ContainerRules,
  path: FieldPath,
): FieldError[] {
  const { lifecycle } = container;
  return [
    ...(isAbsent(lifecycle)
      ? []
      : validateLifecycle(lifecycle, gracePeriod, path.child("lifecycle"))),
    ...validateProbes(container, gracePeriod, path),
  ];
}

function validateMessagePolicy(container: Container, path: FieldPath): FieldError[] {
  const policy = text(container.terminationMessagePolicy);
  const policies = ["File", "FallbackToLogsOnError"];
  if (policy === "") return [required(path)];
  return policies.includes(policy) ? [] : [notSupported(path, policy, policies)];
}

function validatePorts(
  ports: readonly ContainerPort[] | null | undefined,
  path: FieldPath,
): FieldError[] {
  const names = new Set<string>();
  return list(ports).flatMap((port, i) => {
    const at = path.index(i);
    const { containerPort } = port;
    const hostPort = number(port.hostPort);
    return [
      ...validatePortName(text(port.name), names, at.child("name")),
      ...(containerPort === 0
        ? [required(at.child("containerPort"))]
        : invalids(at.child("containerPort"), containerPort, portNumber(containerPort))),
      ...(hostPort === 0 ? [] : invalids(at.child("hostPort"), hostPort, portNumber(hostPort))),
      ...validateProtocol(text(port.protocol), at.child("protocol")),
    ];
  });
}

function validatePortName(name: string, names: Set<string>, path: FieldPath): FieldError[] {
  if (name === "") return [];
  const details = portName(name);
  return details.length > 0 ? invalids(path, name, details) : claimName(name, names, path);
}

function validateProtocol(protocol: string, path: FieldPath): FieldError[] {
  const protocols = ["SCTP", "TCP", "UDP"];
  if (protocol === "") return [required(path)];
  return protocols.includes(protocol) ? [] : [notSupported(path, protocol, protocols)];
}

function validateHostPorts(containers: readonly Container[], path: FieldPath): FieldError[] {
  const taken = new Set<string>();
  return containers.flatMap(({ ports }, i) =>
    list(ports).flatMap((port, j) => {
      const hostPort = number(port.hostPort);
      if (hostPort === 0) return [];
      const place = `${text(port.protocol)}/${text(port.hostIP)}/${hostPort}`;
      return claimName(place, taken, path.index(i).child("ports").index(j).child("hostPort"));
    }),
  );
}

function validateResizePolicy(
  policies: readonly ContainerResizePolicy[] | null | undefined,
  rules: ContainerRules,
  path: FieldPath,
): FieldError[] {
  const seen = new Set<string>();
  return list(policies).flatMap(({ resourceName, restartPolicy }, i) => {
    const errors = claimName(resourceName, seen, path.index(i));
    errors.push(...choice(resourceName, ["cpu", "memory"], path));
    errors.push(...choice(restartPolicy, ["NotRequired", "RestartContainer"], path));
    if (rules.podRestartPolicy === "Never" && restartPolicy !== "NotRequired") {
      const detail = "must be 'NotRequired' when pod `restartPolicy` is 'Never'";
      errors.push(invalid(path, restartPolicy, detail));
    }
    return errors;
  });
}

function validateNoResizeRestart(container: Container, path: FieldPath): FieldError[] {
  return list(container.resizePolicy).flatMap(({ restartPolicy }, i) => {
    if (restartPolicy !== "RestartContainer") return [];
    const detail = "must not be set to 'RestartContainer' for non-sidecar initContainers";
    return [invalid(path.index(i).child("restartPolicy"), restartPolicy, detail)];
  });
}

function validateRestart(container: Container, path: FieldPath): FieldError[] {
  const policy = container.restartPolicy;
  const rules = list(container.restartPolicyRules);
  const at = path.child("restartPolicy");
  const errors: FieldError[] = [];
  if (isAbsent(policy)) {
    if (rules.length === 0) return [];
    errors.push(required(at, "must specify restartPolicy when restart rules are used"));
  } else if (!restartPolicies.includes(policy)) {
    errors.push(notSupported(at, policy, restartPolicies));
  }
  if (rules.length > 20) errors.push(tooMany(path.child("restartPolicyRules"), rules.length, 20));
  return [
    ...errors,
    ...rules.flatMap((rule, i) =>
      validateRestartRule(rule, path.child("restartPolicyRules").index(i)),
    ),
  ];
}

function validateRestartRule(rule: ContainerRestartRule, path: FieldPath): FieldError[] {
  const actions = ["Restart", "RestartAllContainers"];
  const errors = actions.includes(text(rule.action))
    ? []
    : [notSupported(path.child("action"), text(rule.action), actions)];
  const at = path.child("exitCodes");
  if (isAbsent(rule.exitCodes)) return [...errors, required(at, "must be specified")];
  const operator = text(rule.exitCodes.operator);
  const count = list(rule.exitCodes.values).length;
  if (operator !== "In" && operator !== "NotIn") {
    errors.push(notSupported(at.child("operator"), operator, ["In", "NotIn"]));
  }
  return count > 255 ? [...errors, tooMany(at.child("values"), count, 255)] : errors;
}

function refusedFields(container: EphemeralContainer, path: FieldPath): FieldError[] {
  const fields = container as JsonObject;
  const isSet = (name: string) => {
    const value = fields[name];
    // Resources are always there; everything else only if it was sent, even if there is nothing in it.
    return !isAbsent(value) && (name !== "resources" || Object.keys(value).length > 0);
  };
  return [
    ...refusedForEphemeral
      .filter(isSet)
      .map((name) => forbidden(path.child(name), notForEphemeral)),
    ...list(container.volumeMounts).flatMap((mount, i) =>
      (["subPath", "subPathExpr"] as const)
        .filter((name) => text(mount[name]) !== "")
        .map((name) => forbidden(path.child("volumeMounts").index(i).child(name), notForEphemeral)),
    ),
  ];
}

function choice(value: string, values: readonly string[], path: FieldPath): FieldError[] {
  if (value === "") return [required(path)];
  return values.includes(value) ? [] : [notSupported(path, value, values)];
}
