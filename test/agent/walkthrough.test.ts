// The updates of ConfigMaps and Secrets as Kubernetes' users know them, each seen from inside a container that runs.

import assert from "node:assert/strict";
import { readdirSync, readFileSync, readlinkSync, statSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import type { Pod } from "../../src/api/types.ts";
import { Cluster, sleeper } from "./cluster.ts";

const isRoot = process.getuid?.() === 0;

describe("a pod's configuration", { skip: isRoot ? false : "containers need root here" }, () => {
  let cluster: Cluster;
  before(async () => {
    cluster = await Cluster.start();
  });
  after(async () => {
    await cluster?.[Symbol.asyncDispose]();
  });

  const inside = (pod: Pod, ...argv: string[]): string =>
    cluster.node.inContainer(pod, argv).trimEnd();
  const shows = (pod: Pod, file: string, text: string): Promise<void> =>
    cluster.eventually(`${file} with ${JSON.stringify(text)}`, () => {
      assert.equal(inside(pod, "cat", file), text);
    });

  it("in a volume changes by itself, with the layout that every watcher knows", async () => {
    await cluster.makeConfigMap("app", { data: { "a.conf": "one", "b.conf": "two" } });
    const pod = await cluster.runningPod("volume", {
      containers: [sleeper({ volumeMounts: [{ name: "config", mountPath: "/etc/config" }] })],
      volumes: [{ name: "config", configMap: { name: "app" } }],
    });
    assert.equal(inside(pod, "cat", "/etc/config/a.conf"), "one");
    const listing = inside(pod, "ls", "-la", "/etc/config").split("\n");
    assert.match(listing.join("\n"), /^drwxrwxrwx +\d+ root root .* \.$/m);
    assert.match(listing.join("\n"), /^drwxr-xr-x +\d+ root root .* \.\.\d{4}(_\d\d){5}\.\d+$/m);
    assert.match(
      listing.join("\n"),
      /^lrwxrwxrwx +\d+ root root .* \.\.data -> \.\.\d{4}(_\d\d){5}\.\d+$/m,
    );
    assert.match(listing.join("\n"), /^lrwxrwxrwx +.* a\.conf -> \.\.data\/a\.conf$/m);
    const before = inside(pod, "readlink", "/etc/config/..data");

    await cluster.change("configmaps/app", { data: { "a.conf": "three", "c.conf": "new" } });

    await shows(pod, "/etc/config/a.conf", "three");
    await shows(pod, "/etc/config/c.conf", "new");
    assert.notEqual(inside(pod, "readlink", "/etc/config/..data"), before);
    await cluster.change("configmaps/app", { data: { "b.conf": null } });
    await cluster.eventually("b.conf gone", () => {
      assert.deepEqual(inside(pod, "ls", "/etc/config").split("\n"), ["a.conf", "c.conf"]);
    });
  });

  it("in a volume cannot be written to from inside", async () => {
    await cluster.makeConfigMap("fixed", { data: { key: "value" } });
    const pod = await cluster.runningPod("read-only", {
      containers: [sleeper({ volumeMounts: [{ name: "config", mountPath: "/etc/config" }] })],
      volumes: [{ name: "config", configMap: { name: "fixed" } }],
    });
    assert.throws(
      () => inside(pod, "sh", "-c", "echo x > /etc/config/key"),
      /Read-only file system/,
    );
  });

  it("in variables and arguments stays as it was until the container is made anew", async () => {
    await cluster.makeConfigMap("env", { data: { COLOR: "red", SIZE: "small" } });
    const pod = await cluster.runningPod("env", {
      restartPolicy: "Always",
      containers: [
        sleeper({
          command: ["sh", "-c", 'trap "exit 0" TERM; sleep infinity & wait', "$(COLOR)"],
          env: [
            { name: "COLOR", valueFrom: { configMapKeyRef: { name: "env", key: "COLOR" } } },
            { name: "PAINT", value: "$(COLOR) paint" },
          ],
          envFrom: [{ prefix: "ALL_", configMapRef: { name: "env" } }],
        }),
      ],
    });
    const seen = (of: Pod): readonly string[] =>
      readFileSync(`/proc/${cluster.node.containerPid(of)}/environ`, "utf8")
        .split("\0")
        .filter((line) => /^(COLOR|PAINT|ALL_)/.test(line))
        .toSorted();
    const old = ["ALL_COLOR=red", "ALL_SIZE=small", "COLOR=red", "PAINT=red paint"];
    await cluster.eventually("its variables and arguments", () => {
      assert.deepEqual(seen(pod), old);
      assert.match(readFileSync(`/proc/${cluster.node.containerPid(pod)}/cmdline`, "utf8"), /red/);
    });

    const received = (): number =>
      cluster.node.log
        .split("\n")
        .filter((line) => line.includes("received configMap") && line.includes('"name":"env"'))
        .length;
    const before = received();
    await cluster.change("configmaps/env", { data: { COLOR: "blue" } });
    await cluster.eventually("the news at the node", () => assert.ok(received() > before));
    assert.deepEqual(seen(pod), old);

    process.kill(cluster.node.containerPid(pod), "SIGKILL");
    const restarted = await cluster.podWhere("env", "a restart", ({ status }) => {
      const [main] = status?.containerStatuses ?? [];
      return main?.restartCount === 1 && main.state?.running !== undefined;
    });
    await cluster.eventually("its new variables", () =>
      assert.deepEqual(seen(restarted), [
        "ALL_COLOR=blue",
        "ALL_SIZE=small",
        "COLOR=blue",
        "PAINT=blue paint",
      ]),
    );
    assert.equal(restarted.status?.containerStatuses?.[0]?.lastState?.terminated?.exitCode, 137);
  });

  it("G7 through subPath follows too", async () => {
    await cluster.makeConfigMap("live", { data: { "a.conf": "one" } });
    await cluster.makeSecret("live", { stringData: { key: "one" } });
    const pod = await cluster.runningPod("live", {
      containers: [
        sleeper({
          volumeMounts: [
            { name: "config", mountPath: "/etc/app/a.conf", subPath: "a.conf" },
            { name: "secret", mountPath: "/etc/app/key", subPath: "key" },
          ],
        }),
      ],
      volumes: [
        { name: "config", configMap: { name: "live" } },
        { name: "secret", secret: { secretName: "live" } },
      ],
    });
    assert.equal(inside(pod, "cat", "/etc/app/a.conf"), "one");
    const mounts = inside(pod, "cat", "/proc/mounts").split("\n").length;
    for (const text of ["two", "three"]) {
      await cluster.change("configmaps/live", { data: { "a.conf": text } });
      await cluster.change("secrets/live", {
        data: { key: Buffer.from(text).toString("base64") },
      });
      await shows(pod, "/etc/app/a.conf", text);
      await shows(pod, "/etc/app/key", text);
    }
    // What a former life of the agent has missed.
    await cluster.node.kill();
    await cluster.change("configmaps/live", { data: { "a.conf": "four" } });
    await cluster.node.restart();
    await shows(pod, "/etc/app/a.conf", "four");
    await cluster.eventually("as many mounts as before", () =>
      assert.equal(inside(pod, "cat", "/proc/mounts").split("\n").length, mounts),
    );
    const environ = readFileSync(`/proc/${cluster.node.containerPid(pod)}/environ`, "utf8");
    assert.match(environ, /DRIFTLESS_LIVE_SUBPATHS=\["\/etc\/app\/a.conf","\/etc\/app\/key"\]/);
  });

  it('through subPath stays as it was where the pod says that live-subpath is "false"', async () => {
    await cluster.makeConfigMap("sub", { data: { "a.conf": "one" } });
    const pod = await cluster.runningPod("sub-path", {
      annotations: { "driftless.dev/live-subpath": "false" },
      containers: [
        sleeper({
          volumeMounts: [
            { name: "config", mountPath: "/etc/app/a.conf", subPath: "a.conf" },
            { name: "config", mountPath: "/etc/whole" },
          ],
        }),
      ],
      volumes: [{ name: "config", configMap: { name: "sub" } }],
    });
    assert.equal(inside(pod, "cat", "/etc/app/a.conf"), "one");
    await cluster.change("configmaps/sub", { data: { "a.conf": "two" } });
    await shows(pod, "/etc/whole/a.conf", "two");
    assert.equal(inside(pod, "cat", "/etc/app/a.conf"), "one");

    process.kill(cluster.node.containerPid(pod), "SIGKILL");
    const restarted = await cluster.podWhere("sub-path", "a restart", ({ status }) => {
      const [main] = status?.containerStatuses ?? [];
      return main?.restartCount === 1 && main.state?.running !== undefined;
    });
    assert.equal(inside(restarted, "cat", "/etc/app/a.conf"), "two");
  });

  it("shows the items that the volume names, at their paths and with their modes", async () => {
    await cluster.makeConfigMap("items", { data: { a: "A", b: "B", c: "C" } });
    const pod = await cluster.runningPod("items", {
      containers: [sleeper({ volumeMounts: [{ name: "config", mountPath: "/etc/config" }] })],
      volumes: [
        {
          name: "config",
          configMap: {
            name: "items",
            defaultMode: 0o640,
            items: [
              { key: "a", path: "deep/er/a.txt", mode: 0o400 },
              { key: "b", path: "b.txt" },
            ],
          },
        },
      ],
    });
    const found =
      "cd /etc/config/..data/ && find . -type f ! -name ..version -printf '%P %m\\n' | sort";
    assert.equal(inside(pod, "sh", "-c", found), "b.txt 640\ndeep/er/a.txt 400");
    await cluster.change("configmaps/items", { data: { a: "A2" } });
    await shows(pod, "/etc/config/deep/er/a.txt", "A2");
  });

  it("G4 stays when a key that is not optional goes, and the Event says so", async () => {
    await cluster.makeConfigMap("required", { data: { a: "A", b: "B" } });
    const pod = await cluster.runningPod("required", {
      containers: [sleeper({ volumeMounts: [{ name: "config", mountPath: "/etc/config" }] })],
      volumes: [
        { name: "config", configMap: { name: "required", items: [{ key: "a", path: "a" }] } },
      ],
    });
    await cluster.change("configmaps/required", { data: { a: null } });
    const event = await cluster.eventually("an event", async () => {
      const found = (await cluster.events("required")).find(
        ({ reason }) => reason === "FailedMount",
      );
      assert.ok(found);
      return found;
    });
    assert.equal(event.type, "Warning");
    assert.equal(
      event.message,
      'MountVolume.SetUp failed for volume "config" : configmap references non-existent config key: a',
    );
    assert.equal(inside(pod, "cat", "/etc/config/a"), "A");
    await cluster.change("configmaps/required", { data: { a: "back" } });
    await shows(pod, "/etc/config/a", "back");
  });

  it("G4 stays when its ConfigMap is deleted, and follows one that comes back by that name", async () => {
    await cluster.makeConfigMap("lost", { data: { a: "A" } });
    const pod = await cluster.runningPod("lost", {
      containers: [sleeper({ volumeMounts: [{ name: "config", mountPath: "/etc/config" }] })],
      volumes: [{ name: "config", configMap: { name: "lost" } }],
    });
    await cluster.delete("configmaps/lost");
    await cluster.eventually("an event", async () => {
      const events = await cluster.events("lost");
      assert.ok(events.some(({ message }) => message?.includes('configmap "lost" not found')));
    });
    assert.equal(inside(pod, "cat", "/etc/config/a"), "A");
    await cluster.makeConfigMap("lost", { data: { a: "again" } });
    await shows(pod, "/etc/config/a", "again");
  });

  it("that is optional comes and goes with its object and its keys", async () => {
    const pod = await cluster.runningPod("optional", {
      containers: [
        sleeper({
          volumeMounts: [
            { name: "object", mountPath: "/etc/object" },
            { name: "key", mountPath: "/etc/key" },
          ],
          env: [
            {
              name: "MAYBE",
              valueFrom: { configMapKeyRef: { name: "maybe", key: "a", optional: true } },
            },
          ],
        }),
      ],
      volumes: [
        { name: "object", configMap: { name: "maybe", optional: true } },
        {
          name: "key",
          configMap: { name: "maybe", optional: true, items: [{ key: "b", path: "b" }] },
        },
      ],
    });
    assert.equal(inside(pod, "ls", "/etc/object"), "");
    await cluster.makeConfigMap("maybe", { data: { a: "A" } });
    await shows(pod, "/etc/object/a", "A");
    assert.equal(inside(pod, "ls", "/etc/key"), "");
    await cluster.change("configmaps/maybe", { data: { b: "B" } });
    await shows(pod, "/etc/key/b", "B");
    await cluster.delete("configmaps/maybe");
    await cluster.eventually("empty volumes", () => {
      assert.equal(inside(pod, "ls", "/etc/object", "/etc/key"), "/etc/key:\n\n/etc/object:");
    });
  });

  it("of binaryData arrives byte by byte", async () => {
    const bytes = Buffer.from(Array.from({ length: 256 }, (_, i) => i));
    await cluster.makeConfigMap("binary", { binaryData: { all: bytes.toString("base64") } });
    const pod = await cluster.runningPod("binary", {
      containers: [sleeper({ volumeMounts: [{ name: "config", mountPath: "/etc/config" }] })],
      volumes: [{ name: "config", configMap: { name: "binary" } }],
    });
    assert.equal(inside(pod, "stat", "-Lc", "%s", "/etc/config/all"), "256");
    const path = cluster.node.volumePath(pod, "configmap", "config");
    assert.deepEqual(readFileSync(join(path, "all")), bytes);
    await cluster.eventually("the log's line", () => {
      assert.match(cluster.node.log, /received configMap/);
      const line = cluster.node.log
        .split("\n")
        .find((text) => text.includes("received configMap") && text.includes('"name":"binary"'));
      assert.match(line ?? "", /"bytes":256/);
      assert.match(line ?? "", /"namespace":"default"/);
    });
  });

  it("that is immutable is followed when it is deleted and made anew", async () => {
    await cluster.makeConfigMap("immutable", { data: { a: "one" }, immutable: true });
    const volume = {
      containers: [sleeper({ volumeMounts: [{ name: "config", mountPath: "/etc/config" }] })],
      volumes: [{ name: "config", configMap: { name: "immutable" } }],
    };
    const pod = await cluster.runningPod("immutable-1", volume);
    assert.equal(inside(pod, "cat", "/etc/config/a"), "one");
    await cluster.delete("configmaps/immutable");
    await cluster.makeConfigMap("immutable", { data: { a: "two" }, immutable: true });
    // Nothing but its watch tells of it: no pod comes, and the next round is far away.
    await shows(pod, "/etc/config/a", "two");
    const second = await cluster.runningPod("immutable-2", volume);
    assert.equal(inside(second, "cat", "/etc/config/a"), "two");
  });

  it("of a Secret is on tmpfs, and follows it", async () => {
    await cluster.makeSecret("login", { stringData: { password: "hunter2" } });
    const pod = await cluster.runningPod("secret", {
      securityContext: { fsGroup: 4000 },
      containers: [
        sleeper({
          securityContext: { runAsUser: 3000 },
          volumeMounts: [{ name: "login", mountPath: "/etc/login" }],
        }),
      ],
      volumes: [{ name: "login", secret: { secretName: "login", defaultMode: 0o400 } }],
    });
    assert.equal(inside(pod, "stat", "-fc", "%T", "/etc/login"), "tmpfs");
    assert.equal(inside(pod, "stat", "-Lc", "%a %u %g", "/etc/login/password"), "440 0 4000");
    await cluster.change("secrets/login", {
      data: { password: Buffer.from("new").toString("base64") },
    });
    await shows(pod, "/etc/login/password", "new");
  });

  it("of the downward API follows the pod's labels", async () => {
    const pod = await cluster.runningPod("downward", {
      labels: { app: "web" },
      containers: [sleeper({ volumeMounts: [{ name: "info", mountPath: "/etc/info" }] })],
      volumes: [
        {
          name: "info",
          downwardAPI: {
            items: [
              { path: "labels", fieldRef: { fieldPath: "metadata.labels" } },
              { path: "name", fieldRef: { fieldPath: "metadata.name" } },
            ],
          },
        },
      ],
    });
    assert.equal(inside(pod, "cat", "/etc/info/labels"), 'app="web"');
    assert.equal(inside(pod, "cat", "/etc/info/name"), "downward");
    await cluster.change("pods/downward", { metadata: { labels: { tier: "front" } } });
    await shows(pod, "/etc/info/labels", 'app="web"\ntier="front"');
  });

  it("of a projected volume has several objects and a token, in one version", async () => {
    await cluster.makeConfigMap("left", { data: { left: "1" } });
    await cluster.makeSecret("right", { stringData: { right: "1" } });
    const pod = await cluster.runningPod("projected", {
      serviceAccountName: "default",
      containers: [sleeper({ volumeMounts: [{ name: "all", mountPath: "/etc/all" }] })],
      volumes: [
        {
          name: "all",
          projected: {
            sources: [
              { configMap: { name: "left" } },
              { secret: { name: "right" } },
              {
                downwardAPI: { items: [{ path: "uid", fieldRef: { fieldPath: "metadata.uid" } }] },
              },
              { serviceAccountToken: { path: "token", audience: "vault", expirationSeconds: 600 } },
            ],
          },
        },
      ],
    });
    assert.equal(inside(pod, "cat", "/etc/all/uid"), pod.metadata.uid);
    const [, claims = ""] = inside(pod, "cat", "/etc/all/token").split(".");
    const { aud, sub } = JSON.parse(Buffer.from(claims, "base64url").toString()) as {
      aud: unknown;
      sub: string;
    };
    assert.deepEqual([aud, sub], [["vault"], "system:serviceaccount:default:default"]);
    assert.equal(inside(pod, "stat", "-fc", "%T", "/etc/all"), "tmpfs");
    await Promise.all([
      cluster.change("configmaps/left", { data: { left: "2" } }),
      cluster.change("secrets/right", { data: { right: Buffer.from("2").toString("base64") } }),
    ]);
    await shows(pod, "/etc/all/left", "2");
    await shows(pod, "/etc/all/right", "2");
  });

  it("waits for an object that is not there yet, and starts as soon as it is", async () => {
    await cluster.makePod("early", {
      containers: [sleeper({ volumeMounts: [{ name: "config", mountPath: "/etc/config" }] })],
      volumes: [{ name: "config", configMap: { name: "late" } }],
    });
    await cluster.eventually("an event", async () => {
      const events = await cluster.events("early");
      assert.ok(
        events.some(
          ({ message }) =>
            message === 'MountVolume.SetUp failed for volume "config" : configmap "late" not found',
        ),
      );
    });
    assert.equal((await cluster.pod("early")).status?.phase, "Pending");
    await cluster.makeConfigMap("late", { data: { a: "A" } });
    const pod = await cluster.podIn("early", "Running");
    assert.equal(inside(pod, "cat", "/etc/config/a"), "A");
  });

  it("goes with its pod: no mount, no directory, no process", async () => {
    await cluster.makeSecret("short", { stringData: { a: "A" } });
    const pod = await cluster.runningPod("short", {
      containers: [
        sleeper({
          volumeMounts: [
            { name: "secret", mountPath: "/etc/secret" },
            { name: "secret", mountPath: "/etc/one", subPath: "a" },
          ],
        }),
      ],
      volumes: [{ name: "secret", secret: { secretName: "short" } }],
    });
    const pid = cluster.node.containerPid(pod);
    const uid = pod.metadata.uid ?? "";
    await cluster.delete("pods/short");
    await cluster.podGone("short");
    assert.throws(() => statSync(join(cluster.node.dataDir, "pods", uid)), /ENOENT/);
    assert.ok(!readFileSync("/proc/self/mountinfo", "utf8").includes(uid));
    assert.throws(() => readlinkSync(`/proc/${pid}/exe`), /ENOENT/);
    const containers = readdirSync(join(cluster.node.dataDir, "containers"));
    const id = pod.status?.containerStatuses?.[0]?.containerID?.replace("driftless://", "") ?? "";
    assert.ok(!containers.includes(id));
  });
});
