// Endpoints: the addresses behind a service; EndpointSlice has taken its place.

import { metadata, typeMeta } from "../meta.ts";
import {
  field,
  int32,
  listOf,
  pointer,
  ref,
  required,
  string,
  type TypeSchema,
  type,
} from "../schema.ts";
import { objectReference } from "./references.ts";
import { protocol } from "./values.ts";

const endpointAddress: TypeSchema = type(
  "io.k8s.api.core.v1.EndpointAddress",
  "One address",
  {
    ip: field(1, string, "The address itself", required),
    hostname: field(3, string, "Its name within the service"),
    nodeName: field(4, string, "The node behind it", pointer),
    targetRef: field(2, ref(objectReference), "The object behind it, mostly a pod", pointer),
  },
  { atomic: true },
);

const endpointPort: TypeSchema = type(
  "io.k8s.api.core.v1.EndpointPort",
  "One port",
  {
    name: field(1, string, "As in the service"),
    port: field(2, int32, "The number", required),
    protocol: field(3, protocol, "Transport that is spoken"),
    appProtocol: field(4, string, "What is spoken above the transport", pointer),
  },
  { atomic: true },
);

const endpointSubset: TypeSchema = type(
  "io.k8s.api.core.v1.EndpointSubset",
  "Addresses that share the same ports",
  {
    addresses: field(1, listOf(ref(endpointAddress)), "Those that take traffic"),
    notReadyAddresses: field(2, listOf(ref(endpointAddress)), "Those that do not take traffic now"),
    ports: field(3, listOf(ref(endpointPort)), "Ports of every address"),
  },
);

export const endpoints: TypeSchema = type(
  "io.k8s.api.core.v1.Endpoints",
  "Where a service's pods can be reached",
  {
    ...typeMeta,
    metadata,
    subsets: field(
      2,
      listOf(ref(endpointSubset)),
      "Addresses with the ports that all of them have",
    ),
  },
);
