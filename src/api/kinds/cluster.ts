// Kinds by which the parts of a cluster find each other, agree and report.

import type { Kind } from "../kind.ts";
import { lease } from "../schema/coordination/lease.ts";
import { endpointSlice } from "../schema/discovery/endpoint-slice.ts";
import { event as eventsEvent } from "../schema/events/event.ts";
import { ingress } from "../schema/networking/ingress.ts";
import { networkPolicy } from "../schema/networking/network-policy.ts";
import { inGroup, statusOnly } from "./entry.ts";

export const eventsKinds: readonly Kind[] = inGroup("events.k8s.io", [
  { kind: "Event", resource: "events", schema: eventsEvent, shortNames: ["ev"] },
]);

export const networkingKinds: readonly Kind[] = inGroup("networking.k8s.io", [
  {
    kind: "Ingress",
    resource: "ingresses",
    schema: ingress,
    shortNames: ["ing"],
    subresources: statusOnly,
  },
  {
    kind: "NetworkPolicy",
    resource: "networkpolicies",
    schema: networkPolicy,
    shortNames: ["netpol"],
  },
]);

export const coordinationKinds: readonly Kind[] = inGroup("coordination.k8s.io", [
  { kind: "Lease", resource: "leases", schema: lease },
]);

export const discoveryKinds: readonly Kind[] = inGroup("discovery.k8s.io", [
  { kind: "EndpointSlice", resource: "endpointslices", schema: endpointSlice },
]);
