// Our own kinds.

import type { Kind } from "../kind.ts";
import { configRevision } from "../schema/driftless/config-revision.ts";
import { configView } from "../schema/driftless/config-view.ts";
import { deliveryPolicy } from "../schema/driftless/delivery-policy.ts";
import { inGroup, statusOnly } from "./entry.ts";

export const driftlessKinds: readonly Kind[] = inGroup("driftless.dev", [
  {
    kind: "ConfigRevision",
    resource: "configrevisions",
    schema: configRevision,
    shortNames: ["crev"],
    categories: ["driftless"],
  },
  {
    kind: "ConfigView",
    resource: "configviews",
    schema: configView,
    shortNames: ["cview"],
    categories: ["driftless"],
  },
  {
    kind: "DeliveryPolicy",
    resource: "deliverypolicies",
    schema: deliveryPolicy,
    shortNames: ["dp"],
    categories: ["driftless"],
    subresources: statusOnly,
  },
]);
