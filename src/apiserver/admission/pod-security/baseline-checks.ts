// The checks of the level "baseline": what gives a pod known ways out of its container.

import type {
  Container,
  LifecycleHandler,
  Probe,
  SELinuxOptions,
  SeccompProfile,
} from "../../../api/types.ts";
import { entry, list } from "../../../api/validation/absent.ts";
import { goQuote } from "../../../api/validation/go-text.ts";
import {
  type Check,
  containersOf,
  contextOf,
  counted,
  distinct,
  type Finding,
  namesOf,
  plural,
  quoted,
  setters,
} from "./findings.ts";

const appArmorPrefix = "container.apparmor.security.beta.kubernetes.io/";
const profileTypes: ReadonlySet<string> = new Set(["RuntimeDefault", "Localhost"]);

export const appArmorProfile: Check = (pod) => {
  const typeOf = (container: Container): string | undefined =>
    contextOf(container).appArmorProfile?.type;
  const isBad = (type: string | undefined): type is string =>
    type !== undefined && !profileTypes.has(type);
  const ofPod = pod.spec.securityContext?.appArmorProfile?.type;
  const containers = containersOf(pod);
  const bad = namesOf(containers, (container) => isBad(typeOf(container)));
  const annotations = Object.entries(pod.metadata?.annotations ?? {})
    .filter(([key, value]) => key.startsWith(appArmorPrefix) && !isAllowedAnnotation(value))
    .map(([key, value]) => `${key}=${goQuote(value)}`)
    .sort();
  const values = [...distinct([ofPod, ...containers.map(typeOf)].filter(isBad)), ...annotations];
  const who = [
    setters(isBad(ofPod), bad),
    annotations.length > 0 ? plural("annotation", annotations) : "",
  ].filter((part) => part !== "");
  if (who.length === 0) return undefined;
  return {
    reason: plural("forbidden AppArmor profile", values),
    detail: `${who.join(" and ")} must not set AppArmor profile type to ${quoted(values)}`,
  };
};

function isAllowedAnnotation(value: string): boolean {
  return value === "" || value === "runtime/default" || value.startsWith("localhost/");
}

const usualCapabilities: ReadonlySet<string> = new Set([
  "AUDIT_WRITE",
  "CHOWN",
  "DAC_OVERRIDE",
  "FOWNER",
  "FSETID",
  "KILL",
  "MKNOD",
  "NET_BIND_SERVICE",
  "SETFCAP",
  "SETGID",
  "SETPCAP",
  "SETUID",
  "SYS_CHROOT",
]);

export const capabilities: Check = (pod) => {
  const detail = addedCapabilities(containersOf(pod), usualCapabilities);
  return detail === undefined ? undefined : { reason: "non-default capabilities", detail };
};

/** Says who adds capabilities that are not allowed. */
export function addedCapabilities(
  containers: readonly Container[],
  allowed: ReadonlySet<string>,
): string | undefined {
  const badOf = (container: Container): readonly string[] =>
    list(contextOf(container).capabilities?.add).filter((added) => !allowed.has(added));
  const names = namesOf(containers, (container) => badOf(container).length > 0);
  if (names.length === 0) return undefined;
  const added = distinct(containers.flatMap(badOf));
  return `${counted("container", names)} must not include ${quoted(added)} in securityContext.capabilities.add`;
}

export const hostNamespaces: Check = ({ spec }) => {
  const shared = (["hostNetwork", "hostPID", "hostIPC"] as const).filter((field) => spec[field]);
  if (shared.length === 0) return undefined;
  return {
    reason: "host namespaces",
    detail: shared.map((field) => `${field}=true`).join(", "),
  };
};

export const hostPathVolumes: Check = ({ spec }) => {
  const names = list(spec.volumes)
    .filter(({ hostPath }) => hostPath !== undefined)
    .map(({ name }) => name);
  if (names.length === 0) return undefined;
  return { reason: "hostPath volumes", detail: counted("volume", names) };
};

