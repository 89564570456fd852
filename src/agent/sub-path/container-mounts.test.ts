import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Pod, VolumeMount } from "../../api/types.ts";
import { tempDir } from "../../base/testing/temp-dir.ts";
import { AgentPaths } from "../agent-paths.ts";
import type { MountedVolume } from "../volumes/volumes.ts";
import { type ContainerMounts, containerMounts } from "./container-mounts.ts";
import type { SubPathRequest } from "./sub-paths.ts";

function volume(plugin: string, isReadOnly: boolean): MountedVolume {
  return {
    plugin: `kubernetes.io/${plugin}`,
    path: `/volumes/${plugin}`,
    isReadOnly,
    hasChanged: false,
    versions: [],
    version: undefined,
    refreshAfterMs: undefined,
    failure: undefined,
  };
}

const volumes = new Map([
  ["disk", volume("empty-dir", false)],
  ["config", volume("configmap", true)],
]);

/** Without its mount of /etc/hosts, which it is asked to have or not to have. */
function mountsOf(
  volumeMounts: VolumeMount[],
  more: {
    readonly hosts?: boolean;
    readonly requests?: SubPathRequest[];
    readonly isAbsent?: boolean;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly canReplaceMounts?: boolean;
    readonly spec?: Pod["spec"];
  } = {},
): ContainerMounts {
  using dir = tempDir();
  const { annotations = {}, canReplaceMounts = true, spec = {} } = more;
  const pod: Pod = { metadata: { name: "web", uid: "u1", annotations }, spec, status: {} };
  const paths = new AgentPaths(dir.path);
  const prepare = (request: SubPathRequest) => {
    more.requests?.push(request);
    return { hostPath: `/sub/${request.index}`, isAbsent: more.isAbsent ?? false };
  };
  const { mounts, uses } = containerMounts({
    pod,
    container: { name: "main", resources: {}, volumeMounts },
    volumes,
    variables: new Map([["POD_NAME", "web-1"]]),
    paths,
    subPaths: { prepare },
    canReplaceMounts,
    nodeHostsPath: "/etc/hosts",
  });
  const hosts = mounts.filter(({ hostPath }) => hostPath === paths.etcHosts("u1"));
  assert.deepEqual(
    hosts.map(({ containerPath, isReadOnly, propagation }) => [
      containerPath,
      isReadOnly,
      propagation,
    ]),
    more.hosts === false ? [] : [["/etc/hosts", false, "None"]],
  );
  return { mounts: mounts.filter((mount) => !hosts.includes(mount)), uses };
}

