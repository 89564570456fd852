import { deepEqual } from "node:assert/strict";
import { it } from "node:test";
import { componentResource } from "./component-status.ts";
import { servedKind } from "./served-kind.ts";

it("ComponentStatuses say what the checks find, anew for every reader", async () => {
  let isWell = true;
  const resource = componentResource(servedKind("v1", "ComponentStatus"), [
    {
      name: "store",
      check: async () => {
        if (!isWell) throw new Error("the disk is full");
      },
    },
  ]);
  const conditions = async (): Promise<unknown> => {
    await resource.refresh?.();
    return resource.cache.get("store")?.object["conditions"];
  };
  deepEqual(await conditions(), [{ type: "Healthy", status: "True", message: "ok" }]);
  isWell = false;
  deepEqual(await conditions(), [{ type: "Healthy", status: "False", error: "the disk is full" }]);
});
