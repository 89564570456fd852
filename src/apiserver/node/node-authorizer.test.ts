import { deepEqual, equal } from "node:assert/strict";
import { describe, it } from "node:test";
import type { ApiObject } from "../../api/object.ts";
import { type Action, nowhere } from "../authorization.ts";
import type { UserInfo } from "../user.ts";
import { NodeAuthorizer } from "./node-authorizer.ts";
import { NodeGraph } from "./node-graph.ts";
import { cached, cacheOf } from "./testing/cache-of.ts";

const n1: UserInfo = { name: "system:node:n1", groups: ["system:nodes"] };

const pods = cacheOf(
  pod("web", "n1", {
    serviceAccountName: "web",
    volumes: [
      { name: "c", configMap: { name: "settings" } },
      { name: "s", secret: { secretName: "key" } },
      { name: "d", persistentVolumeClaim: { claimName: "data" } },
    ],
  }),
  pod("other", "n2", {
    serviceAccountName: "other",
    volumes: [{ name: "s", secret: { secretName: "other-key" } }],
  }),
);
const persistentVolumes = cacheOf({
  apiVersion: "v1",
  kind: "PersistentVolume",
  metadata: { name: "pv" },
  spec: { claimRef: { namespace: "a", name: "data" } },
});
const authorizer = new NodeAuthorizer({
  graph: new NodeGraph({ pods, persistentVolumes }),
  nodes: cacheOf({ apiVersion: "v1", kind: "Node", metadata: { name: "n1", uid: "u1" } }),
  configRevisions: cacheOf(
    revision("settings-1", "ConfigMap", "settings"),
    revision("other-key-1", "Secret", "other-key"),
  ),
  configViews: cacheOf(view("gone", "n1"), view("gone-elsewhere", "n2")),
});

function pod(name: string, nodeName: string, spec: object): ApiObject {
  const metadata = { name, namespace: "a" };
  return { apiVersion: "v1", kind: "Pod", metadata, spec: { nodeName, ...spec }, status: {} };
}

function revision(name: string, kind: string, of: string): ApiObject {
  return {
    apiVersion: "driftless.dev/v1",
    kind: "ConfigRevision",
    metadata: { name, namespace: "a" },
    object: { apiVersion: "v1", kind, name: of },
  };
}

function view(name: string, node: string): ApiObject {
  const metadata = { name, namespace: "a" };
  return { apiVersion: "driftless.dev/v1", kind: "ConfigView", metadata, pod: { name }, node };
}

/** "get a secrets/key/status": verb, namespace ("-" for none), resource.group/name/subresource, ?field=value. */
function action(line: string, user: UserInfo): Action {
  const [verb = "", namespace = "", target = ""] = line.split(" ");
  if (verb === "path") {
    return { ...nowhere, user, verb: "get", isResource: false, path: namespace };
  }
  const [path = "", query] = target.split("?");
  const fields = new Map(new URLSearchParams(query));
  return {
    ...placeIn(path, fields.get("metadata.name")),
    user,
    verb,
    isResource: true,
    version: "v1",
    namespace: namespace === "-" ? "" : namespace,
    path: "",
    ...(query !== undefined && { fields }),
  };
}

function placeIn(
  path: string,
  demanded = "",
): Pick<Action, "group" | "resource" | "subresource" | "name"> {
  const [full = "", name = demanded, subresource = ""] = path.split("/");
  const [resource = "", ...group] = full.split(".");
  return { group: group.join("."), resource, subresource, name };
}

const yes = "allow";
const no = "none";
const unrelated = "none: no relationship found between node 'n1' and this object";
const wrongLease = "none: can only access node lease with the same name as the requesting node";

