// What may be reported about a pod: containers that are done stay done, addresses make sense, the class of service is
// what it was.

import type {
  ContainerRestartRule,
  ContainerStatus,
  ContainerUser,
  Pod,
  PodSpec,
} from "../types.ts";
import { isAbsent, list, number, text } from "./absent.ts";
import { type FieldError, forbidden, internalError, invalid, invalids } from "./field-error.ts";
import { FieldPath } from "./field-path.ts";
import { isDualStack, parseIp, validateIp } from "./ip-address.ts";
import { nameIsDnsSubdomain, ownerId, qualifiedName } from "./names.ts";
import { validateObjectMetaUpdate } from "./object-meta.ts";
import { validateAnnotationsOfUpdate } from "./pod-update.ts";
import { immutableField } from "./semantic-equal.ts";

const statusPath = FieldPath.of("status");
const systemConditions: ReadonlySet<string> = new Set(["PodScheduled", "Ready", "Initialized"]);
const statusKinds = [
  "containerStatuses",
  "initContainerStatuses",
  "ephemeralContainerStatuses",
] as const;

export function validatePodStatusUpdate(pod: Pod, old: Pod): FieldError[] {
  const { status } = pod;
  return [
    ...validateObjectMetaUpdate(pod.metadata, old.metadata),
    ...validateAnnotationsOfUpdate(pod, old),
    ...validateConditions(pod),
    ...validateNodeNames(pod, old),
    ...nonNegativeGeneration(
      number(status.observedGeneration),
      statusPath.child("observedGeneration"),
    ),
    ...immutableField(
      text(status.qosClass),
      text(old.status.qosClass),
      statusPath.child("qosClass"),
    ),
    ...statusKinds.flatMap((kind) => validateTransitions(pod, old, kind)),
    ...validatePodIps(pod, old),
    ...validateHostIps(pod, old),
    ...statusKinds.flatMap((kind) =>
      validateUsers(list(status[kind]), pod.spec, statusPath.child(kind)),
    ),
    ...list(status.ephemeralContainerStatuses).flatMap((container, i) => {
      if (list(container.allocatedResourcesStatus).length === 0) return [];
      const at = statusPath.child("ephemeralContainerStatuses").index(i);
      const detail = "must not be specified in container status";
      return [forbidden(at.child("allocatedResourcesStatus"), detail)];
    }),
  ];
}

function validateConditions({ status }: Pod): FieldError[] {
  return list(status.conditions).flatMap((condition, i) => {
    const at = statusPath.child("conditions").index(i);
    const generation = number(condition.observedGeneration);
    const errors = nonNegativeGeneration(generation, at.child("observedGeneration"));
    if (systemConditions.has(condition.type)) return errors;
    return [
      ...errors,
      ...invalids(at.child("Type"), condition.type, qualifiedName(condition.type)),
    ];
  });
}

function nonNegativeGeneration(generation: number, path: FieldPath): FieldError[] {
  return generation >= 0 ? [] : [invalid(path, generation, "must be a non-negative integer")];
}

function validateNodeNames(pod: Pod, old: Pod): FieldError[] {
  const errors: FieldError[] = [];
  const bound = text(old.spec.nodeName);
  if (text(pod.spec.nodeName) !== bound) {
    errors.push(forbidden(statusPath.child("nodeName"), "may not be changed directly"));
  }
  const nominated = text(pod.status.nominatedNodeName);
  if (nominated === "" || nominated === text(old.status.nominatedNodeName)) return errors;
  const path = statusPath.child("nominatedNodeName");
  errors.push(...invalids(path, nominated, nameIsDnsSubdomain(nominated, false)));
  if (bound === "") return errors;
  const detail = "may not be set on pods that are already bound to a node";
  return [...errors, forbidden(path, detail)];
}

/** A container that has ended runs again only if something restarts it. */
function validateTransitions(
  pod: Pod,
  { spec, status: before }: Pod,
  kind: (typeof statusKinds)[number],
): FieldError[] {
  if (kind !== "ephemeralContainerStatuses" && restartsAll(spec)) return [];
  return list(before[kind]).flatMap((was, i) => {
    const { terminated } = was.state;
    if (isAbsent(terminated)) return [];
    const isRunning = list(pod.status[kind]).some(
      (now) => now.name === was.name && isAbsent(now.state.terminated),
    );
    if (!isRunning || mayRestart(was, spec, kind)) return [];
    const at = statusPath.child(kind).index(i).child("state");
    return [forbidden(at, "may not be transitioned to non-terminated state")];
  });
}

