// The spec of a pod, alone or in a template. The order of the checks is the order of the errors.

import type { ObjectMeta, PodResourceClaim, PodSpec } from "../types.ts";
import { isAbsent, list, number, text } from "./absent.ts";
import { validateAffinity, validateTopologySpread } from "./affinity.ts";
import {
  type ContainerRules,
  validateContainers,
  validateEphemeralContainers,
  validateInitContainers,
} from "./container.ts";
import {
  duplicate,
  type FieldError,
  forbidden,
  invalid,
  invalids,
  notFound,
  notSupported,
  required,
} from "./field-error.ts";
import { FieldPath } from "./field-path.ts";
import { internalForm } from "./internal-form.ts";
import { validateLabels } from "./labels.ts";
import { dns1123Label, inRange, nameIsDnsSubdomain, qualifiedName } from "./names.ts";
import { isMirrorPod } from "./pod-annotations.ts";
import { type Leniency, strict } from "./pod-leniency.ts";
import { validateHostAliases, validateHostName, validatePodDns } from "./pod-network.ts";
import { validatePodOs } from "./pod-os.ts";
import { validatePodResources } from "./pod-resources.ts";
import { validateContainerResourceName, validateRequirements } from "./resources.ts";
import { validatePodSecurityContext } from "./security-context.ts";
import { validateTolerations } from "./tolerations.ts";
import { visitContainers } from "./visit-containers.ts";
import { validateVolumes } from "./volume.ts";
import { validateHostProcess } from "./windows-options.ts";

export interface PodSpecRules {
  /** A pod, not a template of pods: ports on the host's network are judged more strictly. */
  readonly isPod?: boolean;
  /** Of the pod, if there is one. */
  readonly podMeta?: ObjectMeta;
  /** What the object had before and may keep. */
  readonly leniency?: Leniency;
}

const maxInt32 = 2 ** 31 - 1;

export function validatePodSpec(
  spec: PodSpec,
  path: FieldPath,
  { isPod = false, podMeta, leniency = strict }: PodSpecRules = {},
): FieldError[] {
  const volumes = validateVolumes(spec.volumes, { leniency, podMeta }, path.child("volumes"));
  const rules: ContainerRules = {
    leniency,
    hostUsers: spec.hostUsers !== false,
    volumes: volumes.known,
    claims: new Set(list(spec.resourceClaims).map(({ name }) => name)),
    gracePeriod: spec.terminationGracePeriodSeconds,
    podRestartPolicy: text(spec.restartPolicy),
  };
  return [
    ...(isAbsent(spec.terminationGracePeriodSeconds)
      ? [required(path.child("terminationGracePeriodSeconds"))]
      : []),
    ...volumes.errors,
    ...validateResourceClaims(spec.resourceClaims, podMeta, path.child("resourceClaims")),
    ...validateAllContainers(spec, rules, path),
    ...validatePodResources(spec, path.child("resources")),
    ...validateHostNetworkPorts(spec, isPod, path.child("containers")),
    ...validatePolicies(spec, path),
    ...validateLabels(spec.nodeSelector, path.child("nodeSelector")),
    ...validatePodSecurityContext(spec, leniency, path.child("securityContext")),
    ...validateSharedProcesses(spec, path.child("shareProcessNamespace")),
    ...validateAffinity(spec.affinity, leniency, path.child("affinity")),
    ...validatePodDns(spec, path.child("dnsConfig")),
    ...validateGates(spec, path),
    ...validateTopologySpread(
      spec.topologySpreadConstraints,
      leniency,
      path.child("topologySpreadConstraints"),
    ),
    ...validateHostProcess(spec, path),
    ...validateHostUsers(spec, leniency, path),
    ...validateHostName(spec, path.child("hostnameOverride")),
    ...validateNames(spec, path),
    ...validateTolerations(spec.tolerations, path.child("tolerations")),
    ...validateHostAliases(spec.hostAliases, path.child("hostAliases")),
    ...validateClasses(spec, path),
    ...validatePodOs(spec, path),
    ...validateFileKeyVolumes(spec, path),
  ];
}

