// Every annotation of Stakater's Reloader, and every way in which it is known to fail. docs/reloader.md is the table of these.

import { deepEqual, equal, match, ok } from "node:assert/strict";
import { describe, it } from "node:test";
import { forbidden, internalError } from "../../api/status-error.ts";
import { DEPLOYMENT } from "../deployment/deployment-objects.ts";
import { PAUSED_AT } from "./pause-period.ts";
import {
  type Annotations,
  CONFIG_MAP,
  container,
  envSpec,
  ReloadWorld,
  SECRET,
} from "./testing/reload-world.ts";

const volumes = container(
  { volumeMounts: [{ name: "v", mountPath: "/etc/app" }] },
  { volumes: [{ name: "v", configMap: { name: "app" } }] },
);
const secretEnv = container({ envFrom: [{ secretRef: { name: "app" } }] });
const nothing = container({});

interface Case {
  readonly what: string;
  readonly annotations?: Annotations;
  readonly podAnnotations?: Annotations;
  readonly ofObject?: Annotations;
  readonly podSpec?: object;
  readonly restarts: number;
}

const cases: readonly Case[] = [
  { what: "auto", annotations: { "reloader.stakater.com/auto": "true" }, restarts: 1 },
  {
    what: "auto restarts for volumes too",
    annotations: { "reloader.stakater.com/auto": "true" },
    podSpec: volumes,
    restarts: 1,
  },
  {
    what: "auto restarts for Secrets too",
    annotations: { "reloader.stakater.com/auto": "true" },
    podSpec: secretEnv,
    restarts: 1,
  },
  { what: "auto: false", annotations: { "reloader.stakater.com/auto": "false" }, restarts: 0 },
  {
    what: "auto of what is not used",
    annotations: { "reloader.stakater.com/auto": "true" },
    podSpec: nothing,
    restarts: 0,
  },
  {
    what: "auto on the pod template",
    podAnnotations: { "reloader.stakater.com/auto": "true" },
    restarts: 1,
  },
  {
    what: "the workload's auto: false counts for more than the template's",
    annotations: { "reloader.stakater.com/auto": "false" },
    podAnnotations: { "reloader.stakater.com/auto": "true" },
    restarts: 0,
  },
  {
    what: "configmap auto",
    annotations: { "configmap.reloader.stakater.com/auto": "true" },
    restarts: 1,
  },
  {
    what: "configmap auto leaves Secrets alone",
    annotations: { "configmap.reloader.stakater.com/auto": "true" },
    podSpec: secretEnv,
    restarts: 0,
  },
  {
    what: "secret auto",
    annotations: { "secret.reloader.stakater.com/auto": "true" },
    podSpec: secretEnv,
    restarts: 1,
  },
  {
    what: "secret auto leaves ConfigMaps alone",
    annotations: { "secret.reloader.stakater.com/auto": "true" },
    restarts: 0,
  },
  {
    what: "a list",
    annotations: { "configmap.reloader.stakater.com/reload": "x, app" },
    restarts: 1,
  },
  {
    what: "a list names what nothing refers to",
    annotations: { "configmap.reloader.stakater.com/reload": "app" },
    podSpec: nothing,
    restarts: 1,
  },
  {
    what: "a list of others",
    annotations: { "configmap.reloader.stakater.com/reload": "ap,app2" },
    restarts: 0,
  },
  {
    what: "a list with a pattern",
    annotations: { "configmap.reloader.stakater.com/reload": "x-.*,a[p]+" },
    restarts: 1,
  },
  {
    what: "a list of Secrets",
    annotations: { "secret.reloader.stakater.com/reload": "app" },
    podSpec: secretEnv,
    restarts: 1,
  },
  {
    what: "search and match",
    annotations: { "reloader.stakater.com/search": "true" },
    ofObject: { "reloader.stakater.com/match": "true" },
    restarts: 1,
  },
  {
    what: "search without match",
    annotations: { "reloader.stakater.com/search": "true" },
    restarts: 0,
  },
  {
    what: "match without search",
    ofObject: { "reloader.stakater.com/match": "true" },
    restarts: 0,
  },
  {
    what: "ignore on the object",
    annotations: { "reloader.stakater.com/auto": "true" },
    ofObject: { "reloader.stakater.com/ignore": "true" },
    restarts: 0,
  },
  {
    what: "exclude of ConfigMaps",
    annotations: {
      "reloader.stakater.com/auto": "true",
      "configmaps.exclude.reloader.stakater.com/reload": "x,app",
    },
    restarts: 0,
  },
  {
    what: "exclude of Secrets",
    annotations: {
      "reloader.stakater.com/auto": "true",
      "secrets.exclude.reloader.stakater.com/reload": "app",
    },
    podSpec: secretEnv,
    restarts: 0,
  },
  {
    what: "exclude of Secrets is none of ConfigMaps",
    annotations: {
      "reloader.stakater.com/auto": "true",
      "secrets.exclude.reloader.stakater.com/reload": "app",
    },
    restarts: 1,
  },
];

