import { deepEqual, equal, match } from "node:assert/strict";
import { describe, it } from "node:test";
import type { ApiObject } from "../api/object.ts";
import type { ConfigView, Event, Pod } from "../api/types.ts";
import { contentVersion } from "../base/content-version.ts";
import type { Look } from "./answers/look.ts";
import { type ExplainedPod, explanationJson, explanationOf } from "./explanation.ts";
import { explanationText } from "./explanation-text.ts";

const nowMs = Date.parse("2026-01-01T01:00:00Z");
const look: Look = { columns: undefined, hasColour: false, isUnicode: true };
const data = { level: "info", port: "80" };
const hash = contentVersion(
  { kind: "ConfigMap", uid: "" },
  new Map(Object.entries(data).map(([key, value]) => [key, Buffer.from(value)])),
);

function pod(annotations: Readonly<Record<string, string>> = {}): Pod {
  const configMapKeyRef = { name: "app", key: "level" };
  const container = {
    name: "web",
    env: [{ name: "LEVEL", valueFrom: { configMapKeyRef } }],
    volumeMounts: [{ name: "v", mountPath: "/etc/app" }],
  };
  const terminated = { exitCode: 137, reason: "OOMKilled", finishedAt: "2026-01-01T00:58:00Z" };
  const status = {
    name: "web",
    restartCount: 2,
    state: { running: { startedAt: "2026-01-01T00:58:00Z" } },
    lastState: { terminated },
  };
  return {
    metadata: {
      name: "web-1-x",
      namespace: "shop",
      creationTimestamp: "2026-01-01T00:00:00Z",
      annotations,
    },
    spec: {
      nodeName: "n1",
      containers: [container],
      volumes: [{ name: "v", configMap: { name: "app" } }],
    },
    status: { containerStatuses: [status] },
  } as unknown as Pod;
}

function explained(more: Partial<ExplainedPod> = {}): ExplainedPod {
  const object = { metadata: { name: "app" }, data } as unknown as ApiObject;
  return {
    pod: pod(),
    owners: ["pod/web-1-x", "replicaset/web-1", "deployment/web"],
    workload: undefined,
    view: undefined,
    objects: new Map([["ConfigMap/app", object]]),
    isSubPathLive: true,
    events: [],
    ...more,
  };
}

describe("explanationText", () => {
  it("says what nobody asked for, and what would", () => {
    equal(
      explanationText(explanationOf(explained()), look, nowMs),
      `pod/web-1-x: of replicaset/web-1, of deployment/web; on n1; made 60m ago
Its template was never rolled because of a change of configuration.

Containers
  web: started 2m ago; restarted 2 times, last after exit code 137 (OOMKilled) 2m ago

What a change does
  configmap/app, env of web
    level: frozen, environment variables are fixed when the container starts; no annotation asks for a restart
  configmap/app, volume /etc/app of web
    hot, the files at /etc/app follow by themselves
  No annotation asks for anything: driftless.dev/reload: auto on the workload would restart it where it cannot follow.
`,
    );
  });

  it("says what it was rolled for, how it was told, what is wrong and what happened", () => {
    const changed = { "configmap/app": ["level"] };
    const rolled = JSON.stringify({ at: "2026-01-01T00:00:00.000000Z", changed });
    const annotations = {
      "driftless.dev/reload": "signal:HUP",
      "driftless.dev/reload.port": "restart",
      "driftless.dev/reload.level": "sometimes",
    };
    const use = {
      kind: "ConfigMap",
      name: "app",
      how: "volume",
      container: "web",
      mountPath: "/etc/app",
    };
    const reload = {
      action: "signal:HUP",
      result: "Failing",
      hash,
      attempts: 3,
      message: "no such process",
      at: "2026-01-01T00:59:59.000000Z",
    };
    const view = {
      metadata: {},
      pod: { name: "web-1-x" },
      uses: [{ ...use, wanted: { hash }, onDisk: { hash }, reload }],
    } as unknown as ConfigView;
    const event = {
      metadata: {},
      involvedObject: { kind: "Deployment", name: "web" },
      reason: "ConfigReload",
      message: "configmap/app changed (level): restarting\u001b[31m",
      lastTimestamp: "2026-01-01T00:00:00Z",
    } as unknown as Event;
    const workload = { metadata: { annotations } };
    const found = explained({
      pod: pod({ "driftless.dev/reloaded-for": rolled }),
      workload,
      view,
      events: [event],
    });
    const text = explanationText(explanationOf(found), look, nowMs);
    match(
      text,
      /Its template was last rolled because configmap\/app changed \(level\), 60m ago\.\n/,
    );
    match(text, / {4}level: signal, driftless\.dev\/reload: signal:HUP\n/);
    match(text, / {4}port: restart, driftless\.dev\/reload\.port: restart\n/);
    match(
      text,
      / {4}now behind: [^\n]+\n {4}last told by signal:HUP: Failing after 3 tries, 1s ago: no such process\n/,
    );
    match(
      text,
      /not understood\n {2}driftless\.dev\/reload\.level: "sometimes" is not one of auto/,
    );
    match(
      text,
      /deployment\/web {2}ConfigReload: configmap\/app changed \(level\): restarting\^\[\[31m\n/,
    );
  });

  it("does not trust what anybody may write into an annotation", () => {
    for (const rolled of ["", "{", "[]", '{"at":1}', '{"at":"x","changed":{"a":1}}', "null"]) {
      const found = explained({ pod: pod({ "driftless.dev/reloaded-for": rolled }) });
      match(explanationText(explanationOf(found), look, nowMs), /^pod\/web-1-x/);
    }
  });
});

describe("explanationJson", () => {
  it("has the same in fields", () => {
    const { uses, owners, asksForSomething } = explanationJson(explanationOf(explained()));
    equal(asksForSomething, false);
    deepEqual(owners, ["pod/web-1-x", "replicaset/web-1", "deployment/web"]);
    deepEqual((uses as object[])[0], {
      kind: "ConfigMap",
      name: "app",
      how: "env",
      container: "web",
      mountPath: "",
      keys: ["level"],
      variables: ["LEVEL"],
      effects: [
        {
          keys: ["level"],
          effect: "frozen",
          why: "environment variables are fixed when the container starts; no annotation asks for a restart",
        },
      ],
      message: "",
    });
  });
});
