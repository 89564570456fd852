import { deepEqual, equal, ok } from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { nameIsDnsSubdomain } from "../../api/validation/names.ts";
import { labelValue, revisionName, revisionPrefix, splitRevisionName } from "./revision-name.ts";

/** DNS subdomains of any length that is allowed. */
const names = fc
  .stringMatching(/^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/)
  .filter((name) => nameIsDnsSubdomain(name, false).length === 0);

describe("revisionName", () => {
  it("can be read", () => {
    equal(revisionName(revisionPrefix("ConfigMap", "app"), 12), "configmap-app-00012");
    equal(revisionName(revisionPrefix("Secret", "a.b-7"), 123_456), "secret-a.b-7-123456");
  });

  it("is a valid name for any object and number, and says both", () => {
    fc.assert(
      fc.property(names, fc.integer({ min: 1, max: 999_999_999 }), (name, number) => {
        const prefix = revisionPrefix("ConfigMap", name);
        const made = revisionName(prefix, number);
        deepEqual(nameIsDnsSubdomain(made, false), []);
        deepEqual(splitRevisionName(`n/${made}`), { prefix: `n/${prefix}`, number });
      }),
    );
  });

  it("is not found in names that others have given", () => {
    for (const name of ["mine", "configmap-app-12", "configmap-app-000012x", "-00001"]) {
      equal(splitRevisionName(name), undefined, name);
    }
    equal(splitRevisionName("configmap-app-000012"), undefined);
  });
});

describe("labelValue", () => {
  it("is the name where that fits, and tells longer ones apart", () => {
    equal(labelValue("app.yaml"), "app.yaml");
    const long = (last: string): string => labelValue("a".repeat(80) + last);
    ok(long("1").length <= 63);
    ok(long("1") !== long("2"));
  });
});