/** A rule of one container can restart all the others. */
function restartsAll(spec: PodSpec): boolean {
  return [...list(spec.initContainers), ...list(spec.containers)].some(({ restartPolicyRules }) =>
    list(restartPolicyRules).some(({ action }) => action === "RestartAllContainers"),
  );
}

function mayRestart(
  { name, state }: ContainerStatus,
  spec: PodSpec,
  kind: (typeof statusKinds)[number],
): boolean {
  if (kind === "ephemeralContainerStatuses") return false;
  const containers = kind === "containerStatuses" ? spec.containers : spec.initContainers;
  const container = list(containers).find((candidate) => candidate.name === name);
  if (container === undefined) return false;
  const code = number(state.terminated?.exitCode);
  if (list(container.restartPolicyRules).some((rule) => applies(rule, code))) return true;
  const policy = container.restartPolicy ?? spec.restartPolicy;
  return policy === "Always" || (policy === "OnFailure" && code !== 0);
}

function applies({ exitCodes }: ContainerRestartRule, code: number): boolean {
  if (isAbsent(exitCodes)) return false;
  const isListed = list(exitCodes.values).includes(code);
  return exitCodes.operator === "In" ? isListed : exitCodes.operator === "NotIn" && !isListed;
}

function validatePodIps({ status }: Pod, old: Pod): FieldError[] {
  const path = statusPath.child("podIPs");
  const ips = list(status.podIPs).map(({ ip }) => ip);
  const known = list(old.status.podIPs).map(({ ip }) => ip);
  const shown = ips.length === 0 ? null : ips.map((ip) => ({ IP: ip }));
  const errors = [
    ...ips.flatMap((ip, i) => validateIp(path.index(i), ip, known)),
    ...validateFamilies(ips, path),
  ];
  const podIp = text(status.podIP);
  if ((podIp !== "") !== ips.length > 0) {
    const detail = "podIP and podIPs must either both be set or both be unset";
    errors.push(invalid(path, shown, detail));
  } else if (ips.length > 0 && podIp !== ips[0]) {
    errors.push(invalid(path.index(0).child("ip"), ips[0], "must be equal to `podIP`"));
  }
  return errors;
}

function validateHostIps({ status }: Pod, old: Pod): FieldError[] {
  const path = statusPath.child("hostIPs");
  const ips = list(status.hostIPs).map(({ ip }) => ip);
  const [first] = ips;
  if (first === undefined) return [];
  const known = list(old.status.hostIPs).map(({ ip }) => ip);
  const errors =
    text(status.hostIP) === first
      ? []
      : [invalid(path.index(0).child("ip"), first, "must be equal to `hostIP`")];
  return [
    ...errors,
    ...ips.flatMap((ip, i) => validateIp(path.index(i), ip, known)),
    ...validateFamilies(ips, path),
  ];
}

function validateFamilies(ips: readonly string[], path: FieldPath): FieldError[] {
  if (ips.length < 2) return [];
  const parsed = ips.map(parseIp);
  const bad = parsed.indexOf(undefined);
  const errors: FieldError[] = [];
  if (bad !== -1) {
    const why = `ip[${bad}] is not a valid IP: ${ips[bad]}`;
    errors.push(internalError(path, `failed to check for dual stack with error:${why}`));
  }
  if (bad === -1 && isDualStack(parsed) && ips.length === 2) return errors;
  const shown = ips.map((ip) => ({ IP: ip }));
  return [...errors, invalid(path, shown, "may specify no more than one IP for each IP family")];
}

function validateUsers(
  statuses: readonly ContainerStatus[],
  spec: PodSpec,
  path: FieldPath,
): FieldError[] {
  const isWindows = spec.os?.name === "windows";
  return statuses.flatMap(({ user }, i) => {
    if (isAbsent(user?.linux)) return [];
    const at = path.index(i).child("user", "linux");
    if (isWindows) return [forbidden(at, "cannot be set for a windows pod")];
    return validateLinuxUser(user.linux, at);
  });
}

function validateLinuxUser(
  user: NonNullable<ContainerUser["linux"]>,
  path: FieldPath,
): FieldError[] {
  const max = 2 ** 32 - 1;
  const errors: FieldError[] = [];
  if (user.uid < 0 || user.uid > max) {
    const detail = `must be between 0 and ${max}, inclusive`;
    errors.push(invalid(path.child("uid"), user.uid, detail));
  }
  return [
    ...errors,
    ...invalids(path.child("gid"), user.gid, ownerId(user.gid)),
    ...list(user.supplementalGroups).flatMap((group, i) =>
      invalids(path.child("supplementalGroups").index(i), group, ownerId(group)),
    ),
  ];
}
