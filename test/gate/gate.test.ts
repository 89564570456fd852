// G8 on a real node: a content that a DeliveryPolicy refuses or holds back is never seen in a container, the last good one stays when the agent is
// killed, new pods get it, and what is fixed is delivered.

import { deepEqual, equal, match, ok } from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { ConfigMap, ConfigView, Pod } from "../../src/api/types.ts";
import { Cluster, type PodParts, sleeper } from "../agent/cluster.ts";

const skip = process.getuid?.() === 0 ? false : "containers need root here";
const policies = "/apis/driftless.dev/v1/namespaces/default/deliverypolicies";
const views = "/apis/driftless.dev/v1/namespaces/default/configviews";
const schema = {
  type: "object",
  required: ["port"],
  properties: { port: { type: "integer" }, password: { type: "integer" } },
};
const policy = (name: string, spec: object): object => ({
  metadata: { name },
  spec: { selector: { matchLabels: { app: name } }, ...spec },
});
const checks = [{ name: "shape", keys: ["*.json"], schema }];

/** Writes down whatever it sees of the file. */
function watching(configMap: string): PodParts {
  const look = "cat /etc/config/app.json >> /seen/all; echo >> /seen/all; sleep 0.02";
  return {
    containers: [
      sleeper({
        command: ["sh", "-c", `trap 'exit 0' TERM; while :; do ${look}; done`],
        env: [
          { name: "APP", valueFrom: { configMapKeyRef: { name: configMap, key: "app.json" } } },
        ],
        volumeMounts: [
          { name: "config", mountPath: "/etc/config" },
          { name: "seen", mountPath: "/seen" },
        ],
      }),
    ],
    volumes: [
      { name: "config", configMap: { name: configMap } },
      { name: "seen", emptyDir: {} },
    ],
  };
}

