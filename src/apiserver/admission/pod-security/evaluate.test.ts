import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import type { JsonObject } from "../../../api/json.ts";
import type { Pod } from "../../../api/types.ts";
import { objectOf } from "../testing/requests.ts";
import { detailsOf, evaluate } from "./evaluate.ts";
import { LATEST, type Level, type Version } from "./policy.ts";

interface PodParts {
  readonly spec?: JsonObject;
  /** Of the pod. */
  readonly context?: JsonObject;
  /** Of container "a". */
  readonly a?: JsonObject;
  /** Of init container "b", which there is only if this is given. */
  readonly b?: JsonObject;
  readonly annotations?: JsonObject;
}

/** The smallest pods that pass, with changes. */
const hardened = {
  allowPrivilegeEscalation: false,
  capabilities: { drop: ["ALL"] },
};
const hardenedPod = { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } };

function podWith(level: Level, { spec, context, a, b, annotations }: PodParts): Pod {
  const isRestricted = level === "restricted";
  const container = (name: string, changes: JsonObject = {}): JsonObject => ({
    name,
    image: "i",
    ...changes,
    securityContext: {
      ...(isRestricted && hardened),
      ...(changes["securityContext"] as JsonObject | undefined),
    },
  });
  return objectOf("v1 Pod", {
    metadata: { name: "p", ...(annotations && { annotations }) },
    spec: {
      ...(b && { initContainers: [container("b", b)] }),
      containers: [container("a", a)],
      securityContext: { ...(isRestricted && hardenedPod), ...context },
      ...spec,
    },
  }) as unknown as Pod;
}

function found(level: Level, parts: PodParts, version: Version = LATEST): string {
  return detailsOf(evaluate({ level, version }, podWith(level, parts)));
}

const secure = (securityContext: JsonObject): JsonObject => ({ securityContext });
const volume = (source: JsonObject): PodParts => ({
  spec: { volumes: [{ name: "v", ...source }] },
});
const appArmor = "container.apparmor.security.beta.kubernetes.io";

type Case = readonly [string, PodParts, string, { readonly version: Version }?];

