// EndpointSlice: some of the places where a service can be reached.

import { objectReference } from "../core/references.ts";
import { protocol } from "../core/values.ts";
import { metadata, typeMeta } from "../meta.ts";
import {
  always,
  bool,
  field,
  int32,
  listOf,
  mapOf,
  oneOf,
  pointer,
  ref,
  required,
  setOf,
  string,
  type TypeSchema,
  type,
} from "../schema.ts";

const endpointConditions: TypeSchema = type(
  "io.k8s.api.discovery.v1.EndpointConditions",
  "Whether a place takes traffic",
  {
    ready: field(1, bool, "It does", pointer),
    serving: field(2, bool, "It would, were it not stopping", pointer),
    terminating: field(3, bool, "It is stopping", pointer),
  },
);

const forZone: TypeSchema = type(
  "io.k8s.api.discovery.v1.ForZone",
  "A zone whose clients are meant",
  {
    name: field(1, string, "Of the zone", required),
  },
);

const forNode: TypeSchema = type(
  "io.k8s.api.discovery.v1.ForNode",
  "A node whose clients are meant",
  {
    name: field(1, string, "Of the node", required),
  },
);

const endpointHints: TypeSchema = type(
  "io.k8s.api.discovery.v1.EndpointHints",
  "Who should use a place",
  {
    forZones: field(1, listOf(ref(forZone)), "Clients in these zones"),
    forNodes: field(2, listOf(ref(forNode)), "Clients on these nodes"),
  },
);

const endpoint: TypeSchema = type(
  "io.k8s.api.discovery.v1.Endpoint",
  "One place where a service can be reached",
  {
    addresses: field(1, setOf(string), "Of one type; the first counts", required),
    conditions: field(2, ref(endpointConditions), "Whether it takes traffic", always),
    hostname: field(3, string, "Its name within the service", pointer),
    targetRef: field(4, ref(objectReference), "The object behind it, mostly a pod", pointer),
    deprecatedTopology: field(5, mapOf(string), "Labels of the node, from an older version"),
    nodeName: field(6, string, "The node behind it", pointer),
    zone: field(7, string, "Zone of the node", pointer),
    hints: field(8, ref(endpointHints), "Who should use it", pointer),
  },
);

const endpointPort: TypeSchema = type(
  "io.k8s.api.discovery.v1.EndpointPort",
  "One port",
  {
    name: field(1, string, "As in the service", pointer),
    protocol: field(2, protocol, "Transport that is spoken", pointer),
    port: field(3, int32, "The number", pointer),
    appProtocol: field(4, string, "What is spoken above the transport", pointer),
  },
  { atomic: true },
);

export const endpointSlice: TypeSchema = type(
  "io.k8s.api.discovery.v1.EndpointSlice",
  "Some of the places where a service can be reached",
  {
    ...typeMeta,
    metadata,
    addressType: field(
      4,
      oneOf("FQDN", "IPv4", "IPv6"),
      "What kind of addresses; never changes",
      required,
    ),
    endpoints: field(2, listOf(ref(endpoint)), "The places", always),
    ports: field(3, listOf(ref(endpointPort)), "Ports of every place", always),
  },
);
