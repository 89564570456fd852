import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import { describe, it } from "node:test";
import type { Container, Volume } from "../../../api/types.ts";
import { FakeClock } from "../../../base/testing/fake-clock.ts";
import { FakeMounts } from "../../../mounts/testing/fake-mounts.ts";
import { ConfigPlugin } from "./config-plugin.ts";
import { configMapRecipe, secretRecipe } from "./object-recipe.ts";
import { downwardApiRecipe, projectedRecipe } from "./pod-recipe.ts";
import { modeOf, type PluginBench, pluginBench, podWith, shown } from "./testing/plugin-bench.ts";

const noRoot = process.geteuid?.() === 0 ? false : "only root can give files away";

const configMap = (more: Partial<Volume["configMap"]> = {}): Volume => ({
  name: "conf",
  configMap: { name: "app", defaultMode: 0o644, ...more },
});
const secret = (more: Partial<Volume["secret"]> = {}): Volume => ({
  name: "keys",
  secret: { secretName: "app", defaultMode: 0o644, ...more },
});
const projected = (
  sources: NonNullable<NonNullable<Volume["projected"]>["sources"]>,
  more: Partial<Volume["projected"]> = {},
): Volume => ({ name: "all", projected: { sources, defaultMode: 0o644, ...more } });

/** The same behaviour of all three that are made of objects. */
const kinds: readonly {
  readonly ids: {
    readonly plugin: string;
    reboot: string;
    optional: string;
    keys: string;
    invalid: string;
  };
  readonly name: string;
  readonly directory: string;
  readonly put: (bench: PluginBench, data: Record<string, string>) => void;
  readonly key: string;
  readonly volume: (more?: {
    items?: { key: string; path: string }[];
    optional?: boolean;
  }) => Volume;
  readonly missingKey: RegExp;
  readonly notFound: RegExp;
}[] = [
  {
    ids: { plugin: "B19", reboot: "B20", optional: "B21", keys: "B22", invalid: "B23" },
    name: "configMap",
    directory: "kubernetes.io~configmap/conf",
    put: ({ objects }, data) => objects.configMap("app", data),
    key: "ConfigMap/shop/app",
    volume: configMap,
    missingKey: /^Error: configmap references non-existent config key: zab$/,
    notFound: /^StatusError: configmap "app" not found$/,
  },
  {
    ids: { plugin: "C18", reboot: "C20", optional: "C21", keys: "C22", invalid: "C19" },
    name: "secret",
    directory: "kubernetes.io~secret/keys",
    put: ({ objects }, data) => objects.secret("app", data),
    key: "Secret/shop/app",
    volume: secret,
    missingKey: /^Error: references non-existent secret key: zab$/,
    notFound: /^StatusError: secret "app" not found$/,
  },
  {
    ids: { plugin: "E73", reboot: "E75", optional: "E76", keys: "E77", invalid: "E74" },
    name: "projected",
    directory: "kubernetes.io~projected/all",
    put: ({ objects }, data) => objects.secret("app", data),
    key: "Secret/shop/app",
    volume: (more = {}) => projected([{ secret: { name: "app", ...more } }]),
    missingKey: /^Error: sources\[0\] \(secret "app"\): references non-existent secret key: zab$/,
    notFound: /^Error: sources\[0\] \(secret "app"\): secret "app" not found$/,
  },
];

