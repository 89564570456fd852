import { describe } from "node:test";
import type { ApiObject } from "../../api/object.ts";
import {
  type Cases,
  mine,
  nodeUser,
  ofPod,
  other,
  pod,
  restricts,
  type Write,
} from "./testing/node-writes.ts";

const owner = { apiVersion: "v1", kind: "Node", name: "n1", uid: "uid-n1", controller: true };

function mirrors(spec: object = {}, metadata: object = {}): Write {
  const annotations = { "kubernetes.io/config.mirror": "hash" };
  const made = pod("m", "n1", {
    metadata: { name: "m", namespace: "a", annotations, ownerReferences: [owner], ...metadata },
    spec: { nodeName: "n1", ...spec },
  });
  return { of: ofPod, namespace: "a", name: "m", object: made };
}

function mounts(source: object): Write {
  return mirrors({ volumes: [{ name: "v", ...source }] });
}

function projects(source: object): Write {
  return mounts({ projected: { sources: [source] } });
}

function reports(old: ApiObject, object: ApiObject): Write {
  const { name = "" } = old.metadata;
  const at = { of: ofPod, subresource: "status", namespace: "a", name };
  return { ...at, operation: "UPDATE", object, old };
}

function evicts(name: string): Write {
  const object = { apiVersion: "policy/v1", kind: "Eviction", metadata: { name } };
  return { of: ofPod, subresource: "eviction", namespace: "a", name, object };
}

const noMirror = '403 pods "m" is forbidden: ';
const noReference = `${noMirror}node "n1" can not create pods that reference `;

