// What is particular to each kind that is stored, in one list.

import { configMapStrategy } from "./config-map.ts";
import { configRevisionStrategy } from "./config-revision.ts";
import { configViewStrategy } from "./config-view.ts";
import { controllerRevisionStrategy } from "./controller-revision.ts";
import { cronJobStrategy } from "./cron-job.ts";
import { daemonSetStrategy } from "./daemon-set.ts";
import { deliveryPolicyStrategy } from "./delivery-policy.ts";
import { deploymentStrategy } from "./deployment.ts";
import { endpointSliceStrategy } from "./endpoint-slice.ts";
import { endpointsStrategy } from "./endpoints.ts";
import { eventStrategy, strictEventStrategy } from "./event.ts";
import { ingressStrategy } from "./ingress.ts";
import { jobStrategy } from "./job.ts";
import { leaseStrategy } from "./lease.ts";
import { limitRangeStrategy } from "./limit-range.ts";
import { namespaceStrategy } from "./namespace.ts";
import { networkPolicyStrategy } from "./network-policy.ts";
import { nodeStrategy } from "./node.ts";
import { persistentVolumeStrategy } from "./persistent-volume.ts";
import { persistentVolumeClaimStrategy } from "./persistent-volume-claim.ts";
import { podStrategy } from "./pod.ts";
import { podDisruptionBudgetStrategy } from "./pod-disruption-budget.ts";
import { podTemplateStrategy } from "./pod-template.ts";
import { replicaSetStrategy } from "./replica-set.ts";
import { replicationControllerStrategy } from "./replication-controller.ts";
import { resourceQuotaStrategy } from "./resource-quota.ts";
import { clusterRoleStrategy, roleStrategy } from "./role.ts";
import { clusterRoleBindingStrategy, roleBindingStrategy } from "./role-binding.ts";
import { secretStrategy } from "./secret.ts";
import { serviceStrategy } from "./service.ts";
import { serviceAccountStrategy } from "./service-account.ts";
import { statefulSetStrategy } from "./stateful-set.ts";
import type { Strategy } from "./strategy.ts";

/** One for each kind that is stored. */
export function strategies(): readonly Strategy[] {
  return [
    clusterRoleBindingStrategy,
    clusterRoleStrategy,
    configMapStrategy,
    configRevisionStrategy,
    configViewStrategy,
    controllerRevisionStrategy,
    cronJobStrategy,
    daemonSetStrategy,
    deliveryPolicyStrategy,
    deploymentStrategy,
    endpointSliceStrategy,
    endpointsStrategy,
    eventStrategy,
    ingressStrategy,
    jobStrategy,
    leaseStrategy,
    limitRangeStrategy,
    namespaceStrategy,
    networkPolicyStrategy,
    nodeStrategy,
    persistentVolumeClaimStrategy,
    persistentVolumeStrategy,
    podDisruptionBudgetStrategy,
    podStrategy,
    podTemplateStrategy,
    replicaSetStrategy,
    replicationControllerStrategy,
    resourceQuotaStrategy,
    roleBindingStrategy,
    roleStrategy,
    secretStrategy,
    serviceAccountStrategy,
    serviceStrategy,
    statefulSetStrategy,
    strictEventStrategy,
  ];
}