for (const { ids, name, directory, put, key, volume, missingKey, notFound } of kinds) {
  describe(`a ${name} volume`, () => {
    it(`${ids.plugin}: is made where the kubelet has it, with its marker, and removed without a trace`, async () => {
      using bench = pluginBench();
      put(bench, { a: "1", b: "2", c: "3" });
      const content = await bench.setUp(volume());
      equal(content.path, `${bench.root}/pods/pod-1/volumes/${directory}`);
      equal(content.isReadOnly, true);
      equal(content.hasChanged, true);
      deepEqual(shown(content.path), { a: "1", b: "2", c: "3" });
      const wrapped = `wrapped_${directory.split("/")[1]}`;
      const marker = `${bench.root}/pods/pod-1/plugins/kubernetes.io~empty-dir/${wrapped}/ready`;
      equal(statSync(marker).size, 0);
      equal(modeOf(dirname(marker)), "750");
      await bench.tearDown(volume());
      equal(existsSync(content.path), false);
      equal(existsSync(dirname(marker)), false);
      await bench.tearDown(volume());
    });

    it(`${ids.reboot}: is written if a marker is all that is left of it`, async () => {
      using bench = pluginBench();
      put(bench, { a: "1" });
      const { path } = await bench.setUp(volume());
      rmSync(path, { recursive: true });
      const { mounts } = bench.parts;
      for (const mount of mounts.below(path)) mounts.unmount(mount.path);
      bench.restart();
      await bench.setUp(volume());
      deepEqual(shown(path), { a: "1" });
    });

    it(`${ids.optional}: is empty if an optional object is not there`, async () => {
      using bench = pluginBench();
      const { path, versions } = await bench.setUp(volume({ optional: true }));
      const names = readdirSync(path).toSorted();
      deepEqual(names, [readlinkSync(`${path}/..data`), "..data"].toSorted());
      deepEqual(readdirSync(`${path}/..data`), ["..version"]);
      deepEqual(versions, []);
    });

    it(`${ids.keys}: shows the keys that are there if they are optional`, async () => {
      using bench = pluginBench();
      put(bench, { a: "1" });
      const items = [
        { key: "a", path: "dir/a" },
        { key: "zab", path: "dir/zab" },
      ];
      const { path } = await bench.setUp(volume({ items, optional: true }));
      deepEqual(shown(path), { "dir/a": "1" });
    });

    it(`${ids.invalid}: is not there at all if it could not be made`, async () => {
      using bench = pluginBench();
      put(bench, { a: "1" });
      await rejects(bench.setUp(volume({ items: [{ key: "zab", path: "zab" }] })), (err) => {
        match(String(err), missingKey);
        return true;
      });
      equal(existsSync(`${bench.root}/pods/pod-1/volumes/${directory}`), false);
    });

    it("Z17: keeps content when a refresh fails after somebody removed its marker", async () => {
      using bench = pluginBench();
      put(bench, { a: "1" });
      const { path } = await bench.setUp(volume());
      rmSync(`${bench.root}/pods/pod-1/plugins`, { recursive: true });
      bench.restart();
      mkdirSync(`${path}/b`);
      put(bench, { a: "2", b: "2" });
      await rejects(bench.setUp(volume()), /a directory is in the way/);
      deepEqual(shown(path), { a: "1" });
    });

    it("is not there at all if the write failed", async () => {
      using bench = pluginBench();
      put(bench, { a: "1" });
      const path = `${bench.root}/pods/pod-1/volumes/${directory}`;
      mkdirSync(`${path}/..data`, { recursive: true });
      await rejects(bench.setUp(volume()), /a directory is in the way/);
      equal(existsSync(path), false);
    });

    it("Z17: keeps content and inode when a refresh fails", async () => {
      using bench = pluginBench();
      put(bench, { a: "1" });
      const { path } = await bench.setUp(volume());
      const { ino } = lstatSync(path);
      mkdirSync(`${path}/b`); // In the way of the next key.
      put(bench, { a: "2", b: "2" });
      await rejects(bench.setUp(volume()), /a directory is in the way/);
      rmSync(`${path}/b`, { recursive: true });
      deepEqual(shown(path), { a: "1" });
      equal(lstatSync(path).ino, ino);
      const again = await bench.setUp(volume());
      equal(again.hasChanged, true);
      deepEqual(shown(path), { a: "2", b: "2" });
      equal(lstatSync(path).ino, ino);
    });

    it("Z17: keeps what a former life of the agent left when its first refresh fails", async () => {
      using bench = pluginBench();
      put(bench, { a: "1" });
      const { path } = await bench.setUp(volume());
      bench.restart();
      bench.objects.failures.set(key, new Error("no connection"));
      await rejects(bench.setUp(volume()), /no connection/);
      deepEqual(shown(path), { a: "1" });
      bench.objects.failures.clear();
      mkdirSync(`${path}/b`);
      put(bench, { a: "2", b: "2" });
      await rejects(bench.setUp(volume()), /a directory is in the way/);
      deepEqual(shown(path), { a: "1" });
    });

    it("Z18: is emptied when an optional object is deleted", async () => {
      using bench = pluginBench();
      put(bench, { a: "1" });
      const { path } = await bench.setUp(volume({ optional: true }));
      bench.objects.remove(key);
      const { hasChanged } = await bench.setUp(volume({ optional: true }));
      equal(hasChanged, true);
      deepEqual(shown(path), {});
    });

    it("Z18: keeps its files when a required object is deleted", async () => {
      using bench = pluginBench();
      put(bench, { a: "1" });
      const { path } = await bench.setUp(volume());
      bench.objects.remove(key);
      await rejects(bench.setUp(volume()), (err) => {
        match(String(err), notFound);
        return true;
      });
      deepEqual(shown(path), { a: "1" });
    });

    it("Z19: keeps all its files when a required key is removed", async () => {
      using bench = pluginBench();
      put(bench, { a: "1", zab: "1" });
      const items = [
        { key: "a", path: "a" },
        { key: "zab", path: "zab" },
      ];
      const { path } = await bench.setUp(volume({ items }));
      put(bench, { a: "2" });
      await rejects(bench.setUp(volume({ items })), (err) => {
        match(String(err), missingKey);
        return true;
      });
      deepEqual(shown(path), { a: "1", zab: "1" });
    });

    it("G9, G10: leaves the group alone unless the pod has one", { skip: noRoot }, async () => {
      using bench = pluginBench();
      put(bench, { a: "1" });
      const before = await bench.setUp(volume());
      equal(statSync(`${before.path}/a`).gid, process.getegid?.());
      const pod = podWith({ securityContext: { fsGroup: 3000 } }, { uid: "pod-2" });
      const { path } = await bench.setUp(volume(), pod);
      const { uid, gid } = statSync(`${path}/a`);
      deepEqual([uid, gid], [process.geteuid?.(), 3000]);
      equal(statSync(path).mode & 0o2050, 0o2050);
      equal(modeOf(`${path}/..data/a`), "644");
    });

    it("G11: gives the links themselves to the group", { skip: noRoot }, async () => {
      using bench = pluginBench();
      put(bench, { a: "1" });
      const { path } = await bench.setUp(volume(), podWith({ securityContext: { fsGroup: 3000 } }));
      equal(lstatSync(`${path}/a`).gid, 3000);
      equal(lstatSync(`${path}/..data`).gid, 3000);
    });

    for (const policy of [undefined, "Always", "OnRootMismatch"]) {
      it(`G1 to G8: mends group and mode of a directory in it, whatever the policy says (${policy})`, {
        skip: noRoot,
      }, async () => {
        using bench = pluginBench();
        put(bench, { a: "1" });
        const securityContext = { fsGroup: 3000, fsGroupChangePolicy: policy };
        const items = [{ key: "a", path: "dir/a" }];
        const { path } = await bench.setUp(volume({ items }), podWith({ securityContext }));
        const inside = `${path}/..data/dir`;
        rmSync(`${inside}/a`);
        writeFileSync(`${inside}/a`, "1");
        await bench.setUp(volume({ items }), podWith({ securityContext }));
        equal(modeOf(`${path}/..data/dir/a`), "644");
        equal(statSync(`${path}/..data/dir/a`).gid, 3000);
        equal(modeOf(`${path}/..data/dir`), "2755");
      });
    }
  });
}

