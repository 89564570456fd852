// NodeRestriction: a node writes only what concerns itself and its pods. Says nothing about anybody else, and nothing
// about what a node may write at all: that is the authorizer's.

import type {
  ConfigView,
  Node,
  ObjectMeta,
  PersistentVolumeClaim,
  PersistentVolumeClaimStatus,
} from "../../api/types.ts";
import { goQuote } from "../../api/validation/go-text.ts";
import { type JsonLike, semanticEqual } from "../../api/validation/semantic-equal.ts";
import type { AdmissionPlugin, AdmissionRequest } from "../admission/admission.ts";
import { MACHINE_KEY_ANNOTATION } from "../join/node-members.ts";
import { NODE_LEASES } from "./core-rules.ts";
import { nodeNameOf } from "./node-identity.ts";
import { forbiddenLabels } from "./node-labels.ts";
import { restrictPods } from "./pod-restrictions.ts";
import {
  isBoundTo,
  type NodeWrite,
  nameIn,
  podNamed,
  type Restriction,
  type RestrictionCaches,
  refusal,
  unexpectedOperation,
} from "./restriction.ts";
import { restrictTokens } from "./token-restriction.ts";

/** By "group/resource"; everything else is free. */
const restrictions: ReadonlyMap<string, Restriction> = new Map([
  ["/nodes", restrictNode],
  ["/pods", restrictPods],
  ["/persistentvolumeclaims", restrictClaim],
  ["/serviceaccounts", restrictTokens],
  ["coordination.k8s.io/leases", restrictLease],
  ["driftless.dev/configviews", restrictView],
]);

export function nodeRestriction(caches: RestrictionCaches): AdmissionPlugin {
  const restrict = (request: AdmissionRequest): void => {
    const node = nodeNameOf(request.user);
    if (node === undefined || request.operation === "CONNECT") return;
    if (node === "") {
      const user = goQuote(request.user.name);
      throw refusal({ request }, `could not determine node from user ${user}`);
    }
    const { group, resource } = request.kind;
    restrictions.get(`${group}/${resource}`)?.({ node, request, caches });
  };
  // Before validation as Kubernetes does, which then sees what the node sent; and again what would be stored.
  return { name: "NodeRestriction", mutate: restrict, judge: restrict };
}

function restrictNode(write: NodeWrite): void {
  const { request } = write;
  const name = nameIn(request);
  if (name !== write.node) {
    throw refusal(
      write,
      `node ${goQuote(write.node)} is not allowed to modify node ${goQuote(name)}`,
    );
  }
  if (request.object === undefined) return;
  const object = request.object as unknown as Node;
  if (request.old === undefined) restrictRegistration(write, object);
  else restrictNodeUpdate(write, object, request.old as unknown as Node);
}

function restrictRegistration(write: NodeWrite, { metadata, spec }: Node): void {
  const node = goQuote(write.node);
  if (spec.configSource !== undefined) {
    throw refusal(write, `node ${node} is not allowed to create pods with a non-nil configSource`);
  }
  refuseMachineKey(write, metadata, {});
  const labels = forbiddenLabels(metadata.labels, undefined);
  if (labels.length > 0) {
    throw refusal(
      write,
      `node ${node} is not allowed to set the following labels: ${labels.join(", ")}`,
    );
  }
}

/** Who may renew a node's certificate: with a machine's own word for it, one that was replaced could come back. */
function refuseMachineKey(
  write: NodeWrite,
  { annotations }: Pick<ObjectMeta, "annotations">,
  old: Pick<ObjectMeta, "annotations">,
): void {
  if (annotations?.[MACHINE_KEY_ANNOTATION] === old.annotations?.[MACHINE_KEY_ANNOTATION]) return;
  const node = goQuote(write.node);
  throw refusal(write, `node ${node} is not allowed to set annotation ${MACHINE_KEY_ANNOTATION}`);
}

function restrictNodeUpdate(write: NodeWrite, { metadata, spec }: Node, old: Node): void {
  const node = goQuote(write.node);
  const source = spec.configSource;
  if (source !== undefined && !semanticEqual(source, old.spec.configSource)) {
    throw refusal(
      write,
      `node ${node} is not allowed to update configSource to a new non-nil configSource`,
    );
  }
  if (!semanticEqual(spec.taints, old.spec.taints)) {
    throw refusal(write, `node ${node} is not allowed to modify taints`);
  }
  refuseMachineKey(write, metadata, old.metadata);
  if (!semanticEqual(metadata.ownerReferences, old.metadata.ownerReferences)) {
    throw refusal(write, `node ${node} is not allowed to modify ownerReferences`);
  }
  const labels = forbiddenLabels(metadata.labels, old.metadata.labels);
  if (labels.length > 0) {
    throw refusal(write, `is not allowed to modify labels: ${labels.join(", ")}`);
  }
}

function restrictClaim(write: NodeWrite): void {
  const { node, request } = write;
  if (request.subresource !== "status") throw refusal(write, "may only update PVC status");
  if (request.operation !== "UPDATE") throw unexpectedOperation(write);
  const object = request.object as unknown as PersistentVolumeClaim;
  const old = request.old as unknown as PersistentVolumeClaim;
  if (semanticEqual(withoutProgress(object), withoutProgress(old))) return;
  throw refusal(
    write,
    `node ${goQuote(node)} is not allowed to update fields other than status.quantity and status.conditions`,
  );
}

/** Without what a node reports, and what the server writes by itself. */
function withoutProgress({ metadata, spec, status }: PersistentVolumeClaim): JsonLike {
  const unreported: PersistentVolumeClaimStatus = {
    ...status,
    capacity: undefined,
    conditions: undefined,
    allocatedResources: undefined,
    allocatedResourceStatuses: undefined,
  };
  const kept = { ...metadata, resourceVersion: undefined, managedFields: undefined };
  return { metadata: kept, spec, status: unreported };
}

function restrictLease(write: NodeWrite): void {
  const { node, request } = write;
  if (request.namespace !== NODE_LEASES) {
    throw refusal(write, `can only access leases in the ${goQuote(NODE_LEASES)} system namespace`);
  }
  if (nameIn(request) !== node) {
    throw refusal(write, "can only access node lease with the same name as the requesting node");
  }
}

/** A view has the name of its pod, and says which node wrote it: that node may remove it when the pod is gone. */
function restrictView(write: NodeWrite): void {
  const { request } = write;
  const node = goQuote(write.node);
  const old = request.old as unknown as ConfigView | undefined;
  if (request.operation === "DELETE" && old?.node === write.node) return;
  const name = nameIn(request);
  const pod = podNamed(write, name);
  if (!isBoundTo(write.node, pod)) {
    const bound = "config views of pods with spec.nodeName set to itself";
    throw refusal(write, `node ${node} can only write ${bound}`);
  }
  if (request.object === undefined) return;
  const view = request.object as unknown as ConfigView;
  if (view.node !== write.node) {
    throw refusal(write, `node ${node} can only write config views with node set to itself`);
  }
  if (view.pod.name !== name) {
    throw refusal(write, `node ${node} can only write config views named after their pod`);
  }
  if (view.pod.uid !== undefined && view.pod.uid !== pod.metadata.uid) {
    throw refusal(
      write,
      `the UID in the pod reference (${view.pod.uid}) does not match the UID in record. The object might have been deleted and then recreated`,
    );
  }
}