function validateAllContainers(
  spec: PodSpec,
  rules: ContainerRules,
  path: FieldPath,
): FieldError[] {
  const { containers, initContainers, ephemeralContainers } = spec;
  const others = [...list(containers), ...list(initContainers)];
  const at = path.child("ephemeralContainers");
  return [
    ...validateContainers(containers, rules, path.child("containers")),
    ...validateInitContainers(initContainers, containers, rules, path.child("initContainers")),
    ...validateEphemeralContainers(ephemeralContainers, others, rules, at),
  ];
}

function validateResourceClaims(
  claims: readonly PodResourceClaim[] | null | undefined,
  podMeta: ObjectMeta | undefined,
  path: FieldPath,
): FieldError[] {
  const names = new Set<string>();
  return list(claims).flatMap((claim, i) => {
    if (isMirrorPod(podMeta?.annotations)) {
      return [forbidden(FieldPath.of("").key(""), "static pods do not support resource claims")];
    }
    const at = path.index(i);
    const errors = validateClaimName(claim.name, names, at.child("name"));
    const { resourceClaimName: name, resourceClaimTemplateName: template } = claim;
    const shown = internalForm("PodResourceClaim", claim);
    if (!isAbsent(name) && !isAbsent(template)) {
      const detail =
        "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified";
      errors.push(invalid(at, shown, detail));
    }
    if (isAbsent(name) && isAbsent(template)) {
      const detail = "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`";
      errors.push(invalid(at, shown, detail));
    }
    return [
      ...errors,
      ...validateSubdomain(name, at.child("resourceClaimName")),
      ...validateSubdomain(template, at.child("resourceClaimTemplateName")),
    ];
  });
}

function validateClaimName(name: string, names: Set<string>, path: FieldPath): FieldError[] {
  if (name === "") return [required(path)];
  if (names.has(name)) return [duplicate(path, name)];
  names.add(name);
  return invalids(path, name, dns1123Label(name));
}

function validateHostNetworkPorts(spec: PodSpec, isPod: boolean, path: FieldPath): FieldError[] {
  if (spec.hostNetwork !== true) return [];
  return list(spec.containers).flatMap(({ ports }, i) =>
    list(ports).flatMap((port, j) => {
      const hostPort = number(port.hostPort);
      if ((!isPod && hostPort === 0) || hostPort === port.containerPort) return [];
      const at = path.index(i).child("ports").index(j).child("hostPort");
      return [invalid(at, hostPort, "must match `containerPort` when `hostNetwork` is true")];
    }),
  );
}

function validatePolicies(spec: PodSpec, path: FieldPath): FieldError[] {
  return [
    ...choice(
      text(spec.restartPolicy),
      ["Always", "OnFailure", "Never"],
      path.child("restartPolicy"),
    ),
    ...choice(
      text(spec.dnsPolicy),
      ["ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"],
      path.child("dnsPolicy"),
    ),
  ];
}

function validateSharedProcesses(spec: PodSpec, path: FieldPath): FieldError[] {
  if (spec.shareProcessNamespace !== true || spec.hostPID !== true) return [];
  return [invalid(path, true, "ShareProcessNamespace and HostPID cannot both be enabled")];
}

function validateGates(spec: PodSpec, path: FieldPath): FieldError[] {
  const seen = new Set<string>();
  return [
    ...list(spec.readinessGates).flatMap(({ conditionType }, i) => {
      const at = path.child("readinessGates").index(i).child("conditionType");
      return invalids(at, conditionType, qualifiedName(conditionType));
    }),
    ...list(spec.schedulingGates).flatMap(({ name }, i) => {
      const at = path.child("schedulingGates").index(i);
      const errors = invalids(at, name, qualifiedName(name));
      if (seen.has(name)) errors.push(duplicate(at, name));
      seen.add(name);
      return errors;
    }),
  ];
}

