import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isInUserNamespace, missingFeatures, probeKernel } from "./kernel-support.ts";

const all = {
  isRoot: true,
  isInUserNamespace: false,
  canMount: true,
  hasOverlay: true,
  hasTmpfsNoSwap: true,
  hasMoveMountBeneath: true,
  hasMountSetattr: true,
  hasNamespaces: true,
  hasUserNamespaces: true,
};

describe("missingFeatures", () => {
  it("has nothing to say about a machine that has everything", () => {
    assert.deepEqual(missingFeatures(all), []);
  });

  it("says for each thing what to do, and what cannot be done without", () => {
    for (const key of [
      "isRoot",
      "canMount",
      "hasOverlay",
      "hasMountSetattr",
      "hasNamespaces",
    ] as const) {
      const [first, ...others] = missingFeatures({ ...all, [key]: false });
      assert.equal(first?.isNeeded, true, key);
      assert.deepEqual(others, [], key);
    }
    for (const key of ["hasTmpfsNoSwap", "hasMoveMountBeneath"] as const) {
      const [first, ...others] = missingFeatures({ ...all, [key]: false });
      assert.equal(first?.isNeeded, false, key);
      assert.match(first?.message ?? "", /[Uu]se Linux/);
      assert.deepEqual(others, [], key);
    }
  });

  it("blames missing root rights once, not for every mount that they would allow", () => {
    const facts = { ...all, isRoot: false, canMount: false };
    assert.deepEqual(missingFeatures(facts).length, 1);
    assert.match(missingFeatures(facts)[0]?.message ?? "", /unshare --user --map-root-user/);
    const [other] = missingFeatures({ ...facts, hasUserNamespaces: false });
    assert.match(other?.message ?? "", /max_user_namespaces/);
  });
});

describe("isInUserNamespace", () => {
  it("knows the machine's own namespace from others", () => {
    assert.equal(isInUserNamespace("         0          0 4294967295\n"), false);
    assert.equal(isInUserNamespace("         0       1000          1\n"), true);
    assert.equal(isInUserNamespace("0 0 1\n1 100000 65536\n"), true);
    assert.equal(isInUserNamespace(""), true);
  });
});

describe("probeKernel", {
  skip: process.platform === "linux" ? false : "only Linux has this",
}, () => {
  it("asks without changing anything, and always gets an answer", () => {
    const first = probeKernel();
    assert.deepEqual(probeKernel(), first);
    assert.equal(
      first.missing.some(({ isNeeded }) => isNeeded),
      !(
        first.isRoot &&
        first.canMount &&
        first.hasOverlay &&
        first.hasMountSetattr &&
        first.hasNamespaces
      ),
    );
  });
});
