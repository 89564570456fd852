// What a node may write of pods: pictures of its own ones, the status of those that are bound to it, and their end.

import type { ApiObject } from "../../api/object.ts";
import type { Pod } from "../../api/types.ts";
import { goQuote } from "../../api/validation/go-text.ts";
import { semanticEqual } from "../../api/validation/semantic-equal.ts";
import { restrictPodCreation } from "./mirror-pod.ts";
import {
  isBoundTo,
  type NodeWrite,
  podNamed,
  type Restriction,
  refusal,
  unexpectedOperation,
} from "./restriction.ts";

const bySubresource: ReadonlyMap<string, Restriction> = new Map([
  ["", restrictPod],
  ["status", restrictStatus],
  ["eviction", restrictEviction],
]);

export function restrictPods(write: NodeWrite): void {
  const { subresource } = write.request;
  const restrict = bySubresource.get(subresource);
  if (restrict === undefined) {
    throw refusal(
      write,
      `unexpected pod subresource ${goQuote(subresource)}, only 'status' and 'eviction' are allowed`,
    );
  }
  restrict(write);
}

function restrictPod(write: NodeWrite): void {
  const { operation } = write.request;
  const node = goQuote(write.node);
  if (operation === "CREATE") {
    restrictPodCreation(write);
  } else if (operation !== "DELETE") {
    throw refusal(
      write,
      `unexpected operation ${goQuote(operation)}, node ${node} can only create and delete mirror pods`,
    );
  } else if (!isBoundTo(write.node, livePod(write))) {
    throw refusal(write, `node ${node} can only delete pods with spec.nodeName set to itself`);
  }
}

function restrictStatus(write: NodeWrite): void {
  const { request } = write;
  if (request.operation !== "UPDATE") throw unexpectedOperation(write);
  const node = goQuote(write.node);
  const old = livePod(write);
  const pod = request.object as unknown as Pod;
  if (!isBoundTo(write.node, old)) {
    throw refusal(
      write,
      `node ${node} can only update pod status for pods with spec.nodeName set to itself`,
    );
  }
  if (!semanticEqual(old.metadata.labels ?? {}, pod.metadata.labels ?? {})) {
    throw refusal(write, `node ${node} cannot update labels through pod status`);
  }
  for (const [field, name] of claimStatuses) {
    if (semanticEqual(old.status[field], pod.status[field])) continue;
    throw refusal(write, `node ${node} cannot update ${name}`);
  }
}

const claimStatuses = [
  ["resourceClaimStatuses", "resource claim statues"],
  ["extendedResourceClaimStatus", "extended resource claim status"],
  ["nodeAllocatableResourceClaimStatuses", "node allocatable resource claim statuses"],
] as const;

/** Asked about the eviction, and about the deletion that it becomes. */
function restrictEviction(write: NodeWrite): void {
  const { node, request } = write;
  if (request.operation === "UPDATE") {
    throw refusal(write, `unexpected operation ${request.operation}`);
  }
  if (isBoundTo(node, livePod(write))) return;
  throw refusal(write, `node ${node} can only evict pods with spec.nodeName set to itself`);
}

/** As the handler saw it, or from the cache. */
function livePod(write: NodeWrite): ApiObject & Pod {
  const { old, name } = write.request;
  return old === undefined ? podNamed(write, name) : (old as ApiObject & Pod);
}
