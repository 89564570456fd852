import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { chooseControllers, controllerNames, UnknownControllerError } from "./all-controllers.ts";

const chosen = (text: string): readonly string[] => chooseControllers(text).map(({ name }) => name);

describe("chooseControllers", () => {
  it("takes all for a star", () => {
    assert.deepEqual(chosen("*"), controllerNames);
  });

  it("leaves out what has a minus, by any of its names", () => {
    for (const name of ["garbage-collector-controller", "garbagecollector", "garbage-collector"]) {
      const others = controllerNames.filter((one) => one !== "garbage-collector-controller");
      assert.deepEqual(chosen(`*,-${name}`), others);
      assert.deepEqual(chosen(`-${name}, *`), others);
    }
  });

  it("takes only those that are named where there is no star", () => {
    assert.deepEqual(chosen("podgc,deployment"), [
      "deployment-controller",
      "pod-garbage-collector-controller",
    ]);
    assert.deepEqual(chosen(""), []);
  });

  it("lets the first word about a controller count", () => {
    assert.deepEqual(chosen("-deployment,deployment-controller"), []);
    assert.deepEqual(chosen("deployment,-deployment-controller"), ["deployment-controller"]);
  });

  it("says which names there are when it is given another", () => {
    assert.throws(() => chosen("*,-pods"), UnknownControllerError);
    assert.throws(() => chosen("-*"), /"-\*" is not in the list of known controllers: service/);
  });
});
