// How urgent a request is, and whose it is. Members of system:masters are not exempt, as they are in Kubernetes: an
// admin's script that runs away must not keep nodes from saying that they live.

import type { Action } from "../authorization.ts";
import { anonymous } from "../user.ts";
import type { PriorityLevel } from "./priority-level.ts";

export interface Classified {
  readonly level: PriorityLevel;
  /** Requests of one flow go in the order in which they came; flows take turns. */
  readonly flow: string;
}

const NODES = "system:nodes";
const SYSTEM = "system:";
const SERVICE_ACCOUNT = "system:serviceaccount:";
const KUBE_SYSTEM = "system:serviceaccount:kube-system:";
/** Machines that are to join: nobody knows them yet. */
const BOOTSTRAP = "system:bootstrap:";
const HEALTH = ["/livez", "/readyz", "/healthz"];

/** By the acting user. `source`, the client's address, tells those apart who have no name. */
export function classify(action: Action, source: string): Classified {
  const { user } = action;
  if (isHealthCheck(action)) return { level: "exempt", flow: "" };
  if (user.name === anonymous.name) return { level: "catch-all", flow: source };
  // The name of a service account has its namespace in it.
  return { level: levelOf(action), flow: user.name };
}

function levelOf(action: Action): PriorityLevel {
  const { name, groups } = action.user;
  if (groups.includes(NODES)) return isHeartbeat(action) ? "node-heartbeat" : "node";
  if (name.startsWith(BOOTSTRAP)) return "catch-all";
  if (isSystem(name)) return "system";
  switch (action.verb) {
    case "list":
    case "watch":
      return "workload-list";
    case "get":
    case "head":
    case "options":
      return "workload-read";
    default:
      return "workload-write";
  }
}

function isHealthCheck({ isResource, path }: Action): boolean {
  return !isResource && HEALTH.some((root) => path === root || path.startsWith(`${root}/`));
}

/** What a node does to be counted as alive, and nothing that could be much. */
function isHeartbeat({ verb, resource, subresource, namespace, name }: Action): boolean {
  const isOne = verb === "get" || verb === "update" || verb === "patch";
  if (resource === "leases") return namespace === "kube-node-lease" && (isOne || verb === "create");
  return (
    isOne && resource === "nodes" && name !== "" && (subresource === "status" || verb === "get")
  );
}

/** Only an admin gives out names that begin like this; all but service accounts are parts of the system. */
function isSystem(name: string): boolean {
  if (!name.startsWith(SYSTEM)) return false;
  return name.startsWith(SERVICE_ACCOUNT) ? name.startsWith(KUBE_SYSTEM) : true;
}