/** What the node n1 asks for → verdict and reason. */
const cases: Readonly<Record<string, string>> = {
  "get a secrets/key": yes,
  "list a secrets?metadata.name=key": yes,
  "watch a secrets?metadata.name=key": yes,
  "watch - secrets?metadata.name=key": "none: can only read namespaced object of this type",
  "list a secrets": "none: No Object name found",
  "list - secrets": "none: can only read namespaced object of this type",
  "get a secrets/other-key": unrelated,
  "get b secrets/key": unrelated,
  "get a secrets/absent": unrelated,
  "get a secrets/key/status": "none: cannot read subresource",
  "update a secrets/key": "none: can only read resources of this type",
  "get a configmaps/settings": yes,
  "watch a configmaps?metadata.name=settings": yes,
  "get a configmaps/key": unrelated,
  "delete a configmaps/settings": "none: can only read resources of this type",
  "get a secrets.example.com/key": no,

  "create a serviceaccounts/web/token": yes,
  "create a serviceaccounts/other/token": unrelated,
  "update a serviceaccounts/web/token":
    "none: can only create tokens for individual service accounts",
  "create a serviceaccounts": "none: can only create tokens for individual service accounts",
  "create a serviceaccounts/web": "none: can only create token subresource of serviceaccount",
  "get a serviceaccounts/web": yes,
  "get a serviceaccounts/other": unrelated,
  "list a serviceaccounts": "none: can only create tokens for individual service accounts",

  "get a persistentvolumeclaims/data": yes,
  "get a persistentvolumeclaims/other": unrelated,
  "list a persistentvolumeclaims": "none: can only get individual resources of this type",
  "get a persistentvolumeclaims/data/scale": "none: cannot get subresource",
  "patch a persistentvolumeclaims/data/status": yes,
  "patch a persistentvolumeclaims/other/status": unrelated,
  "get a persistentvolumeclaims/data/status": "none: can only get/update/patch this type",
  "get - persistentvolumes/pv": yes,
  "get - persistentvolumes/other": unrelated,
  "watch - persistentvolumes": "none: can only get individual resources of this type",

  "get - nodes/n1": yes,
  "watch - nodes?metadata.name=n1": yes,
  "get - nodes/n2": "none: node 'n1' cannot read 'n2', only its own Node object",
  "list - nodes": "none: node 'n1' cannot read all nodes, only its own Node object",
  "create - nodes": yes,
  "update - nodes/n1": yes,
  "patch - nodes/n1/status": yes,
  "get - nodes/n1/status": no,
  "create - nodes/n1/proxy": no,
  "delete - nodes/n1": no,

  "get a pods/web": yes,
  "get a pods/other": unrelated,
  "get a pods/absent": unrelated,
  "list - pods?spec.nodeName=n1": yes,
  "watch a pods?spec.nodeName=n1": yes,
  "watch - pods?spec.nodeName=n2":
    "none: can only list/watch pods with spec.nodeName field selector",
  "list - pods": "none: can only list/watch pods with spec.nodeName field selector",
  "watch a pods?metadata.name=web": yes,
  "watch a pods?metadata.name=other": unrelated,
  "create a pods": yes,
  "delete a pods/web": yes,
  "update a pods/web": no,
  "deletecollection a pods?spec.nodeName=n1": no,
  "patch a pods/web/status": yes,
  "update a pods/web/status": yes,
  "get a pods/web/status": no,
  "create a pods/web/eviction": yes,
  "create a pods/web/binding": no,
  "create a pods/web/exec": no,
  "get a pods/web/log": no,

  "get kube-node-lease leases.coordination.k8s.io/n1": yes,
  "create kube-node-lease leases.coordination.k8s.io": yes,
  "update kube-node-lease leases.coordination.k8s.io/n1": yes,
  "update kube-node-lease leases.coordination.k8s.io/n2": wrongLease,
  "update a leases.coordination.k8s.io/n1":
    'none: can only access leases in the "kube-node-lease" system namespace',
  "list kube-node-lease leases.coordination.k8s.io":
    "none: can only get, create, update, patch, or delete a node lease",

  "create a events": yes,
  "patch a events.events.k8s.io/e": yes,
  "get a events/e": no,
  "list - services": yes,
  "get a services/s/proxy": no,
  "create a services": no,
  "get a endpoints/e": yes,
  "create - tokenreviews.authentication.k8s.io": yes,
  "create - subjectaccessreviews.authorization.k8s.io": yes,
  "create a localsubjectaccessreviews.authorization.k8s.io": yes,
  "create - selfsubjectaccessreviews.authorization.k8s.io": yes,
  "create - selfsubjectreviews.authentication.k8s.io": yes,
  "get a deployments.apps/web": no,
  "list - namespaces": no,
  "path /metrics": no,

  "create a configviews.driftless.dev": yes,
  "update a configviews.driftless.dev/web": yes,
  "patch a configviews.driftless.dev/web": yes,
  "delete a configviews.driftless.dev/web": yes,
  "get a configviews.driftless.dev/other": unrelated,
  "patch a configviews.driftless.dev/other": unrelated,
  "get a configviews.driftless.dev/gone": yes,
  "delete a configviews.driftless.dev/gone": yes,
  "update a configviews.driftless.dev/gone": unrelated,
  "delete a configviews.driftless.dev/gone-elsewhere": unrelated,
  "list - configviews.driftless.dev?node=n1": yes,
  "list - configviews.driftless.dev?node=n2":
    "none: can only list/watch configviews with node field selector",
  "watch - configviews.driftless.dev":
    "none: can only list/watch configviews with node field selector",
  "deletecollection a configviews.driftless.dev?node=n1":
    "none: can only get, list, watch, create, update, patch, or delete config views of its own pods",
  "get a configviews.driftless.dev/web/status": "none: cannot access subresource",
  "get a configrevisions.driftless.dev/settings-1": yes,
  "get a configrevisions.driftless.dev/other-key-1": unrelated,
  "get a configrevisions.driftless.dev/absent": unrelated,
  "watch a configrevisions.driftless.dev?object.kind=Secret&object.name=key": yes,
  "watch a configrevisions.driftless.dev?object.kind=Secret&object.name=other-key": unrelated,
  "watch a configrevisions.driftless.dev?object.kind=Pod&object.name=key": unrelated,
  "watch a configrevisions.driftless.dev?object.kind=Secret&object.name=":
    "none: No Object name found",
  "watch a configrevisions.driftless.dev?metadata.name=settings-1":
    "none: can only list/watch configrevisions with object.kind and object.name field selectors",
  "list a configrevisions.driftless.dev?object.name=key":
    "none: can only list/watch configrevisions with object.kind and object.name field selectors",
  "list - configrevisions.driftless.dev?object.kind=Secret&object.name=key":
    "none: can only read namespaced object of this type",
  "get a configrevisions.driftless.dev/settings-1/status": "none: cannot read subresource",
  "create a configrevisions.driftless.dev": "none: can only read resources of this type",
  "watch - deliverypolicies.driftless.dev": yes,
  "update a deliverypolicies.driftless.dev/p": no,
};

