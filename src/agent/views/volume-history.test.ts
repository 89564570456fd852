import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { ObjectVersion } from "../objects/config-object.ts";
import type { MountedVolume } from "../volumes/volumes.ts";
import { VolumeHistory } from "./volume-history.ts";

function versions(version: string): readonly ObjectVersion[] {
  const of = { kind: "ConfigMap", namespace: "shop", name: "app" } as const;
  return [{ ...of, uid: "u", resourceVersion: "1", version }];
}

function volume(files: string, object: string): MountedVolume {
  return {
    version: files,
    versions: versions(object),
    failure: undefined,
  } as unknown as MountedVolume;
}

describe("VolumeHistory", () => {
  it("knows since when a volume shows what it shows, and what it showed before", () => {
    const history = new VolumeHistory();
    history.changed("p", "v", { ...volume("f1", "o1"), hasChanged: true, atMs: 1 });
    history.changed("p", "v", { ...volume("f2", "o2"), hasChanged: true, atMs: 2 });
    const shown = history.shown("p", "v", volume("f2", "o2"));
    assert.equal(shown.shownAtMs, 2);
    assert.equal(shown.past("f1")?.[0]?.version, "o1");
    assert.equal(shown.past("f0"), undefined);
  });

  it("does not say when for what a former life has written", () => {
    const history = new VolumeHistory();
    history.changed("p", "v", { ...volume("f1", "o1"), hasChanged: false, atMs: 1 });
    assert.equal(history.shown("p", "v", volume("f1", "o1")).shownAtMs, undefined);
  });

  it("keeps the time when the object changed and the files did not", () => {
    const history = new VolumeHistory();
    history.changed("p", "v", { ...volume("f1", "o1"), hasChanged: true, atMs: 1 });
    const shown = history.shown("p", "v", volume("f1", "o2"));
    assert.equal(shown.shownAtMs, 1);
    assert.equal(shown.past("f1")?.[0]?.version, "o2");
  });

  it("takes content that comes back for new", () => {
    const history = new VolumeHistory();
    for (const [atMs, files] of ["f1", "f2", "f1"].entries()) {
      history.changed("p", "v", { ...volume(files, files), hasChanged: true, atMs });
    }
    assert.equal(history.shown("p", "v", volume("f1", "f1")).shownAtMs, 2);
  });

  it("keeps only the last few, and nothing of a pod that is forgotten", () => {
    const history = new VolumeHistory();
    for (let atMs = 0; atMs < 100; atMs++) {
      history.changed("p", "v", { ...volume(`f${atMs}`, "o"), hasChanged: true, atMs });
    }
    const shown = history.shown("p", "v", volume("f99", "o"));
    assert.notEqual(shown.past("f95"), undefined);
    assert.equal(shown.past("f50"), undefined);
    history.forget("p");
    assert.equal(history.shown("p", "v", volume("f100", "o")).past("f99"), undefined);
  });
});
