// Endpoints.

import { setEndpointsDefaults } from "../../api/defaults/endpoints.ts";
import type { Endpoints } from "../../api/types.ts";
import { validateEndpoints, validateEndpointsUpdate } from "../../api/validation/endpoints.ts";
import { FieldPath } from "../../api/validation/field-path.ts";
import { ipWarnings } from "../../api/validation/ip-warnings.ts";
import { kindStrategy } from "./kind-strategy.ts";
import type { Strategy } from "./strategy.ts";

export const endpointsStrategy: Strategy = kindStrategy<Endpoints>("v1", "Endpoints", {
  createsOnUpdate: true,
  deprecation: "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice",
  setDefaults: setEndpointsDefaults,
  validate: validateEndpoints,
  validateUpdate: validateEndpointsUpdate,
  warnings: ({ subsets }) =>
    (subsets ?? []).flatMap((subset, i) =>
      (["addresses", "notReadyAddresses"] as const).flatMap((field) =>
        (subset[field] ?? []).flatMap(({ ip }, j) =>
          ipWarnings(FieldPath.of("subsets").index(i).child(field).index(j).child("ip"), ip),
        ),
      ),
    ),
});
