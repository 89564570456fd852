import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Container, Pod } from "../../api/types.ts";
import { ConfigObject } from "../objects/config-object.ts";
import type { VolumeUse } from "../sub-path/volume-use.ts";
import type { MountedVolumes } from "../volumes/volumes.ts";
import { START_NOTE, startedWith, startNote } from "./start-note.ts";

const metadata = { namespace: "shop", uid: "u1", resourceVersion: "7" };
const app = ConfigObject.fromConfigMap({
  metadata: { ...metadata, name: "app" },
  data: { level: "canary", motd: "canary", other: "canary" },
  immutable: true,
});

function noteOf(container: Partial<Container>): ReturnType<typeof startNote> {
  const main: Container = { name: "main", resources: {}, ...container };
  const volumes = [{ name: "config", configMap: { name: "app" } }];
  const pod = {
    metadata: { ...metadata, name: "web" },
    spec: { containers: [main], volumes },
    status: {},
  };
  const shown = new Map([["config", { versions: [app.asVersion] }]]);
  return startNote({
    ...{ pod: pod as Pod, container: main, objects: [app], peek: () => app },
    volumes: shown as unknown as MountedVolumes,
    uses: [{ index: 0, subPath: "motd" } as VolumeUse],
  });
}

const env = [
  { name: "LEVEL", valueFrom: { configMapKeyRef: { name: "app", key: "level" } } },
  { name: "GONE", valueFrom: { secretKeyRef: { name: "gone", key: "k", optional: true } } },
];

describe("startNote", () => {
  it("has the version of the keys that the environment and the arguments use, and what was missing", () => {
    const { uid, resourceVersion, version } = app;
    const used = app.versionOf(["level"]);
    const object = { uid, resourceVersion, version, isImmutable: true, used };
    assert.deepEqual(noteOf({ env, args: ["$(LEVEL)"] }), [
      { kind: "ConfigMap", name: "app", how: "env", mountPath: "", object },
      { kind: "Secret", name: "gone", how: "env", mountPath: "", object: undefined },
      { kind: "ConfigMap", name: "app", how: "args", mountPath: "", object },
    ]);
  });

  it("knows which key a subPath shows that was an expression", () => {
    const volumeMounts = [{ name: "config", mountPath: "/motd", subPathExpr: "$(WHICH)" }];
    const [note] = noteOf({ volumeMounts });
    assert.deepEqual([note?.how, note?.mountPath], ["subPath", "/motd"]);
    assert.equal(note?.object?.used, app.versionOf(["motd"]));
  });

  it("leaves live volumes out, and every value", () => {
    const volumeMounts = [{ name: "config", mountPath: "/etc/app" }];
    assert.deepEqual(noteOf({ volumeMounts }), []);
    assert.doesNotMatch(JSON.stringify(noteOf({ env })), /canary/);
  });

  it("is read as it was written, and not at all if an older agent has written it", () => {
    const note = noteOf({ env });
    const read = startedWith({ [START_NOTE]: JSON.stringify(note) });
    assert.deepEqual(JSON.stringify(read), JSON.stringify(note));
    assert.equal(startedWith({ [START_NOTE]: JSON.stringify([app.asVersion]) }), undefined);
    assert.equal(startedWith({ [START_NOTE]: "{" }), undefined);
    assert.equal(startedWith({}), undefined);
  });
});
