// G7: what containers see of config volumes through subPath follows the volumes, with real containers and without a server.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { cannotRun } from "../runtime/live-runtime.ts";
import { LivePod } from "./live-pod.ts";

describe("G7 a subPath mount", { skip: cannotRun }, () => {
  it("of a file and of a directory shows each version as soon as the volume is set up", async () => {
    await using pod = await LivePod.start({
      mounts: { "/etc/app/a.conf": "a", "/etc/app/deep": "d" },
      first: { a: "one", b: "one" },
      items: [
        { key: "a", path: "a" },
        { key: "b", path: "d/b" },
      ],
    });
    const mounts = pod.mountTable.length;
    for (const text of ["two", "three"]) {
      await pod.swap({ a: text, b: text });
      assert.equal(pod.shows("/etc/app/a.conf"), text);
      assert.equal(pod.shows("/etc/app/deep/b"), text);
    }
    assert.equal(pod.mountTable.length, mounts);
    assert.deepEqual(pod.states, { "/etc/app/a.conf": "live", "/etc/app/deep": "live" });
    assert.deepEqual(pod.events, []);
  });

  it("behind a link of the image is replaced where it is", async () => {
    await using pod = await LivePod.start({
      mounts: { "/var/run/app.conf": "a" },
      first: { a: "one" },
    });
    await pod.swap({ a: "two" });
    assert.equal(pod.shows("/run/app.conf"), "two");
  });

  it("keeps a file whose key goes, says so once, and follows again when it is back", async () => {
    await using pod = await LivePod.start({
      mounts: { "/etc/app/a.conf": "a", "/etc/app/b.conf": "b" },
      first: { a: "one", b: "one" },
    });
    await pod.swap({ b: "two" });
    await pod.swap({ b: "three" });
    await pod.refresh();
    assert.equal(pod.shows("/etc/app/a.conf"), "one");
    assert.equal(pod.shows("/etc/app/b.conf"), "three");
    assert.equal(pod.states["/etc/app/a.conf"], "behind missing");
    assert.deepEqual(
      pod.events.map(({ type, reason, message }) => [type, reason, message]),
      [
        [
          "Warning",
          "SubPathNotReplaced",
          '"/etc/app/a.conf" (volume "config", subPath "a") does not show what the volume shows: the volume does not have it any more. The container keeps what it had; it follows again when the key is back',
        ],
      ],
    );
    await pod.swap({ a: "four", b: "four" });
    assert.equal(pod.shows("/etc/app/a.conf"), "four");
    assert.equal(pod.states["/etc/app/a.conf"], "live");
  });

  it("that had nothing to show at the start stays empty when a file comes, until the container is made anew", async () => {
    await using pod = await LivePod.start({
      mounts: { "/etc/app": "d" },
      first: { "d.x": "one" },
    });
    assert.equal(pod.inside("ls", "/etc/app"), "");
    assert.equal(pod.states["/etc/app"], "absent");
    await pod.swap({ d: "a file" });
    assert.equal(pod.states["/etc/app"], "behind sort");
    assert.equal(pod.inside("ls", "/etc/app"), "");
    await pod.restartContainer();
    assert.equal(pod.shows("/etc/app"), "a file");
  });

  it("is up to date when the volume was swapped between the container's preparation and its start", async () => {
    await using pod = await LivePod.start({ mounts: { "/etc/a": "a" }, first: { a: "one" } });
    pod.beforeStart = () => pod.swap({ a: "two" });
    await pod.restartContainer();
    assert.equal(pod.shows("/etc/a"), "two");
  });

  it('stays as it was for a pod that says live-subpath is "false", which is said once per start', async () => {
    await using pod = await LivePod.start({
      mounts: { "/etc/a": "a", "/etc/b": "b" },
      first: { a: "one", b: "one" },
      annotations: { "driftless.dev/live-subpath": "false" },
    });
    await pod.swap({ a: "two", b: "two" });
    assert.equal(pod.shows("/etc/a"), "one");
    assert.deepEqual(pod.states, { "/etc/a": "frozen annotation", "/etc/b": "frozen annotation" });
    assert.deepEqual(
      pod.events.map(({ type, reason, message }) => [type, reason, message]),
      [
        [
          "Normal",
          "SubPathFrozen",
          '"/etc/a" (volume "config", subPath "a"), "/etc/b" (volume "config", subPath "b") stay as they were when the container started: the pod\'s annotation driftless.dev/live-subpath is "false". Restart the container to see changes, or remove the annotation and make the pod anew',
        ],
      ],
    );
    await pod.restartContainer();
    assert.equal(pod.shows("/etc/a"), "two");
    assert.equal(pod.events.length, 2);
  });

  it("stays as it was on a kernel that cannot replace it, which is said", async () => {
    await using pod = await LivePod.start({
      mounts: { "/etc/a": "a" },
      first: { a: "one" },
      canReplaceMounts: false,
    });
    await pod.swap({ a: "two" });
    assert.equal(pod.shows("/etc/a"), "one");
    assert.match(pod.events[0]?.message ?? "", /stays as it was .* Use Linux 6\.5 or later/);
    assert.match(await pod.metrics.text(), /driftless_subpath_uses\{state="frozen"\} 1/);
  });

  it("is counted, and its time is taken", async () => {
    await using pod = await LivePod.start({ mounts: { "/etc/a": "a" }, first: { a: "one" } });
    await pod.swap({ a: "two" });
    await pod.swap({ b: "gone" });
    const text = await pod.metrics.text();
    assert.match(text, /driftless_subpath_replacements_total\{result="replaced"\} 1/);
    assert.match(text, /driftless_subpath_replacements_total\{result="missing"\} 1/);
    assert.match(text, /driftless_subpath_replacement_seconds_count 1/);
    assert.match(text, /driftless_subpath_uses\{state="behind"\} 1/);
  });
});
