// Where things are below the data directory. The part below `pods` is the kubelet's, so that tools that know one know both.

import { join } from "node:path";

export interface VolumePlace {
  readonly podUid: string;
  /** "kubernetes.io/configmap" */
  readonly plugin: string;
  /** As the pod calls it. */
  readonly volume: string;
}

export class AgentPaths {
  readonly root: string;

  constructor(root: string) {
    this.root = root;
  }

  /** Profiles that pods name as Localhost. */
  get seccomp(): string {
    return join(this.root, "seccomp");
  }

  get pods(): string {
    return join(this.root, "pods");
  }

  pod(uid: string): string {
    return join(this.pods, uid);
  }

  volumes(podUid: string): string {
    return join(this.pod(podUid), "volumes");
  }

  volume({ podUid, plugin, volume }: VolumePlace): string {
    return join(this.volumes(podUid), escapedPlugin(plugin), volume);
  }

  /** There when the volume was set up whole at least once: a directory without it may be half made. */
  readyMarker({ podUid, plugin, volume }: VolumePlace): string {
    const wrapped = plugin === "kubernetes.io/empty-dir" ? volume : `wrapped_${volume}`;
    return join(this.pod(podUid), "plugins", "kubernetes.io~empty-dir", wrapped, "ready");
  }

  subPaths(podUid: string): string {
    return join(this.pod(podUid), "volume-subpaths");
  }

  subPath(of: {
    readonly podUid: string;
    readonly volume: string;
    readonly container: string;
    readonly index: number;
  }): string {
    const { podUid, volume, container, index } = of;
    return join(this.subPaths(podUid), volume, container, String(index));
  }

  /** The kubelet's place for it; the last part is the container's attempt, where the kubelet draws one by lot. */
  terminationMessage(of: {
    readonly podUid: string;
    readonly container: string;
    readonly attempt: number;
  }): string {
    return join(this.pod(of.podUid), "containers", of.container, String(of.attempt));
  }

  /** What is known of the mounts that are replaced while containers run. Goes with the pod. */
  liveSubPaths(podUid: string): string {
    return join(this.pod(podUid), "plugins", "driftless.dev~live-subpath");
  }

  /** Where the pod's containers say what they run with: `<container>/<attempt>`. Goes with the pod. */
  acks(podUid: string): string {
    return join(this.pod(podUid), "plugins", "driftless.dev~ack");
  }

  /** What the pod's containers were told of changes. Goes with the pod. */
  reloads(podUid: string): string {
    return join(this.pod(podUid), "plugins", "driftless.dev~reload");
  }

  etcHosts(podUid: string): string {
    return join(this.pod(podUid), "etc-hosts");
  }

  /** The kubelet's, but below the data directory: `logs/<namespace>_<pod>_<uid>/<container>/<attempt>.log`. */
  containerLog(of: {
    readonly namespace: string;
    readonly podName: string;
    readonly podUid: string;
    readonly container: string;
    readonly attempt: number;
  }): string {
    const { container, attempt } = of;
    return join(this.podLogs(of), container, `${attempt}.log`);
  }

  get logs(): string {
    return join(this.root, "logs");
  }

  podLogs(of: {
    readonly namespace: string;
    readonly podName: string;
    readonly podUid: string;
  }): string {
    return join(this.logs, `${of.namespace}_${of.podName}_${of.podUid}`);
  }
}

function escapedPlugin(plugin: string): string {
  return plugin.replaceAll("/", "~");
}

export function unescapedPlugin(directory: string): string {
  return directory.replaceAll("~", "/");
}
