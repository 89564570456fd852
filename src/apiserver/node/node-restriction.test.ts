import { describe } from "node:test";
import type { ApiObject } from "../../api/object.ts";
import type { Operation } from "../admission/admission.ts";
import { type Cases, node, ofNode, ofPod, restricts, type Write } from "./testing/node-writes.ts";

function registers(more: object, spec: object = {}): Write {
  return { of: ofNode, name: "n1", object: node("n1", more, spec) };
}

function updatesNode(now: ApiObject, old: ApiObject, subresource = ""): Write {
  return { operation: "UPDATE", of: ofNode, subresource, name: "n1", object: now, old };
}

const owner = { apiVersion: "v1", kind: "Node", name: "n1", uid: "uid-n1", controller: true };

function leases(namespace: string, name: string, operation: Operation = "CREATE"): Write {
  const object = { metadata: { name, namespace } };
  const isUpdate = operation === "UPDATE";
  return {
    operation,
    of: ["coordination.k8s.io/v1", "Lease"],
    namespace,
    ...(isUpdate && { name, old: object }),
    object,
  };
}

function view(name: string, more: object = {}): ApiObject {
  return { metadata: { name, namespace: "a" }, pod: { name }, node: "n1", ...more };
}

function views(name: string, more: Partial<Write>): Write {
  return { of: ["driftless.dev/v1", "ConfigView"], namespace: "a", name, ...more };
}

function reportsClaim(now: object, old: object): Write {
  const claim = (more: object): ApiObject => ({
    metadata: { name: "data", namespace: "a", resourceVersion: "1" },
    spec: {},
    ...more,
  });
  const at = { of: ["v1", "PersistentVolumeClaim"] as const, namespace: "a", name: "data" };
  return { ...at, operation: "UPDATE", subresource: "status", object: claim(now), old: claim(old) };
}

const noNode = '403 nodes "n1" is forbidden: ';
const noView = '403 configviews.driftless.dev "mine" is forbidden: ';
const wrongLease = "can only access node lease with the same name as the requesting node";

