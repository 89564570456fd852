// The ReplicaSet for a template that has none yet. Its name follows from the template, so making it twice makes one.

import { controllerReference } from "../../controller/owner.ts";
import { templateHash } from "../pods/template-hash.ts";
import {
  DEPLOYMENT,
  type DeploymentObject,
  HASH_LABEL,
  type ReplicaSetObject,
} from "./deployment-objects.ts";
import { currentAnnotations, nextRevision, sizeAnnotations } from "./revisions.ts";
import { nextCurrentSize } from "./rolling-update.ts";

const MAX_NAME_LENGTH = 253;

export function newReplicaSet(
  deployment: DeploymentObject,
  old: readonly ReplicaSetObject[],
): ReplicaSetObject {
  const { metadata, spec, status } = deployment;
  const hash = templateHash(spec.template, status.collisionCount);
  const labels = { ...spec.template.metadata.labels, [HASH_LABEL]: hash };
  const { matchLabels, ...selector } = spec.selector ?? {};
  const made: ReplicaSetObject = {
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    metadata: {
      name: nameFor(metadata.name ?? "", hash),
      namespace: metadata.namespace,
      labels,
      ownerReferences: [controllerReference(DEPLOYMENT, deployment)],
    },
    spec: {
      replicas: nextCurrentSize(deployment, { current: undefined, old }),
      minReadySeconds: spec.minReadySeconds,
      selector: { ...selector, matchLabels: { ...matchLabels, [HASH_LABEL]: hash } },
      template: { ...spec.template, metadata: { ...spec.template.metadata, labels } },
    },
    status: { replicas: 0 },
  };
  const annotations = {
    ...currentAnnotations(deployment, made, nextRevision(old)),
    ...sizeAnnotations(deployment),
  };
  return { ...made, metadata: { ...made.metadata, annotations } };
}

function nameFor(deployment: string, hash: string): string {
  return `${deployment.slice(0, MAX_NAME_LENGTH - 1 - hash.length)}-${hash}`;
}