const baselineCases: readonly Case[] = [
  ["nothing special", {}, ""],
  ["the host's network", { spec: { hostNetwork: true } }, "host namespaces (hostNetwork=true)"],
  [
    "all that the host shares",
    { spec: { hostNetwork: true, hostPID: true, hostIPC: true } },
    "host namespaces (hostNetwork=true, hostPID=true, hostIPC=true)",
  ],
  [
    "a privileged container",
    { a: secure({ privileged: true }) },
    'privileged (container "a" must not set securityContext.privileged=true)',
  ],
  [
    "two privileged containers, init containers first",
    { a: secure({ privileged: true }), b: secure({ privileged: true }) },
    'privileged (containers "b", "a" must not set securityContext.privileged=true)',
  ],
  ["a container that says it is not privileged", { a: secure({ privileged: false }) }, ""],
  [
    "capabilities that are not usual",
    {
      a: secure({ capabilities: { add: ["SYS_TIME", "CHOWN", "NET_RAW"] } }),
      b: secure({ capabilities: { add: ["NET_RAW"] } }),
    },
    'non-default capabilities (containers "b", "a" must not include "NET_RAW", "SYS_TIME" in securityContext.capabilities.add)',
  ],
  ["usual capabilities", { a: secure({ capabilities: { add: ["MKNOD", "KILL"] } }) }, ""],
  ["a path of the host", volume({ hostPath: { path: "/" } }), 'hostPath volumes (volume "v")'],
  ["other volumes", volume({ nfs: { server: "s", path: "/" } }), ""],
  [
    "a port of the host",
    { a: { ports: [{ containerPort: 1, hostPort: 80 }] } },
    'hostPort (container "a" uses hostPort 80)',
  ],
  [
    "ports of the host, in the order of texts",
    {
      a: {
        ports: [
          { containerPort: 1, hostPort: 9 },
          { containerPort: 2, hostPort: 80 },
        ],
      },
      b: { ports: [{ containerPort: 1, hostPort: 80 }] },
    },
    'hostPort (containers "b", "a" use hostPorts 80, 9)',
  ],
  [
    "AppArmor switched off for the pod and a container",
    {
      context: { appArmorProfile: { type: "Unconfined" } },
      a: secure({ appArmorProfile: { type: "Unconfined" } }),
    },
    'forbidden AppArmor profile (pod and container "a" must not set AppArmor profile type to "Unconfined")',
  ],
  [
    "AppArmor switched off by annotations",
    {
      annotations: { [`${appArmor}/a`]: "unconfined", [`${appArmor}/b`]: "other" },
    },
    `forbidden AppArmor profiles (annotations must not set AppArmor profile type to "${appArmor}/a="unconfined"", "${appArmor}/b="other"")`,
  ],
  [
    "AppArmor profiles that are allowed",
    {
      annotations: { [`${appArmor}/a`]: "localhost/x", [`${appArmor}/b`]: "runtime/default" },
      a: secure({ appArmorProfile: { type: "Localhost", localhostProfile: "x" } }),
    },
    "",
  ],
  [
    "an SELinux type, user and role",
    {
      context: { seLinuxOptions: { type: "foo", user: "u" } },
      a: secure({ seLinuxOptions: { type: "bar", role: "r" } }),
    },
    'seLinuxOptions (pod and container "a" set forbidden securityContext.seLinuxOptions: types "bar", "foo"; user may not be set; role may not be set)',
  ],
  [
    "an SELinux role alone",
    { a: secure({ seLinuxOptions: { role: "r" } }) },
    'seLinuxOptions (container "a" set forbidden securityContext.seLinuxOptions: role may not be set)',
  ],
  [
    "the SELinux type of engines, since 1.31",
    { context: { seLinuxOptions: { type: "container_engine_t", level: "x" } } },
    "",
  ],
  [
    "the SELinux type of engines, before",
    { context: { seLinuxOptions: { type: "container_engine_t" } } },
    'seLinuxOptions (pod set forbidden securityContext.seLinuxOptions: type "container_engine_t")',
    { version: 30 },
  ],
  [
    "an unmasked /proc",
    { a: secure({ procMount: "Unmasked" }) },
    'procMount (container "a" must not set securityContext.procMount to "Unmasked")',
  ],
  [
    "an unmasked /proc of a pod with users of its own, since 1.35",
    { spec: { hostUsers: false }, a: secure({ procMount: "Unmasked" }) },
    "",
  ],
  [
    "an unmasked /proc of a pod with users of its own, before",
    { spec: { hostUsers: false }, a: secure({ procMount: "Unmasked" }) },
    'procMount (container "a" must not set securityContext.procMount to "Unmasked")',
    { version: 34 },
  ],
  [
    "seccomp switched off",
    {
      context: { seccompProfile: { type: "Unconfined" } },
      a: secure({ seccompProfile: { type: "Unconfined" } }),
    },
    'seccompProfile (pod and container "a" must not set securityContext.seccompProfile.type to "Unconfined")',
  ],
  [
    "seccomp switched off by annotations, until 1.18",
    {
      annotations: {
        "seccomp.security.alpha.kubernetes.io/pod": "unconfined",
        "container.seccomp.security.alpha.kubernetes.io/a": "docker/default",
      },
    },
    'seccompProfile (forbidden annotation seccomp.security.alpha.kubernetes.io/pod="unconfined")',
    { version: 18 },
  ],
  [
    "annotations for seccomp, since 1.19",
    { annotations: { "seccomp.security.alpha.kubernetes.io/pod": "unconfined" } },
    "",
    { version: 19 },
  ],
  [
    "kernel settings that are not safe",
    { context: { sysctls: [{ name: "kernel.msgmax" }, { name: "a.b" }] } },
    "forbidden sysctls (kernel.msgmax, a.b)",
  ],
  ...(
    [
      ["net.ipv4.ip_local_reserved_ports", 27],
      ["net.ipv4.tcp_keepalive_time", 29],
      ["net.ipv4.tcp_rmem", 32],
      ["net.ipv4.tcp_notsent_lowat", 37],
    ] as const
  ).flatMap(([name, since]): readonly Case[] => [
    [`${name}, since 1.${since}`, { context: { sysctls: [{ name }] } }, "", { version: since }],
    [
      `${name}, before 1.${since}`,
      { context: { sysctls: [{ name }] } },
      `forbidden sysctls (${name})`,
      { version: since - 1 },
    ],
  ]),
  [
    "a Windows process of the host",
    {
      context: { windowsOptions: { hostProcess: true } },
      a: secure({ windowsOptions: { hostProcess: true } }),
    },
    'hostProcess (pod and container "a" must not set securityContext.windowsOptions.hostProcess=true)',
  ],
  [
    "probes and handlers that call other hosts",
    {
      a: {
        livenessProbe: { httpGet: { port: 1, host: "y" } },
        lifecycle: { preStop: { tcpSocket: { port: 1, host: "x" } } },
      },
    },
    'probe or lifecycle host (container "a" uses probe or lifecycle hosts "x", "y")',
  ],
  [
    "probes that call other hosts, before 1.34",
    { a: { startupProbe: { tcpSocket: { port: 1, host: "x" } } } },
    "",
    { version: 33 },
  ],
  ["what only the restricted level forbids", { a: secure({ runAsUser: 0 }) }, ""],
  [
    "several things, in the order of the checks",
    { spec: { hostPID: true }, a: secure({ privileged: true, capabilities: { add: ["X"] } }) },
    'non-default capabilities (container "a" must not include "X" in securityContext.capabilities.add), host namespaces (hostPID=true), privileged (container "a" must not set securityContext.privileged=true)',
  ],
];

