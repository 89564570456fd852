import { equal } from "node:assert/strict";
import { describe, it } from "node:test";
import { AbsentOwners } from "./absent-owners.ts";
import type { Identity } from "./identity.ts";

describe("AbsentOwners", () => {
  it("knows an owner by all that is said of it", () => {
    const absent = new AbsentOwners();
    absent.add(owner("u"));
    equal(absent.has(owner("u")), true);
    equal(absent.has({ ...owner("u"), namespace: "" }), false);
    equal(absent.has({ ...owner("u"), name: "b" }), false);
  });

  it("forgets those that nobody has asked for the longest", () => {
    const absent = new AbsentOwners();
    absent.add(owner("first"));
    absent.add(owner("second"));
    for (let n = 0; n < 498; n++) absent.add(owner(String(n)));
    equal(absent.has(owner("first")), true);
    absent.add(owner("one more"));
    equal(absent.has(owner("second")), false);
    equal(absent.has(owner("first")), true);
  });
});

function owner(uid: string): Identity {
  return { apiVersion: "v1", kind: "ConfigMap", namespace: "default", name: "a", uid };
}
