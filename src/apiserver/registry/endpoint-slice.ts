// EndpointSlices. A change of labels counts as a generation too.

import { setEndpointSliceDefaults } from "../../api/defaults/endpoints.ts";
import type { EndpointSlice } from "../../api/types.ts";
import {
  validateEndpointSlice,
  validateEndpointSliceUpdate,
} from "../../api/validation/endpoint-slice.ts";
import { FieldPath } from "../../api/validation/field-path.ts";
import { ipWarnings } from "../../api/validation/ip-warnings.ts";
import { semanticEqual } from "../../api/validation/semantic-equal.ts";
import { kindStrategy } from "./kind-strategy.ts";
import type { Strategy } from "./strategy.ts";

export const endpointSliceStrategy: Strategy = kindStrategy<EndpointSlice>(
  "discovery.k8s.io/v1",
  "EndpointSlice",
  {
    countsGenerations: true,
    setDefaults: setEndpointSliceDefaults,
    prepareForCreate: dropTopology,
    prepareForUpdate(slice, old) {
      const { metadata } = slice;
      if (!semanticEqual(metadata.labels ?? {}, old.metadata.labels ?? {})) {
        metadata.generation = (old.metadata.generation ?? 0) + 1;
      }
      if (!semanticEqual(slice.endpoints, old.endpoints)) dropTopology(slice);
    },
    validate: validateEndpointSlice,
    validateUpdate: validateEndpointSliceUpdate,
    warnings(slice, old) {
      const deprecated = old === undefined && slice.addressType === "FQDN";
      return [
        ...(deprecated ? ["spec.addressType: FQDN endpoints are deprecated"] : []),
        ...addressWarnings(slice),
      ];
    },
  },
);

/** Clients cannot write it any more. */
function dropTopology({ endpoints }: EndpointSlice): void {
  for (const endpoint of endpoints ?? []) delete endpoint.deprecatedTopology;
}

function addressWarnings({ endpoints }: EndpointSlice): string[] {
  return (endpoints ?? []).flatMap(({ addresses }, i) =>
    (addresses ?? []).flatMap((address, j) =>
      ipWarnings(FieldPath.of("endpoints").index(i).child("addresses").index(j), address),
    ),
  );
}
