// DeliveryPolicies.

import { setDeliveryPolicyDefaults } from "../../api/defaults/delivery-policy.ts";
import type { DeliveryPolicy } from "../../api/types.ts";
import {
  validateDeliveryPolicy,
  validateDeliveryPolicyStatusUpdate,
  validateDeliveryPolicyUpdate,
} from "../../api/validation/delivery-policy.ts";
import { kindStrategy } from "./kind-strategy.ts";
import type { Strategy } from "./strategy.ts";

export const deliveryPolicyStrategy: Strategy = kindStrategy<DeliveryPolicy>(
  "driftless.dev/v1",
  "DeliveryPolicy",
  {
    countsGenerations: true,
    setDefaults: setDeliveryPolicyDefaults,
    validate: validateDeliveryPolicy,
    validateUpdate: validateDeliveryPolicyUpdate,
    validateStatusUpdate: validateDeliveryPolicyStatusUpdate,
  },
);
