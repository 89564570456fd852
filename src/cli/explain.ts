// `driftless explain pod/NAME`: reads all that is about a pod and says why it restarted, or did not. On any Kubernetes: what a server has not got, or the
// asker may not read, is left out.

import { type PodUse, podUses } from "../api/config/pod-uses.ts";
import type { ApiObject } from "../api/object.ts";
import type { ConfigView, Event, Node, ObjectMeta, Pod } from "../api/types.ts";
import { ResourceClient } from "../client/resource-client.ts";
import type { ResourceKind } from "../client/resource-path.ts";
import {
  CONFIG_MAPS,
  CONFIG_VIEWS,
  NODES,
  REPLICA_SETS,
  SECRETS,
  WORKLOADS,
} from "./answers/answer-kinds.ts";
import { isSubPathLive } from "./answers/is-sub-path-live.ts";
import type { Look } from "./answers/look.ts";
import { Owners } from "./answers/owners.ts";
import { allowed } from "./answers/read-picture.ts";
import { type CliContext, type ExitCode, print } from "./cli-context.ts";
import { misuse } from "./cli-error.ts";
import { type ExplainedPod, explanationJson, explanationOf } from "./explanation.ts";
import { explanationText } from "./explanation-text.ts";
import type { OutputFormat } from "./output-format.ts";
import { PODS } from "./pod-target.ts";

export interface ExplainOptions {
  /** "pod/NAME", or the name alone. */
  readonly target: string;
  readonly format: OutputFormat;
  readonly look: Look;
}

const EVENTS: ResourceKind = {
  ...PODS,
  kind: "Event",
  resource: "events",
};

export async function explain(
  context: CliContext,
  { target, format, look }: ExplainOptions,
): Promise<ExitCode> {
  const name = podName(target);
  const { namespace } = context;
  const pod = await read<Pod & ApiObject>(context, PODS, { namespace, name });
  const explanation = explanationOf(await found(context, pod));
  if (format.type === "objects") print(context, format.print(explanationJson(explanation)));
  else print(context, explanationText(explanation, look, context.clock.now()));
  return 0;
}

function podName(target: string): string {
  const [kind = "", name, ...more] = target.includes("/") ? target.split("/") : ["pod", target];
  if (!/^(pods?|po)$/i.test(kind) || name === undefined || name === "" || more.length > 0) {
    throw misuse(`say which pod, such as pod/web-5d4f8-x7k2p; ${JSON.stringify(target)} is none`);
  }
  return name;
}

async function found(context: CliContext, pod: Pod & ApiObject): Promise<ExplainedPod> {
  const { namespace = "", name = "" } = pod.metadata;
  const node = pod.spec.nodeName ?? "";
  const [makers, view, ownNode, objects] = await Promise.all([
    makersOf(context, pod),
    maybe<ConfigView & ApiObject>(context, CONFIG_VIEWS, { namespace, name }),
    node === "" ? undefined : maybe<Node & ApiObject>(context, NODES, { name: node }),
    objectsOf(context, namespace, podUses(pod.spec)),
  ]);
  const views = view?.pod.uid === pod.metadata.uid && view !== undefined ? [view] : [];
  const { replicaSet, workload } = makers;
  return {
    pod,
    owners: new Owners(replicaSet ? [replicaSet] : []).of(pod),
    workload,
    view: views[0],
    objects,
    isSubPathLive: isSubPathLive(pod, { views, nodes: ownNode ? [ownNode] : [] }),
    events: await eventsAbout(context, [pod, ...(workload ? [workload] : [])]),
  };
}

interface Makers {
  readonly replicaSet: ApiObject | undefined;
  readonly workload: ApiObject | undefined;
}

async function makersOf(context: CliContext, pod: Pod & ApiObject): Promise<Makers> {
  const { namespace = "" } = pod.metadata;
  const first = controllerOf(pod);
  if (first === undefined) return { replicaSet: undefined, workload: undefined };
  const isOfSet = first.kind === "ReplicaSet";
  const place = { namespace, name: first.name };
  const replicaSet = isOfSet ? await maybe<ApiObject>(context, REPLICA_SETS, place) : undefined;
  const above = (replicaSet && controllerOf(replicaSet)) ?? first;
  const kind = WORKLOADS.find((one) => one.kind === above.kind);
  const workload = kind && (await maybe<ApiObject>(context, kind, { namespace, name: above.name }));
  return { replicaSet, workload };
}

async function objectsOf(
  context: CliContext,
  namespace: string,
  uses: readonly PodUse[],
): Promise<ReadonlyMap<string, ApiObject>> {
  const names = new Map(uses.map((use) => [`${use.kind}/${use.name}`, use] as const));
  const objects = new Map<string, ApiObject>();
  for (const [key, { kind, name }] of names) {
    const of = kind === "ConfigMap" ? CONFIG_MAPS : SECRETS;
    const object = await maybe<ApiObject>(context, of, { namespace, name });
    if (object !== undefined) objects.set(key, object);
  }
  return objects;
}

async function eventsAbout(
  { client, namespace, signal }: CliContext,
  objects: readonly ApiObject[],
): Promise<readonly Event[]> {
  const events = new ResourceClient<Event & ApiObject>(client, EVENTS);
  const lists = objects.map(({ metadata: { uid = "" } }) =>
    allowed(() => events.list({ namespace, fieldSelector: `involvedObject.uid=${uid}`, signal })),
  );
  return (await Promise.all(lists)).flatMap((list) => list?.items ?? []);
}

interface Place {
  readonly namespace?: string;
  readonly name: string;
}

async function read<T extends ApiObject>(
  { client, signal }: CliContext,
  kind: ResourceKind,
  place: Place,
): Promise<T> {
  return new ResourceClient<T>(client, kind).get(place, { signal });
}

/** Undefined if there is none, or it may not be read. */
async function maybe<T extends ApiObject>(
  context: CliContext,
  kind: ResourceKind,
  place: Place,
): Promise<T | undefined> {
  return allowed(() => read<T>(context, kind, place));
}

function controllerOf({
  metadata,
}: {
  readonly metadata: ObjectMeta;
}): { readonly kind: string; readonly name: string } | undefined {
  return metadata.ownerReferences?.find(({ controller }) => controller === true);
}
