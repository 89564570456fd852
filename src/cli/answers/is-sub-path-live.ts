// Whether a subPath of a config volume follows its object in a pod, as far as can be seen from outside. Pure.

import type { ConfigView, Node, Pod } from "../../api/types.ts";

export interface SubPathFacts {
  readonly views: readonly ConfigView[];
  readonly nodes: readonly Node[];
}

/** On a node of ours with Linux 6.5, unless the pod or what its node reports says otherwise. */
export function isSubPathLive(pod: Pod, { views, nodes }: SubPathFacts): boolean {
  const { namespace, name, annotations } = pod.metadata;
  if (annotations?.["driftless.dev/live-subpath"] === "false") return false;
  const view = views.find(
    ({ metadata }) => metadata.name === name && metadata.namespace === namespace,
  );
  if (view?.uses?.some(({ drift }) => drift?.reason === "SubPathFrozen") === true) return false;
  const node = nodes.find(({ metadata }) => metadata.name === pod.spec?.nodeName);
  return node !== undefined && replacesMounts(node);
}

function replacesMounts({ status }: Node): boolean {
  const { nodeInfo } = status;
  const [kernelVersion, kubeletVersion] = [
    nodeInfo?.kernelVersion ?? "",
    nodeInfo?.kubeletVersion ?? "",
  ];
  const [, major = "0", minor = "0"] = /^(\d+)\.(\d+)/.exec(kernelVersion) ?? [];
  const isNewEnough = Number(major) > 6 || (Number(major) === 6 && Number(minor) >= 5);
  return isNewEnough && kubeletVersion.includes("+driftless");
}
