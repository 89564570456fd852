// NetworkPolicies. They are stored; pods share the network of their machine, and nothing is kept from it.

import { setNetworkPolicyDefaults } from "../../api/defaults/network-policy.ts";
import type { NetworkPolicy } from "../../api/types.ts";
import { cidrWarnings } from "../../api/validation/ip-warnings.ts";
import {
  ipBlocks,
  validateNetworkPolicy,
  validateNetworkPolicyUpdate,
} from "../../api/validation/network-policy.ts";
import { kindStrategy } from "./kind-strategy.ts";
import type { Strategy } from "./strategy.ts";

export const networkPolicyStrategy: Strategy = kindStrategy<NetworkPolicy>(
  "networking.k8s.io/v1",
  "NetworkPolicy",
  {
    countsGenerations: true,
    setDefaults: setNetworkPolicyDefaults,
    validate: validateNetworkPolicy,
    validateUpdate: validateNetworkPolicyUpdate,
    warnings: ({ spec }) =>
      ipBlocks(spec).flatMap(({ block: { cidr, except }, path }) => [
        ...cidrWarnings(path.child("cidr"), cidr),
        ...(except ?? []).flatMap((one, i) => cidrWarnings(path.child("except").index(i), one)),
      ]),
  },
);
