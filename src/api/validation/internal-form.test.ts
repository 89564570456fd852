import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { internalForm } from "./internal-form.ts";
import { podOf } from "./testing/judged.ts";

describe("internalForm", () => {
  it("shows every field, in the order of the original, with what is absent as null or zero", () => {
    const toleration = internalForm("Toleration", { key: "a", tolerationSeconds: 5 });
    assert.equal(
      JSON.stringify(toleration),
      '{"Key":"a","Operator":"","Value":"","Effect":"","TolerationSeconds":5}',
    );
  });

  it("knows fields whose name in JSON is another one", () => {
    const shown = internalForm("RBDVolumeSource", { monitors: ["m"], image: "i" });
    assert.deepEqual(shown["CephMonitors"], ["m"]);
    assert.equal(shown["RBDImage"], "i");
  });

  it("shows selectors, quantities and ports as they are", () => {
    const labelSelector = { matchLabels: { a: "b" } };
    const term = internalForm("PodAffinityTerm", { labelSelector, topologyKey: "z" });
    assert.deepEqual(term["LabelSelector"], labelSelector);
    assert.equal(internalForm("ResourceFieldSelector", {})["Divisor"], "0");
    assert.equal(internalForm("TCPSocketAction", { port: "http" })["Port"], "http");
  });

  it("has the containers of a pod as its first fields but one", () => {
    const shown = JSON.stringify(internalForm("PodSpec", podOf().spec), null, 1).split("\n");
    assert.deepEqual(shown.slice(0, 11), [
      "{",
      ' "Volumes": null,',
      ' "InitContainers": null,',
      ' "Containers": [',
      "  {",
      '   "Name": "c",',
      '   "Image": "nginx",',
      '   "Command": null,',
      '   "Args": null,',
      '   "WorkingDir": "",',
      '   "Ports": null,',
    ]);
  });

  it("shows an ephemeral container as a container with a target", () => {
    const names = Object.keys(internalForm("EphemeralContainer", {}));
    assert.equal(names[0], "Name");
    assert.equal(names.at(-1), "TargetContainerName");
  });
});
