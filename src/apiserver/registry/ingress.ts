// Ingresses. They are stored; nothing routes by them.

import type { Ingress } from "../../api/types.ts";
import {
  ingressClassAnnotation,
  validateIngress,
  validateIngressStatusUpdate,
  validateIngressUpdate,
} from "../../api/validation/ingress.ts";
import { kindStrategy } from "./kind-strategy.ts";
import type { Strategy } from "./strategy.ts";

export const ingressStrategy: Strategy = kindStrategy<Ingress>("networking.k8s.io/v1", "Ingress", {
  countsGenerations: true,
  validate: validateIngress,
  validateUpdate: validateIngressUpdate,
  validateStatusUpdate: validateIngressStatusUpdate,
  warnings({ metadata, spec }, old) {
    const isAnnotated = metadata.annotations?.[ingressClassAnnotation] !== undefined;
    if (old !== undefined || !isAnnotated || spec.ingressClassName !== undefined) return [];
    return [
      `annotation "${ingressClassAnnotation}" is deprecated, please use 'spec.ingressClassName' instead`,
    ];
  },
});