function validateHostUsers(spec: PodSpec, leniency: Leniency, path: FieldPath): FieldError[] {
  if (spec.hostUsers !== false) return [];
  const detail = "when `hostUsers` is false";
  const shared = [
    ["hostNetwork", spec.hostNetwork],
    ["HostPID", spec.hostPID],
    ["HostIPC", spec.hostIPC],
  ] as const;
  const withDevices = leniency.userNamespaceDevices
    ? []
    : visitContainers(spec, path).filter(
        ({ container }) => list(container.volumeDevices).length > 0,
      );
  return [
    ...shared
      .filter(([, isShared]) => isShared === true)
      .map(([name]) => forbidden(path.child(name), detail)),
    ...withDevices.map(({ path: at }) => forbidden(at.child("volumeDevices"), detail)),
  ];
}

function validateNames(spec: PodSpec, path: FieldPath): FieldError[] {
  const account = text(spec.serviceAccountName);
  const alias = text(spec.serviceAccount);
  const deadline = spec.activeDeadlineSeconds;
  return [
    ...validateSubdomain(account, path.child("serviceAccountName")),
    ...(alias === account
      ? []
      : [
          invalid(
            path.child("deprecatedServiceAccount"),
            alias,
            `must be the same as serviceAccountName: "${account}"`,
          ),
        ]),
    ...validateSubdomain(spec.nodeName, path.child("nodeName")),
    ...(isAbsent(deadline)
      ? []
      : invalids(path.child("activeDeadlineSeconds"), deadline, inRange(deadline, 1, maxInt32))),
    ...(["hostname", "subdomain"] as const).flatMap((field) => {
      const name = text(spec[field]);
      return name === "" ? [] : invalids(path.child(field), name, dns1123Label(name));
    }),
  ];
}

function validateClasses(spec: PodSpec, path: FieldPath): FieldError[] {
  const { runtimeClassName, preemptionPolicy, overhead } = spec;
  const rules = { name: validateContainerResourceName, claims: new Set<string>() };
  return [
    ...validateSubdomain(spec.priorityClassName, path.child("priorityClassName")),
    ...(isAbsent(runtimeClassName)
      ? []
      : invalids(
          path.child("runtimeClassName"),
          runtimeClassName,
          nameIsDnsSubdomain(runtimeClassName, false),
        )),
    ...(isAbsent(preemptionPolicy)
      ? []
      : choice(
          preemptionPolicy,
          ["PreemptLowerPriority", "Never"],
          path.child("preemptionPolicy"),
        )),
    ...(isAbsent(overhead)
      ? []
      : validateRequirements({ limits: overhead }, rules, path.child("overhead"))),
  ];
}

/** Variables from files need a directory of the pod's own to have them in. */
function validateFileKeyVolumes(spec: PodSpec, path: FieldPath): FieldError[] {
  return visitContainers(spec, path).flatMap(({ container, path: at }) =>
    list(container.env).flatMap(({ valueFrom }, i) => {
      const name = valueFrom?.fileKeyRef?.volumeName;
      if (name === undefined) return [];
      const field = at.child("env").index(i).child("valueFrom", "fileKeyRef", "volumeName");
      const volume = list(spec.volumes).find((candidate) => candidate.name === name);
      if (volume === undefined) return [notFound(field, name)];
      if (!isAbsent(volume.emptyDir)) return [];
      return [invalid(field, name, "referenced volume must be of type emptyDir")];
    }),
  );
}

function validateSubdomain(name: string | null | undefined, path: FieldPath): FieldError[] {
  if (isAbsent(name) || name === "") return [];
  return invalids(path, name, nameIsDnsSubdomain(name, false));
}

function choice(value: string, values: readonly string[], path: FieldPath): FieldError[] {
  if (value === "") return [required(path)];
  return values.includes(value) ? [] : [notSupported(path, value, values)];
}
