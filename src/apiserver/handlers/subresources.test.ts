import { equal, throws } from "node:assert/strict";
import { describe, it } from "node:test";
import type { RequestContext } from "./context.ts";
import { get } from "./get.ts";
import { subresourceHandler } from "./subresources.ts";

describe("subresourceHandler", () => {
  const context = {
    resource: { kind: { subresources: [{ name: "status" }] } },
    info: { subresource: "status" },
  } as unknown as RequestContext;

  it("does not take the name of what every object has for a method", () => {
    equal(subresourceHandler(context, "GET"), get);
    for (const method of ["constructor", "toString", "__proto__"]) {
      throws(() => subresourceHandler(context, method), { code: 405 });
    }
  });
});
