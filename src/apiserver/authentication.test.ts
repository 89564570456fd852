import { deepEqual } from "node:assert/strict";
import { describe, it } from "node:test";
import { impersonated } from "./authentication.ts";
import type { UserInfo } from "./user.ts";

function asked(...raw: readonly (readonly [string, string])[]): UserInfo | undefined {
  const headers = Object.fromEntries(raw.map(([name, value]) => [name.toLowerCase(), value]));
  return impersonated({ headers, rawHeaders: raw.flat() })?.user;
}

describe("impersonated", () => {
  it("takes a name with a comma as one name", () => {
    deepEqual(asked(["Impersonate-User", "CN=eve, O=x"])?.name, "CN=eve, O=x");
  });

  it("takes each header as one group, also with a comma in it", () => {
    const user = asked(
      ["Impersonate-User", "eve"],
      ["Impersonate-Group", "a, b"],
      ["Impersonate-Group", "c"],
    );
    deepEqual(user?.groups, ["a, b", "c", "system:authenticated"]);
  });

  it("keeps a key of extras that is badly escaped as it is", () => {
    const user = asked(
      ["Impersonate-User", "eve"],
      ["Impersonate-Extra-%zz", "1"],
      ["Impersonate-Extra-a%2fb", "2"],
      ["Impersonate-Extra-a%2fb", "3"],
    );
    deepEqual(user?.extra, { "%zz": ["1"], "a/b": ["2", "3"] });
  });

  it("gives a service account its groups unless others are named", () => {
    const name = "system:serviceaccount:shop:till";
    deepEqual(asked(["Impersonate-User", name])?.groups, [
      "system:serviceaccounts",
      "system:serviceaccounts:shop",
      "system:authenticated",
    ]);
    deepEqual(asked(["Impersonate-User", name], ["Impersonate-Group", "a"])?.groups, [
      "a",
      "system:authenticated",
    ]);
  });
});