const restrictedCases: readonly Case[] = [
  ["a hardened pod", { b: {} }, ""],
  ["what baseline forbids", { spec: { hostPID: true } }, "host namespaces (hostPID=true)"],
  [
    "a container that may gain rights",
    { a: secure({ allowPrivilegeEscalation: true }) },
    'allowPrivilegeEscalation != false (container "a" must set securityContext.allowPrivilegeEscalation=false)',
  ],
  [
    "the same for Windows, until 1.24",
    { spec: { os: { name: "windows" } }, a: secure({ allowPrivilegeEscalation: true }) },
    'allowPrivilegeEscalation != false (container "a" must set securityContext.allowPrivilegeEscalation=false)',
    { version: 24 },
  ],
  [
    "a container that keeps capabilities and adds some, told once",
    {
      a: secure({ capabilities: { add: ["CHOWN", "NET_BIND_SERVICE", "SYS_TIME"] } }),
    },
    'unrestricted capabilities (container "a" must set securityContext.capabilities.drop=["ALL"]; container "a" must not include "CHOWN", "SYS_TIME" in securityContext.capabilities.add)',
  ],
  [
    "capabilities before 1.22, as baseline has them",
    { a: secure({ capabilities: { add: ["CHOWN", "SYS_TIME"] } }) },
    'non-default capabilities (container "a" must not include "SYS_TIME" in securityContext.capabilities.add)',
    { version: 21 },
  ],
  [
    "volumes of other kinds",
    {
      spec: {
        volumes: [
          { name: "v", hostPath: { path: "/" } },
          { name: "w", nfs: { server: "s", path: "/" } },
          { name: "x", emptyDir: {} },
        ],
      },
    },
    'restricted volume types (volumes "v", "w" use restricted volume types "hostPath", "nfs")',
  ],
  [
    "one volume of another kind",
    volume({ gitRepo: { repository: "r" } }),
    'restricted volume types (volume "v" uses restricted volume type "gitRepo")',
  ],
  [
    "a pod that does not say it is not root",
    { context: { runAsNonRoot: undefined }, b: secure({ runAsNonRoot: true }) },
    'runAsNonRoot != true (pod or container "a" must set securityContext.runAsNonRoot=true)',
  ],
  [
    "a pod and a container that say they are root",
    { context: { runAsNonRoot: false }, a: secure({ runAsNonRoot: false }) },
    'runAsNonRoot != true (pod and container "a" must not set securityContext.runAsNonRoot=false)',
  ],
  [
    "root among users of its own, since 1.35",
    { spec: { hostUsers: false }, context: { runAsNonRoot: false, runAsUser: 0 } },
    "",
  ],
  [
    "root among users of its own, before",
    { spec: { hostUsers: false }, context: { runAsNonRoot: false } },
    "runAsNonRoot != true (pod must not set securityContext.runAsNonRoot=false)",
    { version: 34 },
  ],
  [
    "user 0",
    { context: { runAsUser: 0 }, a: secure({ runAsUser: 0 }), b: secure({ runAsUser: 1 }) },
    'runAsUser=0 (pod and container "a" must not set runAsUser=0)',
  ],
  ["user 0 before 1.23", { context: { runAsUser: 0 } }, "", { version: 22 }],
  [
    "no seccomp profile",
    {
      context: { seccompProfile: undefined },
      b: secure({ seccompProfile: { type: "Localhost" } }),
    },
    'seccompProfile (pod or container "a" must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost")',
  ],
  [
    "a bad seccomp profile, told before a missing one",
    { context: { seccompProfile: { type: "Unconfined" } } },
    'seccompProfile (pod must not set securityContext.seccompProfile.type to "Unconfined")',
  ],
  [
    "no seccomp profile before 1.19",
    { context: { seccompProfile: undefined } },
    "",
    { version: 18 },
  ],
  [
    "an unmasked /proc, told once, also with users of its own",
    { spec: { hostUsers: false }, a: secure({ procMount: "Unmasked" }) },
    'procMount (container "a" must not set securityContext.procMount to "Unmasked")',
  ],
];

