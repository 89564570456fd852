// What is there before the flood.

/** Objects that the flood lists. */
export const LISTED_NAMESPACE = "flood-listed";
export const LISTED = 1000;

/** Objects that the flood updates and reads: `object-0` and so on. */
export const WRITTEN_NAMESPACE = "flood-written";
export const WRITTEN = 64;

/** Ten objects of the user who behaves. */
export const USER_NAMESPACE = "flood-user";

/** Many: each renews its lease only when it has heard of the last time, and seldom. */
export const NODES: readonly string[] = Array.from({ length: 32 }, (_, i) => `n${i}`);
export const LEASES = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases";
