// What the server writes on DeliveryPolicies, and nodes read.

/** When the policy was paused: the content of that moment is the one that stays. */
export const PAUSED_AT = "driftless.dev/paused-at";