describe("Reloader's annotations", () => {
  for (const {
    what,
    annotations = {},
    podAnnotations = {},
    ofObject = {},
    podSpec,
    restarts,
  } of cases) {
    it(`${what}: ${restarts === 0 ? "no restart" : "restarts"}`, async () => {
      await using world = new ReloadWorld();
      world.configMap({ level: "info" }, "app", ofObject);
      const secret = { metadata: { name: "app", annotations: ofObject }, data: { level: "YQ==" } };
      world.sim.create(SECRET, secret);
      world.workload({ annotations, podAnnotations, podSpec: podSpec ?? envSpec() });
      await world.start();
      world.change({ level: "debug" });
      world.sim.patch(SECRET, "default/app", { data: { level: "Yg==" } });
      await world.sim.pass(5000);
      equal(world.restarts(), restarts);
    });
  }

  for (const name of [
    "reloader.stakater.com/rollout-strategy",
    "secretproviderclass.reloader.stakater.com/auto",
    "secretproviderclass.reloader.stakater.com/reload",
    "secretproviderclasses.exclude.reloader.stakater.com/reload",
  ]) {
    it(`${name} is not supported, and an event says so`, async () => {
      await using world = new ReloadWorld();
      world.workload({ annotations: { [name]: "restart" } });
      await world.start();
      match(world.messages("InvalidReloadAnnotation").join(), /is not supported: /);
    });
  }

  it("pause-period: changes within it go out together when it is over, also after a restart of the controller", async () => {
    await using world = new ReloadWorld();
    world.configMap({ level: "info" });
    const pause = { "deployment.reloader.stakater.com/pause-period": "5m" };
    world.workload({ annotations: { "reloader.stakater.com/auto": "true", ...pause } });
    await world.start();
    world.change({ level: "debug" });
    await world.sim.pass(2000);
    equal(world.get().spec.paused, true);
    ok(world.get().metadata.annotations?.[PAUSED_AT]);
    world.sim.patchStatus(DEPLOYMENT, "default/web", { status: { observedGeneration: 99 } });
    world.change({ level: "trace" });
    await world.sim.pass(20_000);
    equal(world.restarts(), 2); // Of the template; no pod is made while it is paused.
    equal(world.get().spec.paused, true);
    await world.sim.stop();
    await world.sim.pass(200_000);
    await world.start();
    equal(world.get().spec.paused, true);
    await world.sim.pass(80_000);
    equal(world.get().spec.paused ?? false, false);
    equal(world.get().metadata.annotations?.[PAUSED_AT], undefined);
  });

  it("pause-period: a pause that somebody else made is theirs to end", async () => {
    await using world = new ReloadWorld();
    world.configMap({ level: "info" });
    const pause = { "deployment.reloader.stakater.com/pause-period": "5m" };
    world.workload({ annotations: { "reloader.stakater.com/auto": "true", ...pause } });
    world.sim.patch(DEPLOYMENT, "default/web", { spec: { paused: true } });
    await world.start();
    world.change({ level: "debug" });
    await world.sim.pass(600_000);
    equal(world.get().spec.paused, true);
    equal(world.restarts(), 1);
  });
});

