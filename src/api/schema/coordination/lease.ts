// Lease: who leads or lives, and until when.

import { metadata, typeMeta } from "../meta.ts";
import {
  always,
  field,
  int32,
  microTime,
  pointer,
  ref,
  string,
  type TypeSchema,
  type,
} from "../schema.ts";

const leaseSpec: TypeSchema = type(
  "io.k8s.api.coordination.v1.LeaseSpec",
  "Who has a lease, and until when",
  {
    holderIdentity: field(1, string, "Who has it", pointer),
    leaseDurationSeconds: field(2, int32, "How long it lasts after a renewal", pointer),
    acquireTime: field(3, microTime, "When the holder got it", pointer),
    renewTime: field(4, microTime, "When the holder last renewed it", pointer),
    leaseTransitions: field(5, int32, "How often it changed hands", pointer),
    strategy: field(6, string, "How the next holder is chosen", pointer),
    preferredHolder: field(7, string, "To whom the holder should hand it over", pointer),
  },
);

export const lease: TypeSchema = type(
  "io.k8s.api.coordination.v1.Lease",
  "Says who leads or lives, and until when",
  {
    ...typeMeta,
    metadata,
    spec: field(2, ref(leaseSpec), "The lease", always),
  },
);