const cases: Cases = {
  "lets a node create a mirror pod": [
    mirrors({
      volumes: [
        { name: "v", hostPath: { path: "/" } },
        { name: "w", emptyDir: {} },
      ],
    }),
    "",
  ],
  "refuses a pod without the annotation": [
    mirrors({}, { annotations: {} }),
    `${noMirror}pod does not have "kubernetes.io/config.mirror" annotation, node "n1" can only create mirror pods`,
  ],
  "refuses a mirror pod for another node": [
    mirrors({ nodeName: "n2" }),
    `${noMirror}node "n1" can only create pods with spec.nodeName set to itself`,
  ],
  "refuses a mirror pod without an owner": [
    mirrors({}, { ownerReferences: [] }),
    `${noMirror}node "n1" can only create pods with an owner reference set to itself`,
  ],
  "refuses a mirror pod of two owners": [
    mirrors({}, { ownerReferences: [owner, owner] }),
    `${noMirror}node "n1" can only create pods with a single owner reference set to itself`,
  ],
  "refuses a mirror pod of another owner": [
    mirrors({}, { ownerReferences: [{ ...owner, name: "n2" }] }),
    `${noMirror}node "n1" can only create pods with an owner reference set to itself`,
  ],
  "refuses an owner that does not control": [
    mirrors({}, { ownerReferences: [{ ...owner, controller: false }] }),
    `${noMirror}node "n1" can only create pods with a controller owner reference set to itself`,
  ],
  "refuses an owner that could not be deleted": [
    mirrors({}, { ownerReferences: [{ ...owner, blockOwnerDeletion: true }] }),
    `${noMirror}node "n1" must not set blockOwnerDeletion on an owner reference`,
  ],
  "refuses an owner of another uid": [
    mirrors({}, { ownerReferences: [{ ...owner, uid: "x" }] }),
    `${noMirror}node n1 UID mismatch: expected x got uid-n1`,
  ],
  "misses a node that is not registered": [
    {
      ...mirrors({ nodeName: "n3" }, { ownerReferences: [{ ...owner, name: "n3" }] }),
      user: nodeUser("n3"),
    },
    '404 nodes "n3" not found',
  ],
  "refuses a mirror pod with a service account": [
    mirrors({ serviceAccountName: "x" }),
    `${noReference}serviceaccounts`,
  ],
  "refuses a mirror pod with a secret": [
    mounts({ secret: { secretName: "x" } }),
    `${noReference}secrets`,
  ],
  "refuses a mirror pod with a config map": [
    mirrors({ containers: [{ envFrom: [{ configMapRef: { name: "x" } }] }] }),
    `${noReference}configmaps`,
  ],
  "refuses a mirror pod with a nameless config map": [
    mounts({ configMap: {} }),
    `${noReference}configmaps (via configmap volumes)`,
  ],
  "refuses a mirror pod with a claim": [
    mounts({ persistentVolumeClaim: { claimName: "x" } }),
    `${noReference}persistentvolumeclaims`,
  ],
  "refuses a mirror pod with an ephemeral volume": [
    mounts({ ephemeral: {} }),
    `${noReference}persistentvolumeclaims (via ephemeral volumes)`,
  ],
  "refuses a mirror pod with a CSI volume": [
    mounts({ csi: { driver: "d" } }),
    `${noReference}csidrivers (via CSI volumes)`,
  ],
  "refuses a mirror pod with resource claims": [
    mirrors({ resourceClaims: [{ name: "x" }] }),
    `${noReference}resourceclaims`,
  ],
  "refuses a mirror pod with a token": [
    projects({ serviceAccountToken: { path: "t" } }),
    `${noReference}serviceaccounts (via projected volumes)`,
  ],
  "lets a mirror pod project its own fields": [projects({ downwardAPI: {} }), ""],
  "refuses a volume that it does not know": [
    mounts({}),
    `${noMirror}error checking mirror pod for API references: unknown volume type for volume  "v"`,
  ],
  "refuses a projection that it does not know": [
    projects({}),
    `${noMirror}error checking mirror pod for API references: unknown source for projected volume "v"`,
  ],
  "lets a node delete its pod": [
    { operation: "DELETE", of: ofPod, namespace: "a", name: "mine", old: mine },
    "",
  ],
  "refuses to delete a pod of another node": [
    { operation: "DELETE", of: ofPod, namespace: "a", name: "other", old: other },
    '403 pods "other" is forbidden: node "n1" can only delete pods with spec.nodeName set to itself',
  ],
  "misses a pod that is not there": [
    { operation: "DELETE", of: ofPod, namespace: "a", name: "absent" },
    '404 pods "absent" not found',
  ],
  "refuses to delete many pods": [
    { operation: "DELETE", of: ofPod, namespace: "a" },
    '404 pods "" not found',
  ],
  "refuses to update a pod": [
    { operation: "UPDATE", of: ofPod, namespace: "a", name: "mine", object: mine, old: mine },
    '403 pods "mine" is forbidden: unexpected operation "UPDATE", node "n1" can only create and delete mirror pods',
  ],
  "refuses to bind a pod": [
    { of: ofPod, subresource: "binding", namespace: "a", name: "mine" },
    `403 pods "mine" is forbidden: unexpected pod subresource "binding", only 'status' and 'eviction' are allowed`,
  ],
  "lets a node report on its pod": [reports(mine, { ...mine, status: { phase: "Failed" } }), ""],
  "refuses a report on a pod of another node": [
    reports(other, other),
    '403 pods "other" is forbidden: node "n1" can only update pod status for pods with spec.nodeName set to itself',
  ],
  "judges a report by the node that is stored, not by the one that is sent": [
    reports(other, { ...other, spec: { nodeName: "n1" } }),
    '403 pods "other" is forbidden: node "n1" can only update pod status for pods with spec.nodeName set to itself',
  ],
  "refuses labels with a report": [
    reports(mine, { ...mine, metadata: { ...mine.metadata, labels: { app: "x" } } }),
    '403 pods "mine" is forbidden: node "n1" cannot update labels through pod status',
  ],
  "refuses claims with a report": [
    reports(mine, { ...mine, status: { resourceClaimStatuses: [{ name: "x" }] } }),
    '403 pods "mine" is forbidden: node "n1" cannot update resource claim statues',
  ],
  "refuses extended claims with a report": [
    reports(mine, { ...mine, status: { extendedResourceClaimStatus: { resourceClaimName: "x" } } }),
    '403 pods "mine" is forbidden: node "n1" cannot update extended resource claim status',
  ],
  "refuses to delete a report": [
    { ...reports(mine, mine), operation: "DELETE" },
    '403 pods "mine" is forbidden: unexpected operation "DELETE"',
  ],
  "refuses to update an eviction": [
    { ...evicts("mine"), operation: "UPDATE" },
    '403 pods "mine" is forbidden: unexpected operation UPDATE',
  ],
  "lets the eviction of its pod become a deletion": [
    {
      of: ofPod,
      operation: "DELETE",
      subresource: "eviction",
      namespace: "a",
      name: "mine",
      old: mine,
    },
    "",
  ],
  "refuses a deletion of another node's pod by eviction": [
    {
      of: ofPod,
      operation: "DELETE",
      subresource: "eviction",
      namespace: "a",
      name: "other",
      old: other,
    },
    '403 pods "other" is forbidden: node n1 can only evict pods with spec.nodeName set to itself',
  ],
  "lets a node evict its pod": [evicts("mine"), ""],
  "refuses to evict a pod of another node": [
    evicts("other"),
    '403 pods "other" is forbidden: node n1 can only evict pods with spec.nodeName set to itself',
  ],
  "misses the pod to evict": [evicts("absent"), '404 pods "absent" not found'],
};

describe("NodeRestriction of pods", () => {
  restricts(cases);
});