describe("G8 a delivery policy", { skip }, () => {
  let cluster: Cluster;

  before(async () => {
    cluster = await Cluster.start();
  });

  after(async () => {
    await cluster[Symbol.asyncDispose]();
  });

  const make = (name: string, content: string): Promise<ConfigMap> =>
    cluster.ask("POST", "/api/v1/namespaces/default/configmaps", {
      metadata: { name, labels: { app: name } },
      data: { "app.json": content },
    });
  const change = (name: string, content: string): Promise<unknown> =>
    cluster.change(`configmaps/${name}`, { data: { "app.json": content } });
  const rewrite = (name: string, spec: object): Promise<unknown> =>
    cluster.ask("PATCH", `${policies}/${name}`, { spec }, "application/merge-patch+json");
  const pause = (name: string, paused: boolean): Promise<unknown> =>
    rewrite(name, { rollout: { paused } });
  const shown = (pod: Pod): string =>
    cluster.node.inContainer(pod, ["cat", "/etc/config/app.json"]);
  /** It looks again and again, and may have missed what was there for a short time. */
  const sawOnly = (pod: Pod, contents: readonly string[]): void => {
    const lines = cluster.node.inContainer(pod, ["cat", "/seen/all"]).split("\n");
    const seen = new Set(lines.filter((line) => line !== ""));
    ok(seen.size > 0, "it saw nothing");
    const others = [...seen].filter((one) => !contents.includes(one));
    deepEqual(others, [], `${pod.metadata.name} saw what it should not`);
  };
  const shows = (pod: Pod, content: string): Promise<void> =>
    cluster.eventually(content, () => equal(shown(pod), content));
  const rejected = (podName: string, version: RegExp): Promise<string> =>
    cluster.eventually("the Event GateRejected", async () => {
      const events = await cluster.events(podName);
      const found = events.find(
        ({ reason, message }) => reason === "GateRejected" && version.test(message ?? ""),
      );
      ok(found, JSON.stringify(events.map(({ reason, message }) => `${reason} ${message}`)));
      return found.message ?? "";
    });

  it("keeps what it refuses from every container, also when the agent is killed, and lets through what is fixed", async () => {
    await cluster.ask("POST", policies, policy("app", { checks }));
    await make("app", '{"port":1}');
    const first = await cluster.runningPod("first", watching("app"));
    await shows(first, '{"port":1}');
    await change("app", '{"port":2}');
    await shows(first, '{"port":2}');

    await change("app", '{"port":"hunter2"}');
    const message = await rejected("first", /configmap\/app/);
    match(message, /DeliveryPolicy app, check shape, key app\.json: at \/port: type/);
    equal(shown(first), '{"port":2}');
    await cluster.eventually("the drift in the view", async () => {
      const { uses } = await cluster.ask<ConfigView>("GET", `${views}/first`);
      const reasons = (uses ?? []).map(({ how, drift }) => `${how} ${drift?.reason}`);
      ok(reasons.includes("volume GateRejected"), reasons.join());
    });

    await cluster.node.kill();
    await cluster.node.restart();
    const second = await cluster.runningPod("second", watching("app"));
    await shows(second, '{"port":2}');
    equal(
      cluster.node.inContainer(second, [
        "sh",
        "-c",
        "cat /proc/1/environ | tr '\\0' '\\n' | grep ^APP=",
      ]),
      'APP={"port":2}\n',
    );
    await rejected("second", /configmap\/app/);
    equal(shown(first), '{"port":2}');

    await change("app", '{"port":3}');
    await shows(first, '{"port":3}');
    await shows(second, '{"port":3}');
    sawOnly(first, ['{"port":1}', '{"port":2}', '{"port":3}']);
    sawOnly(second, ['{"port":2}', '{"port":3}']);
    const events = await cluster.events("first");
    ok(!JSON.stringify([events, cluster.node.log]).includes("hunter2"), "a value was told");
  });

  it("makes a pod wait for which there is nothing good, and says why; it starts when the policy is fixed", async () => {
    await cluster.ask("POST", policies, policy("never", { checks }));
    await make("never", "{}");
    await cluster.makePod("never", watching("never"));
    await cluster.eventually("FailedMount that names the check", async () => {
      const events = await cluster.events("never");
      const texts = events.map(({ reason, message }) => `${reason}: ${message}`);
      ok(
        texts.some((text) =>
          /FailedMount: .*DeliveryPolicy never, check shape, key app\.json: at \/: required \(port\)/.test(
            text,
          ),
        ),
        texts.join("\n"),
      );
    });
    await rewrite("never", { checks: [{ name: "shape", format: "JSON" }] });
    const pod = await cluster.podIn("never", "Running");
    await shows(pod, "{}");
  });

  it("that is paused holds what is new, for pods that are there and pods that come, until it is not", async () => {
    await cluster.ask("POST", policies, policy("held", {}));
    await make("held", "one");
    const first = await cluster.runningPod("held-1", watching("held"));
    await shows(first, "one");
    await pause("held", true);
    // It comes by another watch, perhaps before the pause.
    await change("held", "two");
    await cluster.eventually("the view to say so", async () => {
      const { uses } = await cluster.ask<ConfigView>("GET", `${views}/held-1`);
      ok(
        (uses ?? []).some(({ drift }) => drift?.reason === "RolloutHeld"),
        JSON.stringify(uses),
      );
    });
    await cluster.node.kill();
    await cluster.node.restart();
    const second = await cluster.runningPod("held-2", watching("held"));
    await shows(second, "one");
    equal(shown(first), "one");
    await pause("held", false);
    await shows(first, "two");
    await shows(second, "two");
    sawOnly(first, ["one", "two"]);
    sawOnly(second, ["one", "two"]);
  });

  it("says with every write what of it has no effect yet", async () => {
    const { headers } = await cluster.server.fetch(
      "POST",
      policies,
      policy("warns", { rollout: { steps: [{ pods: 1 }] }, confirm: { timeoutSeconds: 60 } }),
    );
    match(JSON.stringify(headers), /spec\.rollout\.steps: not carried out yet/);
    match(JSON.stringify(headers), /spec\.confirm: not carried out yet/);
  });
});
