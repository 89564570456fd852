// What lies behind an object's path: its status, its scale, and the actions on pods, namespaces and accounts.

import { methodNotAllowed, unknownResource } from "../../api/status-error.ts";
import type { Answer } from "../http/answer.ts";
import { bindPod } from "./binding.ts";
import type { RequestContext } from "./context.ts";
import { evictPod } from "./eviction.ts";
import { get } from "./get.ts";
import { finalizeNamespace } from "./namespace-finalize.ts";
import { nodeMetrics, nodeProxy } from "./node-proxy.ts";
import { patch } from "./patch.ts";
import { podLog } from "./pod-log.ts";
import { podAttach, podExec, podPortForward } from "./pod-stream.ts";
import { getScale, patchScale, updateScale } from "./scale.ts";
import { requestToken } from "./token-request.ts";
import { update } from "./update.ts";

/** Undefined: it has answered by itself, as streams do. */
export type Handler = (context: RequestContext) => Promise<Answer | undefined>;

/** Reads and writes the object itself; what a write may change is up to the strategy. */
const sameObject: Readonly<Record<string, Handler>> = { GET: get, PUT: update, PATCH: patch };

const handlers: Readonly<Record<string, Readonly<Record<string, Handler>>>> = {
  status: sameObject,
  ephemeralcontainers: sameObject,
  resize: sameObject,
  scale: { GET: getScale, PUT: updateScale, PATCH: patchScale },
  finalize: { PUT: finalizeNamespace },
  binding: { POST: bindPod },
  eviction: { POST: evictPod },
  token: { POST: requestToken },
  log: { GET: podLog },
  exec: { GET: podExec, POST: podExec },
  attach: { GET: podAttach, POST: podAttach },
  portforward: { GET: podPortForward, POST: podPortForward },
};

const ofNodes: Readonly<Record<string, Readonly<Record<string, Handler>>>> = {
  proxy: { GET: nodeProxy, HEAD: nodeProxy },
  metrics: { GET: nodeMetrics, HEAD: nodeMetrics },
};

/** Only what discovery offers for the kind, and the metrics of nodes: discovery is as in the original, which does not have them. */
export function subresourceHandler(context: RequestContext, method: string): Handler {
  const { resource, info } = context;
  const ofNode = resource.kind.resource === "nodes" ? own(ofNodes, info.subresource) : undefined;
  const isOffered =
    ofNode !== undefined ||
    resource.kind.subresources.some(({ name }) => name === info.subresource);
  const byMethod = ofNode ?? own(handlers, info.subresource);
  if (!isOffered || byMethod === undefined) throw unknownResource();
  const handler = own(byMethod, method);
  if (handler === undefined) throw methodNotAllowed();
  return handler;
}

/** A client can ask for any name: also for one that every object has from its prototype. */
function own<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}