describe("Pod security at level baseline judges", () => {
  for (const [name, parts, expected, at] of baselineCases) {
    it(name, () => assert.equal(found("baseline", parts, at?.version), expected));
  }
});

describe("Pod security at level restricted judges", () => {
  for (const [name, parts, expected, at] of restrictedCases) {
    it(name, () => assert.equal(found("restricted", parts, at?.version), expected));
  }

  it("a pod that says nothing, with all that it lacks", () => {
    const pod = podWith("baseline", {});
    assert.equal(
      detailsOf(evaluate({ level: "restricted", version: LATEST }, pod)),
      'allowPrivilegeEscalation != false (container "a" must set securityContext.allowPrivilegeEscalation=false), unrestricted capabilities (container "a" must set securityContext.capabilities.drop=["ALL"]), runAsNonRoot != true (pod or container "a" must set securityContext.runAsNonRoot=true), seccompProfile (pod or container "a" must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost")',
    );
  });

  it("a Windows pod that says nothing, leniently where Windows knows no such thing", () => {
    const pod = podWith("baseline", { spec: { os: { name: "windows" } } });
    assert.equal(
      detailsOf(evaluate({ level: "restricted", version: LATEST }, pod)),
      'runAsNonRoot != true (pod or container "a" must set securityContext.runAsNonRoot=true)',
    );
  });
});

describe("Pod security", () => {
  const contexts = fc.record(
    {
      privileged: fc.boolean(),
      allowPrivilegeEscalation: fc.boolean(),
      runAsNonRoot: fc.boolean(),
      runAsUser: fc.nat(1),
      procMount: fc.constantFrom("Default", "Unmasked"),
      seccompProfile: fc.record({ type: fc.constantFrom("RuntimeDefault", "Unconfined") }),
      seLinuxOptions: fc.record({ type: fc.constantFrom("container_t", "x") }),
      capabilities: fc.record({
        drop: fc.constantFrom(["ALL"], []),
        add: fc.constantFrom([], ["NET_BIND_SERVICE"], ["CHOWN"], ["SYS_TIME"]),
      }),
    },
    { requiredKeys: [] },
  );
  const sources = fc.constantFrom<JsonObject>({ emptyDir: {} }, { hostPath: { path: "/" } });

  it("lets at level baseline be whatever it lets be at level restricted", () => {
    let passed = 0;
    fc.assert(
      fc.property(
        contexts,
        sources,
        fc.boolean(),
        fc.integer({ min: 0, max: 40 }),
        (context, source, hostUsers, version) => {
          const spec = { hostUsers, volumes: [{ name: "v", ...source }] };
          const pod = podWith("restricted", { a: secure(context as JsonObject), spec });
          if (evaluate({ level: "restricted", version }, pod).length > 0) return;
          passed++;
          assert.deepEqual(evaluate({ level: "baseline", version }, pod), []);
        },
      ),
      { numRuns: 2000 },
    );
    assert.ok(passed > 0);
  });
});

describe("Pod security at level privileged", () => {
  it("has nothing to say", () => {
    assert.equal(found("privileged", { a: secure({ privileged: true }) }), "");
  });
});
