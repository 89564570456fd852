// Who uses what, and how it stands: each use of a ConfigMap or Secret by a pod that runs or is about to, judged by its node's report, by the
// object as it is now, and by whether the node can be asked. Pure.

import { type PodUse, podUses } from "../../api/config/pod-uses.ts";
import { judgeUse, type UseJudgement } from "../../api/config/use-state.ts";
import type { ConfigUse, ConfigView, Node, Pod } from "../../api/types.ts";
import { type OwnerChain, Owners } from "./owners.ts";
import type { ConfigReference, Picture } from "./picture.ts";

export interface Consumer {
  readonly object: ConfigReference;
  readonly pod: string;
  /** From the pod to what made it: "pod/x", "replicaset/y", "deployment/z". */
  readonly owners: OwnerChain;
  readonly node: string;
  /** When the pod was made. */
  readonly createdAt: string | undefined;
  /** The pod is on its way out. */
  readonly isTerminating: boolean;
  /** As the node reports it; without a report what the pod's spec says. */
  readonly use: ConfigUse;
  readonly judged: UseJudgement;
}

/** "deployment/api", or the pod itself. */
export function ownerOf({ owners }: Pick<Consumer, "owners">): string {
  return owners.at(-1) ?? "";
}

/** In the order of objects, pods and uses. Pods that have ended use nothing. */
export function consumersIn(picture: Picture): readonly Consumer[] {
  const owners = new Owners(picture.replicaSets);
  const views = new Map(picture.views.map((view) => [keyOf(view), view] as const));
  const nodes =
    picture.nodes && new Map(picture.nodes.map((node) => [node.metadata.name ?? "", node]));
  const consumers = picture.pods
    .filter(({ status }) => status?.phase !== "Succeeded" && status?.phase !== "Failed")
    .flatMap((pod) => consumersOf(pod, { picture, owners, nodes, view: viewOf(pod, views) }));
  return consumers.toSorted(inOrder);
}

interface Known {
  readonly picture: Picture;
  readonly owners: Owners;
  readonly nodes: ReadonlyMap<string, Node> | undefined;
  readonly view: ConfigView | undefined;
}

function consumersOf(pod: Pod, { picture, owners, nodes, view }: Known): readonly Consumer[] {
  const { namespace = "", name = "", deletionTimestamp } = pod.metadata;
  const node = pod.spec?.nodeName ?? "";
  const nodeAway = whyAway(node, nodes);
  const createdAt = pod.metadata.creationTimestamp ?? undefined;
  const common = { pod: name, owners: owners.of(pod), node, createdAt };
  const isTerminating = deletionTimestamp !== undefined && deletionTimestamp !== null;
  const specified = podUses(pod.spec);
  const optional = new Set(specified.filter(isOptional).map(identity));
  const reported = view?.uses ?? [];
  const known = new Set(reported.map(identity));
  const unreported = specified.filter((use) => stays(use) && !known.has(identity(use)));
  const consumer = (use: ConfigUse, judge: (of: ConfigReference) => UseJudgement): Consumer => {
    const kind = use.kind === "Secret" ? ("Secret" as const) : ("ConfigMap" as const);
    const object = { kind, namespace, name: use.name };
    return { object, ...common, isTerminating, use, judged: judge(object) };
  };
  return [
    ...reported.map((use) =>
      consumer(use, (object) =>
        judgeUse(use, {
          version: picture.versionNow(object),
          isOptional: optional.has(identity(use)),
          nodeAway,
        }),
      ),
    ),
    ...unreported.map((use) =>
      consumer(withoutReport(use), () => unknown(nodeAway ?? whyUnreported(pod, node))),
    ),
  ];
}

type Identified = Pick<ConfigUse, "kind" | "name" | "how" | "container" | "mountPath">;

function identity({ kind, name, how, container = "", mountPath = "" }: Identified): string {
  return JSON.stringify([kind, name, how, container, mountPath]);
}

function isOptional({ optional }: PodUse): boolean {
  return optional;
}

/** Init containers end; debuggers come and go. Only their node knows whether they are there. */
function stays({ containerType }: PodUse): boolean {
  return containerType === "regular" || containerType === "sidecar";
}

function withoutReport({ kind, name, how, container, mountPath, keys }: PodUse): ConfigUse {
  return { kind, name, how, container, mountPath, ...(keys && { keys: [...keys] }) };
}

function unknown(message: string): UseJudgement {
  return { state: "Unknown", reason: "", message, since: undefined, isConfirmed: false };
}

function whyUnreported(pod: Pod, node: string): string {
  if (node === "") return "the pod is on no node yet";
  return pod.status?.phase === "Running"
    ? `node ${node} has not reported on this pod: if it does not soon, see whether a Driftless agent runs there`
    : `the pod is about to start on node ${node}`;
}

/** Undefined also if nodes may not be looked at: then the controller's word in the view is all there is. */
function whyAway(node: string, nodes: ReadonlyMap<string, Node> | undefined): string | undefined {
  if (node === "" || nodes === undefined) return undefined;
  const found = nodes.get(node);
  if (found === undefined) return `node ${node} is no more: nobody knows what this pod has`;
  const ready = found.status?.conditions?.find(({ type }) => type === "Ready");
  if (ready?.status === "True") return undefined;
  const since = ready?.lastTransitionTime ?? undefined;
  const when = since === undefined ? "" : ` since ${since}`;
  return `node ${node} is not ready${when} and cannot be asked: bring it back, or delete the pod`;
}

/** Only a report on this very pod counts, not one on an earlier pod of the same name. */
function viewOf(pod: Pod, views: ReadonlyMap<string, ConfigView>): ConfigView | undefined {
  const view = views.get(keyOf(pod));
  const uid = view?.pod?.uid;
  return uid === undefined || uid === "" || uid === pod.metadata.uid ? view : undefined;
}

function keyOf({ metadata }: Pick<Pod, "metadata">): string {
  return `${metadata.namespace ?? ""}/${metadata.name ?? ""}`;
}

function inOrder(a: Consumer, b: Consumer): number {
  const keys = ({ object, pod, use }: Consumer): readonly string[] => [
    ...[object.namespace, object.kind, object.name, pod],
    ...[use.container ?? "", use.how, use.mountPath ?? ""],
  ];
  const [one, other] = [keys(a), keys(b)];
  for (const [index, key] of one.entries()) {
    const against = other[index] ?? "";
    if (key !== against) return key < against ? -1 : 1;
  }
  return 0;
}