export const hostPorts: Check = (pod) => {
  const portsOf = ({ ports }: Container): string[] =>
    list(ports)
      .filter(({ hostPort = 0 }) => hostPort !== 0)
      .map(({ hostPort }) => String(hostPort));
  const containers = containersOf(pod);
  const names = namesOf(containers, (container) => portsOf(container).length > 0);
  if (names.length === 0) return undefined;
  const ports = distinct(containers.flatMap(portsOf));
  return {
    reason: "hostPort",
    detail: `${counted("container", names)} ${plural("uses", names, "use")} ${plural("hostPort", ports)} ${ports.join(", ")}`,
  };
};

export const hostProbes: Check = (pod) => {
  const containers = containersOf(pod);
  const names = distinct(namesOf(containers, (container) => hostsOf(container).length > 0));
  if (names.length === 0) return undefined;
  const hosts = distinct(containers.flatMap(hostsOf));
  const what = plural("probe or lifecycle host", hosts);
  return {
    reason: "probe or lifecycle host",
    detail: `${counted("container", names)} ${plural("uses", names, "use")} ${what} ${quoted(hosts)}`,
  };
};

/** Other hosts that the node would be made to call. */
function hostsOf({ livenessProbe, readinessProbe, startupProbe, lifecycle }: Container): string[] {
  const handlers: readonly (Probe | LifecycleHandler | undefined)[] = [
    livenessProbe,
    readinessProbe,
    startupProbe,
    lifecycle?.postStart,
    lifecycle?.preStop,
  ];
  return handlers.flatMap((handler) =>
    [handler?.httpGet?.host, handler?.tcpSocket?.host].filter(
      (host) => host !== undefined && host !== "",
    ),
  ) as string[];
}

export const privileged: Check = (pod) => {
  const names = namesOf(containersOf(pod), (of) => contextOf(of).privileged === true);
  if (names.length === 0) return undefined;
  const detail = `${counted("container", names)} must not set securityContext.privileged=true`;
  return { reason: "privileged", detail };
};

export const procMount: Check = (pod) => {
  const mountOf = (container: Container): string => contextOf(container).procMount ?? "Default";
  const bad = containersOf(pod).filter((container) => mountOf(container) !== "Default");
  if (bad.length === 0) return undefined;
  const who = counted(
    "container",
    namesOf(bad, () => true),
  );
  return {
    reason: "procMount",
    detail: `${who} must not set securityContext.procMount to ${quoted(distinct(bad.map(mountOf)))}`,
  };
};

const seLinuxTypes = ["", "container_t", "container_init_t", "container_kvm_t"];
export const seLinuxOptions: Check = seLinuxAllowing(seLinuxTypes);
export const seLinuxOptions31: Check = seLinuxAllowing([...seLinuxTypes, "container_engine_t"]);

function seLinuxAllowing(types: readonly string[]): Check {
  const isBad = (options: SELinuxOptions | undefined): options is SELinuxOptions =>
    options !== undefined &&
    (!types.includes(options.type ?? "") || Boolean(options.user) || Boolean(options.role));
  return (pod): Finding | undefined => {
    const ofPod = pod.spec.securityContext?.seLinuxOptions;
    const containers = containersOf(pod);
    const names = namesOf(containers, (of) => isBad(contextOf(of).seLinuxOptions));
    const bad = [ofPod, ...containers.map((of) => contextOf(of).seLinuxOptions)].filter(isBad);
    if (bad.length === 0) return undefined;
    const badTypes = distinct(
      bad.map(({ type = "" }) => type).filter((type) => !types.includes(type)),
    );
    const problems = [
      ...(badTypes.length > 0 ? [counted("type", badTypes)] : []),
      ...(bad.some(({ user }) => user) ? ["user may not be set"] : []),
      ...(bad.some(({ role }) => role) ? ["role may not be set"] : []),
    ];
    return {
      reason: "seLinuxOptions",
      detail: `${setters(isBad(ofPod), names)} set forbidden securityContext.seLinuxOptions: ${problems.join("; ")}`,
    };
  };
}

