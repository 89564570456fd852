// Leases. Electing by emulated versions is not offered: its fields are dropped.

import type { Lease } from "../../api/types.ts";
import { validateLease, validateLeaseUpdate } from "../../api/validation/lease.ts";
import { kindStrategy } from "./kind-strategy.ts";
import type { Strategy } from "./strategy.ts";

export const leaseStrategy: Strategy = kindStrategy<Lease>("coordination.k8s.io/v1", "Lease", {
  createsOnUpdate: true,
  requiresResourceVersion: true,
  prepareForCreate: dropElection,
  prepareForUpdate: dropElection,
  validate: validateLease,
  validateUpdate: validateLeaseUpdate,
});

function dropElection({ spec }: Lease): void {
  delete spec.strategy;
  delete spec.preferredHolder;
}