describe("Where Reloader fails", () => {
  const auto = { "reloader.stakater.com/auto": "true" };
  const begun = async (count: number): Promise<ReloadWorld> => {
    const world = new ReloadWorld();
    world.configMap({ level: "info" });
    for (let index = 0; index < count; index++)
      world.workload({ name: `w${index}`, annotations: auto });
    await world.start();
    return world;
  };

  it("a restart that is refused a hundred times is not lost (it gives up after five)", async () => {
    await using world = await begun(1);
    let refused = 0;
    world.refuse(({ verb }) =>
      verb === "patch" && refused++ < 100 ? internalError("the disk is full") : undefined,
    );
    world.change({ level: "debug" });
    await world.sim.pass(3_600_000);
    ok(refused > 100);
    equal(world.restarts("w0"), 1);
    match(
      world.messages("ConfigReloadFailed").join(),
      /^configmap\/app changed \(level\), but the /,
    );
  });

  it("a start restarts nothing, however many there are (reload-on-create restarts all)", async () => {
    await using world = await begun(30);
    await world.restartController();
    await world.sim.pass(30_000);
    for (let index = 0; index < 30; index++) equal(world.restarts(`w${index}`), 0);
  });

  it("a burst is one restart (its queue holds events, one restart for each)", async () => {
    await using world = await begun(1);
    for (let count = 0; count < 20; count++) world.change({ level: `${count}` });
    await world.sim.pass(20_000);
    equal(world.restarts("w0"), 1);
  });

  it("one workload that cannot be restarted does not keep the others from it (a pass ends at the first error)", async () => {
    await using world = await begun(5);
    world.refuse(({ verb, name }) =>
      verb === "patch" && name === "w2" ? internalError("no") : undefined,
    );
    world.change({ level: "debug" });
    await world.sim.pass(20_000);
    deepEqual(
      ["w0", "w1", "w2", "w3", "w4"].map((name) => world.restarts(name)),
      [1, 1, 0, 1, 1],
    );
    world.refuse(() => undefined);
    await world.sim.pass(60_000);
    equal(world.restarts("w2"), 1);
  });

  it("a list that fails is not an empty one: all are restarted when it works again (#701)", async () => {
    await using world = await begun(3);
    await world.sim.stop();
    world.change({ level: "debug" });
    world.refuse(({ kind, verb }) =>
      (kind.kind === "Deployment" || kind.kind === "ConfigMap") &&
      (verb === "list" || verb === "watch")
        ? internalError("etcd is away")
        : undefined,
    );
    await world.start();
    await world.sim.pass(60_000);
    equal(world.restarts("w0") + world.restarts("w1") + world.restarts("w2"), 0);
    world.refuse(() => undefined);
    await world.sim.pass(120_000);
    deepEqual(
      ["w0", "w1", "w2"].map((name) => world.restarts(name)),
      [1, 1, 1],
    );
  });

  it("works with ConfigMaps alone where it may not read Secrets, and takes none for gone", async () => {
    await using world = new ReloadWorld();
    const podSpec = container({
      envFrom: [{ configMapRef: { name: "app" } }, { secretRef: { name: "app" } }],
    });
    world.configMap({ level: "info" });
    world.sim.create(SECRET, { metadata: { name: "app" }, data: { level: "YQ==" } });
    world.workload({ annotations: auto, podSpec });
    await world.start();
    await world.sim.stop();
    const may = world.refuse.bind(world);
    may(({ kind }) => (kind.kind === "Secret" ? forbidden(kind, "", "no right") : undefined));
    await world.start();
    world.change({ level: "debug" });
    await world.sim.pass(5000);
    equal(world.restarts(), 1);
    may(() => undefined);
    await world.restartController();
    await world.sim.pass(5000);
    equal(world.restarts(), 1);
    world.sim.patch(SECRET, "default/app", { data: { level: "Yg==" } });
    await world.sim.pass(5000);
    equal(world.restarts(), 2);
  });

  it("a conflict with somebody who writes the workload all the time is overcome", async () => {
    await using world = await begun(1);
    world.change({ level: "debug" });
    world.sim.watchLagMs = () => 50;
    for (let count = 0; count < 30; count++) {
      world.sim.patch(DEPLOYMENT, "default/w0", { metadata: { labels: { count: String(count) } } });
      await world.sim.pass(100);
    }
    await world.sim.pass(10_000);
    equal(world.restarts("w0"), 1);
  });

  it("keeps no content: what it writes has hashes", async () => {
    await using world = new ReloadWorld();
    world.sim.create(SECRET, { metadata: { name: "app" }, data: { level: "c2VjcmV0LWJ5dGVz" } });
    world.workload({ annotations: auto, podSpec: secretEnv });
    await world.start();
    world.sim.patch(SECRET, "default/app", { data: { level: "b3RoZXItYnl0ZXM=" } });
    await world.sim.pass(5000);
    equal(world.restarts(), 1);
    const text = JSON.stringify([world.get(), world.sim.events, world.sim.logger.records]);
    for (const part of ["secret-bytes", "other-bytes", "c2VjcmV0", "b3RoZXIt"]) {
      equal(text.includes(part), false);
    }
    ok(world.sim.get(CONFIG_MAP, "default/none") === undefined);
  });
});
