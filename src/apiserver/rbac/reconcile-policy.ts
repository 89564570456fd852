// Brings the stored roles and bindings to what the policy wants, at the start of the server. All at once: the store
// commits what waits together, so the first start costs a few commits and not one per object. Several servers may
// do it at the same time; each decision is made again if another was faster.

import type { ServerParts } from "../handlers/context.ts";
import type { Change } from "../registry/object-store.ts";
import { createdBySystem, updatedBySystem } from "../registry/system-write.ts";
import type { PolicyObject } from "./policy-entry.ts";
import { type RbacResources, rbacResources } from "./rbac-resources.ts";
import { reconciled } from "./reconciled.ts";

/** What is written at the start belongs to the server. */
const MANAGER = "driftless";

export type PolicyParts = Pick<ServerParts, "resource" | "objects" | "cache" | "clock" | "logger">;

/** Writes only what differs. Rejects if something could not be written, after everything else was tried. */
export async function reconcilePolicy(
  parts: PolicyParts,
  policy: readonly PolicyObject[],
): Promise<void> {
  const resources = rbacResources(parts.resource);
  await parts.cache.fresh();
  const results = await Promise.allSettled(
    policy.map((wanted) => reconcileObject(parts, resources, wanted)),
  );
  const failed = results.find((result) => result.status === "rejected");
  if (failed !== undefined) throw failed.reason;
}

async function reconcileObject(
  parts: PolicyParts,
  resources: RbacResources,
  wanted: PolicyObject,
): Promise<void> {
  const { objects, logger } = parts;
  const { key } = wanted;
  const resource = resources[wanted.resource];
  const found = resource.cache.get(key);
  const step = found && reconciled(found.object, wanted.object);
  if (step?.do === "nothing") return;
  if (step?.do === "spare") {
    logger.warn("a protected object lacks what the built-in policy has", {
      resource: wanted.resource,
      key,
    });
    return;
  }
  if (step?.do === "recreate") await objects.change(resource, key, deletionOf(wanted));
  const outcome = await objects.change(resource, key, writeOf(parts, resources, wanted));
  if (outcome.was === "updated") {
    logger.info("the built-in policy was added to an object", { resource: wanted.resource, key });
  }
}

type Decide = Parameters<PolicyParts["objects"]["change"]>[2];

function deletionOf(wanted: PolicyObject): Decide {
  return (current) => {
    const step = current && reconciled(current.object, wanted.object);
    return { do: step?.do === "recreate" ? "delete" : "nothing" };
  };
}

function writeOf({ clock }: PolicyParts, resources: RbacResources, wanted: PolicyObject): Decide {
  const resource = resources[wanted.resource];
  const write = { manager: MANAGER, nowMs: clock.now() };
  return (current): Change => {
    if (current === undefined) {
      return { do: "write", object: createdBySystem(resource, wanted.object, write) };
    }
    const live = current.object;
    const step = reconciled(live, wanted.object);
    if (step.do !== "update") return { do: "nothing" };
    return {
      do: "write",
      object: updatedBySystem(resource, { live, wanted: step.object }, write),
    };
  };
}
