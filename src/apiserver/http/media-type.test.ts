import { equal, throws } from "node:assert/strict";
import { describe, it } from "node:test";
import { representationFor } from "./media-type.ts";

function told(accept: string | undefined): string {
  const { format, as, metaVersion } = representationFor(accept);
  return as === "object" ? format : `${format} ${as} ${metaVersion}`;
}

const table = "application/json;as=Table;v=v1;g=meta.k8s.io";

const cases: readonly (readonly [string | undefined, string])[] = [
  [undefined, "json"],
  ["", "json"],
  ["*/*", "json"],
  ["application/json", "json"],
  ["application/yaml", "yaml"],
  ["application/json;stream=watch", "json"],
  ["text/html,*/*", "json"],
  [`${table},application/json`, "json table v1"],
  [
    "application/json;as=Table;v=v9;g=meta.k8s.io,application/json;as=Table;v=v1beta1;g=meta.k8s.io",
    "json table v1beta1",
  ],
  ["application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1", "json partial v1"],
  ["application/json;as=Nonsense;g=meta.k8s.io;v=v1,application/json", "json"],
  ["application/vnd.kubernetes.protobuf, */*", "json"],
  ["application/com.github.proto-openapi.spec.v2@v1.0+protobuf, application/json", "json"],
];

describe("representationFor", () => {
  for (const [accept, expected] of cases) {
    it(`takes ${accept ?? "no header"} as ${expected}`, () => equal(told(accept), expected));
  }

  it("says what there is when nothing fits", () => {
    throws(() => representationFor("application/xml"), /^StatusError: 406: Not Acceptable/);
    throws(
      () => representationFor("application/json;as=Table;v=v9;g=meta.k8s.io"),
      /only the following media types are accepted/,
    );
  });
});