const seccompPodKey = "seccomp.security.alpha.kubernetes.io/pod";
const seccompPrefix = "container.seccomp.security.alpha.kubernetes.io/";

/** Before there were fields for it. */
export const seccompAnnotations: Check = (pod) => {
  const annotations = pod.metadata?.annotations;
  const keys = [seccompPodKey, ...containersOf(pod).map(({ name }) => seccompPrefix + name)];
  const bad = distinct(
    keys.flatMap((key) => {
      const value = entry(annotations, key);
      return value === undefined || isAllowedSeccomp(value) ? [] : [`${key}=${goQuote(value)}`];
    }),
  );
  if (bad.length === 0) return undefined;
  const detail = `forbidden ${plural("annotation", bad)} ${bad.join(", ")}`;
  return { reason: "seccompProfile", detail };
};

function isAllowedSeccomp(value: string): boolean {
  return ["runtime/default", "docker/default"].includes(value) || value.startsWith("localhost/");
}

export const seccompProfile: Check = (pod) => {
  const ofPod = pod.spec.securityContext?.seccompProfile;
  const containers = containersOf(pod);
  const names = namesOf(containers, (of) => isBadSeccomp(contextOf(of).seccompProfile));
  const bad = [ofPod, ...containers.map((of) => contextOf(of).seccompProfile)].filter(isBadSeccomp);
  if (bad.length === 0) return undefined;
  const values = distinct(bad.map(({ type }) => type));
  return {
    reason: "seccompProfile",
    detail: `${setters(isBadSeccomp(ofPod), names)} must not set securityContext.seccompProfile.type to ${quoted(values)}`,
  };
};

function isBadSeccomp(profile: SeccompProfile | undefined): profile is SeccompProfile {
  return profile !== undefined && !profileTypes.has(profile.type);
}

const sysctls0 = [
  "kernel.shm_rmid_forced",
  "net.ipv4.ip_local_port_range",
  "net.ipv4.tcp_syncookies",
  "net.ipv4.ping_group_range",
  "net.ipv4.ip_unprivileged_port_start",
];
const sysctls27 = [...sysctls0, "net.ipv4.ip_local_reserved_ports"];
const sysctls29 = [
  ...sysctls27,
  "net.ipv4.tcp_keepalive_time",
  "net.ipv4.tcp_fin_timeout",
  "net.ipv4.tcp_keepalive_intvl",
  "net.ipv4.tcp_keepalive_probes",
];
const sysctls32 = [...sysctls29, "net.ipv4.tcp_rmem", "net.ipv4.tcp_wmem"];
const sysctls37 = [
  ...sysctls32,
  "net.ipv4.tcp_slow_start_after_idle",
  "net.ipv4.tcp_notsent_lowat",
];

/** By the version from which on it holds. */
export const sysctls: readonly (readonly [number, Check])[] = [
  [0, sysctlsAllowing(sysctls0)],
  [27, sysctlsAllowing(sysctls27)],
  [29, sysctlsAllowing(sysctls29)],
  [32, sysctlsAllowing(sysctls32)],
  [37, sysctlsAllowing(sysctls37)],
];

function sysctlsAllowing(names: readonly string[]): Check {
  return ({ spec }): Finding | undefined => {
    const bad = list(spec.securityContext?.sysctls).filter(({ name }) => !names.includes(name));
    if (bad.length === 0) return undefined;
    return { reason: "forbidden sysctls", detail: bad.map(({ name }) => name).join(", ") };
  };
}

export const windowsHostProcess: Check = (pod) => {
  const isOfPod = pod.spec.securityContext?.windowsOptions?.hostProcess === true;
  const names = namesOf(
    containersOf(pod),
    (of) => contextOf(of).windowsOptions?.hostProcess === true,
  );
  if (!isOfPod && names.length === 0) return undefined;
  return {
    reason: "hostProcess",
    detail: `${setters(isOfPod, names)} must not set securityContext.windowsOptions.hostProcess=true`,
  };
};