describe("ConfigPlugin", () => {
  it("B18: supports its own source and no other", () => {
    using bench = pluginBench();
    const volumes: readonly Volume[] = [
      configMap(),
      secret(),
      { name: "d", downwardAPI: {} },
      projected([]),
      { name: "e", emptyDir: {} },
    ];
    const recipes = [configMapRecipe, secretRecipe, downwardApiRecipe, projectedRecipe];
    const supported = recipes.map((recipe) =>
      volumes.map((volume) => new ConfigPlugin(recipe, bench.parts).supports(volume)),
    );
    deepEqual(supported, [
      [true, false, false, false, false],
      [false, true, false, false, false],
      [false, false, true, false, false],
      [false, false, false, true, false],
    ]);
  });

  it("names the objects that a volume is made of", () => {
    using bench = pluginBench();
    const plugin = new ConfigPlugin(projectedRecipe, bench.parts);
    const volume = projected([
      { configMap: { name: "a" } },
      { downwardAPI: {} },
      { secret: { name: "b" } },
    ]);
    deepEqual(plugin.references(volume, podWith()), [
      { kind: "ConfigMap", namespace: "shop", name: "a" },
      { kind: "Secret", namespace: "shop", name: "b" },
    ]);
  });

  it("has shown what is known before the call returns", async () => {
    using bench = pluginBench();
    bench.objects.configMap("app", { a: "1" });
    const { path } = await bench.setUp(configMap());
    bench.objects.configMap("app", { a: "2" });
    const setUp = bench.setUp(configMap());
    deepEqual(shown(path), { a: "2" });
    const { versions, hasChanged } = await setUp;
    equal(hasChanged, true);
    deepEqual(
      versions.map(({ kind, name, resourceVersion }) => [kind, name, resourceVersion]),
      [["ConfigMap", "app", "2"]],
    );
    deepEqual(bench.objects.asked, ["ConfigMap/shop/app"]);
  });

  it("asks for what is not known", async () => {
    using bench = pluginBench();
    bench.objects.configMap("app", { a: "1" });
    const { path } = await bench.setUp(configMap());
    bench.objects.unknown.add("ConfigMap/shop/app");
    bench.objects.configMap("app", { a: "2" });
    await bench.setUp(configMap());
    deepEqual(shown(path), { a: "2" });
  });

  it("asks for a volume's first content even if it is known: it may be older than the pod", async () => {
    using bench = pluginBench();
    bench.objects.configMap("app", { a: "1" });
    await bench.setUp(configMap());
    await bench.setUp(configMap(), podWith({}, { uid: "pod-2" }));
    equal(bench.objects.asked.length, 2);
  });

  it("takes objects as they are after it has waited for another one", async () => {
    using bench = pluginBench();
    const volume = projected([{ configMap: { name: "a" } }, { configMap: { name: "b" } }]);
    bench.objects.configMap("a", { a: "1" });
    bench.objects.configMap("b", { b: "1" });
    const { path } = await bench.setUp(volume);
    const { promise, resolve } = Promise.withResolvers<void>();
    bench.objects.unknown.add("ConfigMap/shop/b");
    bench.objects.delay = promise;
    const setUp = bench.setUp(volume);
    bench.objects.configMap("a", { a: "2" });
    bench.objects.configMap("b", { b: "2" });
    resolve();
    await setUp;
    deepEqual(shown(path), { a: "2", b: "2" });
  });

  it("takes objects as they are after it has waited for another one, also the first time", async () => {
    using bench = pluginBench();
    const volume = projected([{ configMap: { name: "a" } }, { configMap: { name: "b" } }]);
    bench.objects.configMap("a", { a: "1" });
    bench.objects.configMap("b", { b: "1" });
    const { promise, resolve } = Promise.withResolvers<void>();
    bench.objects.unknown.add("ConfigMap/shop/b"); // It is read when the answer is there, `a` before.
    bench.objects.delay = promise;
    const setUp = bench.setUp(volume);
    bench.objects.configMap("a", { a: "2" });
    bench.objects.configMap("b", { b: "2" });
    resolve();
    const { path } = await setUp;
    deepEqual(shown(path), { a: "2", b: "2" });
  });

  it("does not take what is known for a first content that could not be asked for", async () => {
    using bench = pluginBench();
    bench.objects.configMap("app", { key: "old, perhaps" });
    bench.objects.failures.set("ConfigMap/shop/app", new Error("the server is away"));
    await rejects(bench.setUp(configMap()), /the server is away/);
  });

  it("stops without a change if nobody waits any more", async () => {
    using bench = pluginBench();
    const { promise, resolve } = Promise.withResolvers<void>();
    bench.objects.configMap("app", { a: "1" });
    bench.objects.delay = promise;
    const controller = new AbortController();
    const plugin = new ConfigPlugin(configMapRecipe, bench.parts);
    const pod = podWith();
    const place = { podUid: "pod-1", plugin: plugin.name, volume: "conf" };
    const setUp = plugin.setUp({ ...place, pod, spec: configMap() }, controller.signal);
    controller.abort(new Error("the agent ends"));
    resolve();
    await rejects(setUp, new Error("the agent ends"));
    equal(existsSync(bench.parts.paths.volume(place)), false);
  });

  it("changes nothing when nothing changed, also after a restart of the agent", async () => {
    using bench = pluginBench();
    bench.objects.configMap("app", { a: "1" });
    const first = await bench.setUp(configMap());
    const target = readlinkSync(`${first.path}/..data`);
    bench.restart();
    const { hasChanged, version } = await bench.setUp(configMap());
    equal(hasChanged, false);
    equal(version, first.version);
    equal(readlinkSync(`${first.path}/..data`), target);
  });

  it("keeps a replaced version for a second, and says when to come back for it", async () => {
    const clock = new FakeClock();
    using bench = pluginBench({ parts: { clock } });
    bench.objects.configMap("app", { a: "1" });
    const first = await bench.setUp(configMap());
    equal(first.refreshAfterMs, undefined);
    const old = readlinkSync(`${first.path}/..data`);
    bench.objects.configMap("app", { a: "2" });
    const { refreshAfterMs } = await bench.setUp(configMap());
    equal(refreshAfterMs, 1000);
    equal(existsSync(`${first.path}/${old}`), true);
    await clock.step(1000);
    const swept = await bench.setUp(configMap());
    equal(swept.refreshAfterMs, undefined);
    equal(swept.hasChanged, false);
    equal(existsSync(`${first.path}/${old}`), false);
  });

  it("makes a volume anew whose directory somebody removed", async () => {
    using bench = pluginBench();
    bench.objects.configMap("app", { a: "1" });
    const { path } = await bench.setUp(configMap());
    rmSync(path, { recursive: true });
    const { hasChanged } = await bench.setUp(configMap());
    equal(hasChanged, true);
    deepEqual(shown(path), { a: "1" });
  });

  it("keeps ConfigMaps on disk and everything else in memory", async () => {
    const mounts = new FakeMounts();
    using bench = pluginBench({ mounts });
    bench.objects.configMap("app", {});
    bench.objects.secret("app", {});
    const pod = podWith({ containers: [limited("1Gi")] });
    await bench.setUp(configMap(), pod);
    deepEqual(mounts.calls, []);
    const volumes = [
      secret(),
      projected([]),
      { name: "d", downwardAPI: { items: [], defaultMode: 0o644 } },
    ];
    for (const volume of volumes) {
      const { path } = await bench.setUp(volume, pod);
      deepEqual(mounts.at(path)?.tmpfs, { sizeBytes: 2 ** 30, mode: 0o1777 });
      equal(modeOf(`${bench.root}/pods/pod-1/volumes`), "750");
    }
  });

  it("makes the directories that other volumes are mounted on", async () => {
    using bench = pluginBench();
    bench.objects.configMap("app", { a: "1" });
    const volumeMounts = [
      { name: "conf", mountPath: "/etc/app" },
      { name: "other", mountPath: "/etc/app/plugins/deep" },
    ];
    const containers = [{ name: "c", volumeMounts } as Container];
    const { path } = await bench.setUp(configMap(), podWith({ containers }));
    ok(statSync(`${path}/plugins/deep`).isDirectory());
    bench.objects.configMap("app", { a: "2" });
    await bench.setUp(configMap(), podWith({ containers }));
    ok(statSync(`${path}/plugins/deep`).isDirectory());
    deepEqual(shown(path), { a: "2" });
  });

  it("refreshes a volume although a new mount point is in the way of a key, and says so", async () => {
    using bench = pluginBench();
    bench.objects.configMap("app", { a: "1" });
    const { path } = await bench.setUp(configMap());
    const volumeMounts = [
      { name: "conf", mountPath: "/etc/app" },
      { name: "other", mountPath: "/etc/app/a" },
    ];
    const containers = [{ name: "c", volumeMounts } as Container];
    bench.objects.configMap("app", { a: "2" });
    await rejects(
      bench.setUp(configMap(), podWith({ containers })),
      /unable to create nested volume mountpoints: "a" is in the way of a key/,
    );
    deepEqual(shown(path), { a: "2" });
  });

  it("removes no volume in which something else is mounted", async () => {
    const mounts = new FakeMounts();
    using bench = pluginBench({ mounts });
    bench.objects.secret("app", { a: "1" });
    const { path } = await bench.setUp(secret());
    mounts.bind("/etc", `${path}/foreign`, { isReadOnly: true });
    await rejects(
      bench.tearDown(secret()),
      /"[^"]*\/foreign" is a mount point that the agent did not make/,
    );
    deepEqual(shown(path), { a: "1" });
    mounts.unmount(`${path}/foreign`);
    await bench.tearDown(secret());
    equal(mounts.at(path), undefined);
  });

  it("follows no link when it removes a volume", async () => {
    using bench = pluginBench();
    bench.objects.configMap("app", { a: "1" });
    const { path } = await bench.setUp(configMap());
    mkdirSync(`${bench.root}/precious`);
    writeFileSync(`${bench.root}/precious/file`, "");
    symlinkSync(`${bench.root}/precious`, `${path}/link`);
    await bench.tearDown(configMap());
    ok(existsSync(`${bench.root}/precious/file`));
  });

  it("G9: says nothing of what a Secret holds in its errors and logs", async () => {
    using bench = pluginBench();
    bench.objects.secret("app", { a: "top-secret" });
    const { path } = await bench.setUp(secret());
    mkdirSync(`${path}/b`);
    bench.objects.secret("app", { a: "top-secret", b: "top-secret" });
    await rejects(bench.setUp(secret()), (err: Error) => {
      ok(!JSON.stringify([err.message, err.stack, String(err.cause)]).includes("top-secret"));
      return true;
    });
    ok(!JSON.stringify(bench.logger.records).includes("top-secret"));
  });

  it("makes no payload for a volume that is made of the same things as before", async () => {
    using bench = pluginBench();
    let made = 0;
    const counting = {
      ...configMapRecipe,
      payload: (...of: Parameters<typeof configMapRecipe.payload>) => {
        made++;
        return configMapRecipe.payload(...of);
      },
    };
    const plugin = new ConfigPlugin(counting, bench.parts);
    const pod = podWith();
    const spec = configMap({ optional: true });
    const volume = { podUid: "pod-1", plugin: plugin.name, volume: "conf", pod, spec };
    const { signal } = new AbortController();
    const madeAfter = async (): Promise<number> => {
      await plugin.setUp(volume, signal);
      await plugin.setUp(volume, signal);
      return made;
    };
    equal(await madeAfter(), 1);
    bench.objects.configMap("app", { a: "1" });
    equal(await madeAfter(), 2);
    bench.objects.configMap("app", { a: "2" });
    equal(await madeAfter(), 3);
    bench.objects.remove("ConfigMap/shop/app");
    equal(await madeAfter(), 4);
  });
});

function limited(memory: string): Container {
  return { name: "c", resources: { limits: { memory } } } as unknown as Container;
}