describe("containerMounts", () => {
  it("mounts whole volumes, read-only if the mount or the volume is", () => {
    const { mounts, uses } = mountsOf([
      { name: "disk", mountPath: "/mnt/rw" },
      { name: "disk", mountPath: "/mnt/ro/", readOnly: true },
      { name: "config", mountPath: "etc/config" },
    ]);
    const propagation = "None";
    assert.deepEqual(mounts, [
      { hostPath: "/volumes/empty-dir", containerPath: "/mnt/rw", isReadOnly: false, propagation },
      { hostPath: "/volumes/empty-dir", containerPath: "/mnt/ro", isReadOnly: true, propagation },
      {
        hostPath: "/volumes/configmap",
        containerPath: "/etc/config",
        isReadOnly: true,
        propagation,
      },
    ]);
    const whole = {
      ...{ container: "main", subPath: undefined, isAbsent: false, version: undefined },
      ...{ isLive: false, isFrozen: false, whyFrozen: undefined },
      fieldPath: "spec.containers{main}",
    };
    const disk = { ...whole, volume: "disk", plugin: "kubernetes.io/empty-dir" };
    const config = { ...whole, volume: "config", plugin: "kubernetes.io/configmap" };
    assert.deepEqual(uses, [
      { ...disk, index: 0, mountPath: "/mnt/rw" },
      { ...disk, index: 1, mountPath: "/mnt/ro" },
      { ...config, index: 2, mountPath: "/etc/config" },
    ]);
  });

  it("notes where the pod has the container, for events", () => {
    const spec = { initContainers: [{ name: "main", resources: {} }] };
    const { uses } = mountsOf([{ name: "disk", mountPath: "/a" }], { spec });
    assert.equal(uses[0]?.fieldPath, "spec.initContainers{main}");
  });

  it("mounts what was prepared of a sub path, by the mount's index", () => {
    const requests: SubPathRequest[] = [];
    const { mounts } = mountsOf(
      [
        { name: "disk", mountPath: "/a" },
        { name: "config", mountPath: "/b", subPath: "app.yaml" },
        { name: "disk", mountPath: "/c", subPathExpr: "logs/$(POD_NAME)" },
      ],
      { requests },
    );
    assert.deepEqual(
      mounts.map(({ hostPath }) => hostPath),
      ["/volumes/empty-dir", "/sub/1", "/sub/2"],
    );
    const of = { podUid: "u1", container: "main" };
    assert.deepEqual(requests, [
      {
        ...of,
        volume: "config",
        index: 1,
        root: "/volumes/configmap",
        subPath: "app.yaml",
        isWrittenByAgent: true,
      },
      {
        ...of,
        volume: "disk",
        index: 2,
        root: "/volumes/empty-dir",
        subPath: "logs/web-1",
        isWrittenByAgent: false,
      },
    ]);
  });

  const parts: readonly [volume: string, subPath: string, isPart: boolean][] = [
    ["config", "app.yaml", true],
    ["config", "./dir/", true],
    ["config", ".", false],
    ["config", ".//.", false],
    ["disk", "logs", false],
  ];
  for (const [name, subPath, isPart] of parts) {
    it(`G7: says that ${subPath} of ${name} ${isPart ? "is" : "need not be"} replaced`, () => {
      const { uses } = mountsOf([{ name, mountPath: "/x", subPath }]);
      assert.deepEqual([uses[0]?.isLive, uses[0]?.isFrozen], [isPart, false]);
    });
  }

  it('G7: freezes parts of config volumes for a pod that says live-subpath is "false"', () => {
    const both = [
      { name: "config", mountPath: "/x", subPath: "app.yaml" },
      { name: "disk", mountPath: "/y", subPath: "logs" },
    ];
    const states = (value: string) =>
      mountsOf(both, { annotations: { "driftless.dev/live-subpath": value } }).uses.map(
        ({ isLive, isFrozen, whyFrozen }) => [isLive, isFrozen, whyFrozen],
      );
    const disk = [false, false, undefined];
    assert.deepEqual(states("false"), [[false, true, "annotation"], disk]);
    assert.deepEqual(states("true"), [[true, false, undefined], disk]);
  });

  it("G7: freezes parts of config volumes where the kernel cannot replace mounts", () => {
    const { uses } = mountsOf([{ name: "config", mountPath: "/x", subPath: "app.yaml" }], {
      canReplaceMounts: false,
    });
    assert.deepEqual([uses[0]?.isLive, uses[0]?.whyFrozen], [false, "kernel"]);
  });

  it("W7: reports a sub path that was not there", () => {
    const { uses } = mountsOf([{ name: "config", mountPath: "/x", subPath: "no" }], {
      isAbsent: true,
    });
    assert.equal(uses[0]?.isAbsent, true);
  });

  for (const mountPropagation of ["None", "HostToContainer", "Bidirectional"] as const) {
    it(`N: hands on propagation ${mountPropagation}`, () => {
      const { mounts } = mountsOf([{ name: "disk", mountPath: "/x", mountPropagation }]);
      assert.equal(mounts[0]?.propagation, mountPropagation);
    });
  }

  for (const mountPath of ["/etc/hosts", "/etc/hosts/", "/etc//hosts"]) {
    it(`N: brings no hosts file if the container mounts ${mountPath} itself`, () => {
      mountsOf([{ name: "disk", mountPath }], { hosts: false });
    });
  }

  for (const recursiveReadOnly of ["Enabled", "IfPossible", "Disabled"]) {
    it(`accepts recursiveReadOnly ${recursiveReadOnly}`, () => {
      const { mounts } = mountsOf([
        { name: "disk", mountPath: "/x", readOnly: true, recursiveReadOnly },
      ]);
      assert.equal(mounts[0]?.isReadOnly, true);
    });
  }

  const refusals: readonly [mount: Partial<VolumeMount>, message: string][] = [
    [{ name: "no" }, 'cannot find volume "no" to mount into container "main"'],
    [{ subPath: "/a" }, "error SubPath `/a` must not be an absolute path"],
    [{ subPath: "a/../b" }, "unable to provision SubPath `a/../b`: must not contain '..'"],
    [{ subPathExpr: "$(NO)" }, "missing value for NO"],
    [{ mountPropagation: "Sideways" }, 'invalid MountPropagation mode: "Sideways"'],
    [
      { recursiveReadOnly: "Enabled" },
      'failed to resolve recursive read-only mode: volume "disk" requested recursive read-only mode, but it is not read-only',
    ],
    [
      { recursiveReadOnly: "IfPossible", readOnly: true, mountPropagation: "HostToContainer" },
      'failed to resolve recursive read-only mode: volume "disk" requested recursive read-only mode, but it is not compatible with propagation "HostToContainer"',
    ],
    [
      { recursiveReadOnly: "Maybe", readOnly: true },
      'failed to resolve recursive read-only mode: unknown recursive read-only mode "Maybe"',
    ],
  ];
  for (const [mount, message] of refusals) {
    it(`N: refuses ${JSON.stringify(mount)}`, () => {
      assert.throws(() => mountsOf([{ name: "disk", mountPath: "/x", ...mount }]), { message });
    });
  }
});