const cases: Cases = {
  "lets others alone": [
    { of: ofNode, name: "n2", object: node("n2"), user: { name: "alice", groups: [] } },
    "",
  ],
  "refuses a node that does not say which it is": [
    { ...registers({}), user: { name: "system:node:", groups: ["system:nodes"] } },
    `${noNode}could not determine node from user "system:node:"`,
  ],
  "lets events alone": [{ of: ["v1", "Event"], namespace: "a", name: "e" }, ""],
  "lets connections alone": [
    { operation: "CONNECT", of: ofPod, subresource: "exec", namespace: "a", name: "other" },
    "",
  ],

  "lets a node register itself": [
    registers({ labels: { "kubernetes.io/hostname": "h", my: "x" } }),
    "",
  ],
  "refuses to register another node": [
    { of: ofNode, name: "n2", object: node("n2") },
    '403 nodes "n2" is forbidden: node "n1" is not allowed to modify node "n2"',
  ],
  "takes the name of a new node from the object": [{ of: ofNode, object: node("n1") }, ""],
  "refuses a generated name": [
    { of: ofNode, object: { metadata: { generateName: "n-" } } },
    '403 nodes "n-" is forbidden: node "n1" is not allowed to modify node ""',
  ],
  "refuses to register with restricted labels": [
    registers({
      labels: {
        "x.node-restriction.kubernetes.io/a": "",
        "node-restriction.kubernetes.io/b": "",
        "other.kubernetes.io/c": "",
        "k8s.io/d": "",
        "node.kubernetes.io/fine": "",
        "x.kubelet.kubernetes.io/fine": "",
        "beta.kubernetes.io/os": "",
        "example.com/fine": "",
      },
    }),
    `${noNode}node "n1" is not allowed to set the following labels: k8s.io/d, node-restriction.kubernetes.io/b, other.kubernetes.io/c, x.node-restriction.kubernetes.io/a`,
  ],
  "refuses to register with a configSource": [
    registers({}, { configSource: {} }),
    `${noNode}node "n1" is not allowed to create pods with a non-nil configSource`,
  ],
  "refuses to register with a key": [
    registers({ annotations: { "driftless.dev/machine-key": "a" } }),
    `${noNode}node "n1" is not allowed to set annotation driftless.dev/machine-key`,
  ],
  "refuses another key": [
    updatesNode(
      node("n1", { annotations: { "driftless.dev/machine-key": "b" } }),
      node("n1", { annotations: { "driftless.dev/machine-key": "a" } }),
    ),
    `${noNode}node "n1" is not allowed to set annotation driftless.dev/machine-key`,
  ],
  "lets a node register with taints": [registers({}, { taints: [{ key: "a" }] }), ""],
  "lets a node update itself": [updatesNode(node("n1", { labels: { my: "y" } }), node("n1")), ""],
  "refuses a new configSource": [
    updatesNode(node("n1", {}, { configSource: { configMap: { name: "c" } } }), node("n1")),
    `${noNode}node "n1" is not allowed to update configSource to a new non-nil configSource`,
  ],
  "lets an old kubelet drop the configSource": [
    updatesNode(node("n1"), node("n1", {}, { configSource: {} })),
    "",
  ],
  "refuses other taints, through the status too": [
    updatesNode(node("n1"), node("n1", {}, { taints: [{ key: "a" }] }), "status"),
    `${noNode}node "n1" is not allowed to modify taints`,
  ],
  "refuses other owners": [
    updatesNode(node("n1", { ownerReferences: [owner] }), node("n1")),
    `${noNode}node "n1" is not allowed to modify ownerReferences`,
  ],
  "refuses to remove a label of administrators": [
    updatesNode(node("n1"), node("n1", { labels: { "node-restriction.kubernetes.io/a": "" } })),
    `${noNode}is not allowed to modify labels: node-restriction.kubernetes.io/a`,
  ],
  "lets labels be that did not change": [
    updatesNode(
      node("n1", { labels: { "other.kubernetes.io/c": "x" } }),
      node("n1", { labels: { "other.kubernetes.io/c": "x" } }),
    ),
    "",
  ],
  "lets a node delete itself": [
    { operation: "DELETE", of: ofNode, name: "n1", old: node("n1") },
    "",
  ],
  "refuses to delete another node": [
    { operation: "DELETE", of: ofNode, name: "n2", old: node("n2") },
    '403 nodes "n2" is forbidden: node "n1" is not allowed to modify node "n2"',
  ],

  "lets a node create its lease": [leases("kube-node-lease", "n1"), ""],
  "lets a node renew its lease": [leases("kube-node-lease", "n1", "UPDATE"), ""],
  "refuses a lease in another namespace": [
    leases("a", "n1"),
    '403 leases.coordination.k8s.io "n1" is forbidden: can only access leases in the "kube-node-lease" system namespace',
  ],
  "refuses to create the lease of another node": [
    leases("kube-node-lease", "n2"),
    `403 leases.coordination.k8s.io "n2" is forbidden: ${wrongLease}`,
  ],
  "refuses to renew the lease of another node": [
    leases("kube-node-lease", "n2", "UPDATE"),
    `403 leases.coordination.k8s.io "n2" is forbidden: ${wrongLease}`,
  ],

  "lets a node report the size of a claim": [
    reportsClaim({ status: { capacity: { storage: "2Gi" } } }, { status: {} }),
    "",
  ],
  "refuses anything else of a claim": [
    reportsClaim({ status: { phase: "Lost" } }, { status: {} }),
    '403 persistentvolumeclaims "data" is forbidden: node "n1" is not allowed to update fields other than status.quantity and status.conditions',
  ],
  "refuses to delete the status of a claim": [
    { ...reportsClaim({}, {}), operation: "DELETE" },
    '403 persistentvolumeclaims "data" is forbidden: unexpected operation "DELETE"',
  ],
  "refuses to create a claim": [
    { of: ["v1", "PersistentVolumeClaim"], namespace: "a", name: "data" },
    '403 persistentvolumeclaims "data" is forbidden: may only update PVC status',
  ],

  "lets a node write the view of its pod": [views("mine", { object: view("mine") }), ""],
  "lets a node name the uid in a view": [
    views("mine", { object: view("mine", { pod: { name: "mine", uid: "uid-mine" } }) }),
    "",
  ],
  "refuses the view of another node's pod": [
    views("other", { object: view("other") }),
    '403 configviews.driftless.dev "other" is forbidden: node "n1" can only write config views of pods with spec.nodeName set to itself',
  ],
  "misses the pod of a view": [
    views("absent", { object: view("absent") }),
    '404 pods "absent" not found',
  ],
  "refuses a view that is about another pod than its name says": [
    views("mine", { object: view("mine", { pod: { name: "other" } }) }),
    `${noView}node "n1" can only write config views named after their pod`,
  ],
  "refuses a view of an earlier pod": [
    views("mine", { object: view("mine", { pod: { name: "mine", uid: "x" } }) }),
    `${noView}the UID in the pod reference (x) does not match the UID in record. The object might have been deleted and then recreated`,
  ],
  "refuses a view in another node's name": [
    views("mine", { operation: "UPDATE", object: view("mine", { node: "n2" }), old: view("mine") }),
    `${noView}node "n1" can only write config views with node set to itself`,
  ],
  "lets a node remove what is left of a pod that is gone": [
    views("absent", { operation: "DELETE", old: view("absent") }),
    "",
  ],
  "lets a node remove what another node left of its pod": [
    views("mine", { operation: "DELETE", old: view("mine", { node: "n2" }) }),
    "",
  ],
  "refuses to remove the view of another node's pod": [
    views("other", { operation: "DELETE", old: view("other", { node: "n2" }) }),
    '403 configviews.driftless.dev "other" is forbidden: node "n1" can only write config views of pods with spec.nodeName set to itself',
  ],
};

describe("NodeRestriction", () => {
  restricts(cases);
});