async function decided(line: string, user: UserInfo): Promise<string> {
  const { verdict, reason } = await authorizer.authorize(action(line, user));
  return reason === "" ? verdict : `${verdict}: ${reason}`;
}

describe("NodeAuthorizer", () => {
  for (const [line, expected] of Object.entries(cases)) {
    it(`answers "${expected}" when a node wants to ${line}`, async () => {
      equal(await decided(line, n1), expected);
    });
  }

  it("G9 lets a node read a secret only while a pod that uses it runs there", async () => {
    const cache = cacheOf();
    const volumes = [{ name: "s", secret: { secretName: "key" } }];
    const graph = new NodeGraph({ pods: cache, persistentVolumes: cacheOf() });
    const known = { graph, nodes: cacheOf(), configRevisions: cacheOf(), configViews: cacheOf() };
    const asked = action("get a secrets/key", n1);
    const verdicts: string[] = [];
    const states = [
      pod("web", "", { volumes }),
      pod("web", "n1", { volumes }),
      { ...pod("web", "n1", { volumes }), status: { phase: "Succeeded" } },
    ];
    for (const state of states) {
      cache.put(cached(state));
      verdicts.push((await new NodeAuthorizer(known).authorize(asked)).verdict);
    }
    deepEqual(verdicts, ["none", "allow", "none"]);
  });

  it("locks the machine of a Node out that was deleted, or made anew", async () => {
    const line = "create - subjectaccessreviews.authorization.k8s.io";
    equal(await decided(line, { ...n1, uid: "u1" }), yes);
    const out = 'deny: node "n1" was deleted: its machine has to join again';
    equal(await decided(line, { ...n1, uid: "u0" }), out);
  });

  it("knows a node by its name and its group together", async () => {
    const line = "get a secrets/key";
    equal(await decided(line, { name: "system:node:n1", groups: ["system:authenticated"] }), no);
    equal(await decided(line, { name: "n1", groups: ["system:nodes"] }), no);
    equal(
      await decided(line, { name: "system:node:", groups: ["system:nodes"] }),
      'none: unknown node for user "system:node:"',
    );
    equal(
      await decided(line, { name: "system:node:n2", groups: ["system:nodes"] }),
      unrelated.replace("n1", "n2"),
    );
  });

  it("cannot list what a node may do, and says so for nodes only", async () => {
    const none = { resourceRules: [], nonResourceRules: [] };
    const incomplete = "node authorizer does not support user rule resolution";
    deepEqual(await authorizer.rulesFor(n1), { ...none, incomplete });
    deepEqual(await authorizer.rulesFor({ name: "alice", groups: [] }), none);
  });
});
