import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { microTime } from "../../api/api-time.ts";
import type { ConfigUse, Container, Pod } from "../../api/types.ts";
import type { ContainerStatus } from "../../runtime/runtime.ts";
import { START_NOTE, startNote } from "../env/start-note.ts";
import type { ReportedUse } from "../live-sub-path/live-sub-paths.ts";
import { ConfigObject } from "../objects/config-object.ts";
import { MOUNTS_NOTE, type VolumeUse } from "../sub-path/volume-use.ts";
import type { PodFacts, ShownVolume } from "./pod-facts.ts";
import { podView } from "./pod-view.ts";
import type { ObjectStage, Tampering } from "./view-sources.ts";

const T0 = Date.parse("2026-01-01T00:00:00Z");
const SEEN = T0 + 10_000;
const NOW = T0 + 60_000;

function configMap(data: Readonly<Record<string, string>>, more: Partial<Made> = {}): ConfigObject {
  const { uid = "u1", immutable = false, resourceVersion = "1" } = more;
  const metadata = { name: "app", namespace: "shop", uid, resourceVersion };
  return ConfigObject.fromConfigMap({ metadata, data: { ...data }, immutable });
}

function secret(word: string, uid: string): ConfigObject {
  const data = { word: Buffer.from(word).toString("base64") };
  const metadata = { name: "app", namespace: "shop", uid, resourceVersion: "1" };
  return ConfigObject.fromSecret({ metadata, data });
}

interface Made {
  readonly uid: string;
  readonly immutable: boolean;
  readonly resourceVersion: string;
}

/** One pod with one container that uses the object "app", and what is known of it. */
interface Situation {
  readonly container: Partial<Container>;
  readonly volumes?: Pod["spec"]["volumes"];
  readonly restartPolicy?: string;
  /** What the server has; undefined: nothing. */
  readonly wanted: ConfigObject | undefined;
  /** What is let through, if that is another. */
  readonly admitted?: ConfigObject | undefined;
  readonly held?: ObjectStage["held"];
  /** What it was started with; the wanted one unless said otherwise. */
  readonly started?: readonly ConfigObject[];
  /** The container does not run. */
  readonly end?: Partial<ContainerStatus["end"]> | "never started";
  /** What the volume shows; the admitted one unless said otherwise. */
  readonly shown?: ConfigObject;
  readonly subPath?: ReportedUse["state"];
  readonly facts?: Partial<PodFacts>;
  readonly volume?: Partial<ShownVolume>;
}

function usesIn(situation: Situation, before?: readonly ConfigUse[]): readonly ConfigUse[] {
  return podView(factsOf(situation), before).uses;
}

/** The only use of the pod, or the one by this way. */
function useIn(situation: Situation, how?: string, before?: readonly ConfigUse[]): ConfigUse {
  const uses = usesIn(situation, before).filter((use) => how === undefined || use.how === how);
  assert.equal(uses.length, 1, JSON.stringify(uses));
  return uses[0] as ConfigUse;
}

function factsOf(situation: Situation): PodFacts {
  const { wanted, held, volumes = [], restartPolicy } = situation;
  const admitted = "admitted" in situation ? situation.admitted : wanted;
  const container: Container = { name: "main", resources: {}, ...situation.container };
  const spec = { containers: [container], volumes, restartPolicy };
  const pod = { metadata: { name: "web", namespace: "shop", uid: "p1" }, spec, status: {} } as Pod;
  const stage: ObjectStage = {
    wanted: wanted?.asVersion,
    seenAtMs: SEEN,
    admitted: admitted?.asVersion,
    admittedAtMs: admitted && SEEN + 1,
    held,
  };
  const shown = situation.shown ?? admitted;
  const volume: ShownVolume = {
    version: `files of ${shown?.version ?? "nothing"}`,
    versions: shown ? [shown.asVersion] : [],
    shownAtMs: SEEN + 2,
    failure: undefined,
    past: () => undefined,
    ...situation.volume,
  };
  const status = statusOf({ situation, pod, container, volume });
  return {
    pod,
    containers: new Map(status ? [["main", [status]]] : []),
    volumes: new Map(volumes.map(({ name }) => [name, volume])),
    failures: new Map(),
    subPaths: situation.subPath
      ? [
          {
            container: "main",
            volume: "config",
            mountPath: "/motd",
            subPath: "motd",
            state: situation.subPath,
          },
        ]
      : [],
    stages: {
      stage: () => stage,
      usedVersions: (_of, keys, uid) => ({
        wanted: wanted?.versionOf(keys, uid),
        admitted: admitted?.versionOf(keys, uid),
      }),
    },
    ...{ acks: [], tampering: [], reloads: [], nowMs: NOW },
    ...situation.facts,
  };
}

function statusOf(of: {
  readonly situation: Situation;
  readonly pod: Pod;
  readonly container: Container;
  readonly volume: ShownVolume;
}): ContainerStatus | undefined {
  const { situation, pod, container, volume } = of;
  if (situation.end === "never started") return undefined;
  const objects = situation.started ?? (situation.wanted ? [situation.wanted] : []);
  const uses = (container.volumeMounts ?? []).map(
    ({ mountPath, subPath }, index) =>
      ({ mountPath, subPath, index, version: "files at the start" }) as VolumeUse,
  );
  const volumes = new Map([
    ["config", { ...volume, versions: objects.map((one) => one.asVersion) }],
  ]);
  const peek = (): ConfigObject | undefined => objects[0];
  const note = startNote({ pod, container, objects, volumes: volumes as never, uses, peek });
  const annotations = { [START_NOTE]: JSON.stringify(note), [MOUNTS_NOTE]: JSON.stringify(uses) };
  const end = situation.end && { exitCode: 0, ...situation.end };
  return {
    name: "main",
    podUid: "p1",
    annotations,
    startedAtMs: T0,
    end,
  } as unknown as ContainerStatus;
}

const old = configMap({ level: "info", motd: "hello", other: "1" });
const young = configMap({ level: "debug", motd: "good day", other: "1" }, { resourceVersion: "2" });
/** As `old` for who uses neither of the keys that are different. */
const elsewhere = configMap({ level: "info", motd: "hello", other: "2" }, { resourceVersion: "3" });

const env: Partial<Container> = {
  env: [{ name: "LEVEL", valueFrom: { configMapKeyRef: { name: "app", key: "level" } } }],
};
const args: Partial<Container> = { ...env, args: ["$(LEVEL)"] };
const config = { name: "config", configMap: { name: "app" } };
const inVolume = {
  volumes: [config],
  container: { volumeMounts: [{ name: "config", mountPath: "/etc/app" }] },
};
const inSubPath = {
  volumes: [config],
  container: { volumeMounts: [{ name: "config", mountPath: "/motd", subPath: "motd" }] },
};
const filesOf = (object: ConfigObject): string => `files of ${object.version}`;
const frozen: ReportedUse["state"] = {
  ...{ state: "frozen", reason: "kernel", message: "stays. Use Linux 6.5" },
  version: "files at the start",
};
const behind = (reason: string): ReportedUse["state"] => ({ ...frozen, state: "behind", reason });

function ack(more: Partial<PodFacts["acks"][number]>): Pick<PodFacts, "acks"> {
  const silent = { noticed: undefined, applied: undefined, rejected: undefined };
  return { acks: [{ container: "main", pid: 7, path: "/etc/app", ...silent, ...more }] };
}

function reload(more: Partial<PodFacts["reloads"][number]>): Pick<PodFacts, "reloads"> {
  const told = { container: "main", volume: "config", version: filesOf(young), attempts: 1 };
  const action = {
    action: "signal:HUP",
    result: "Succeeded" as const,
    atMs: SEEN + 5,
    message: "",
  };
  return { reloads: [{ ...told, ...action, ...more }] };
}

const said = { version: filesOf(young), atMs: SEEN + 4 };
const held = { reason: "GateRejected", message: "the check", sinceMs: T0 + 7 } as const;

describe("podView says what is the matter", () => {
  const table: Readonly<Record<string, readonly [Situation, reason: string, RegExp]>> = {
    "with an environment of an older version": [
      { container: env, wanted: young, started: [old] },
      "EnvFrozen",
      /environment of container "main" \(LEVEL\) has version \w{10} of ConfigMap "app".* restart/,
    ],
    "with an environment of an object that was not there": [
      { container: env, wanted: young, started: [] },
      "EnvFrozen",
      /made without ConfigMap "app"/,
    ],
    "with an environment of an object that is gone": [
      { container: env, wanted: undefined, started: [old] },
      "EnvFrozen",
      /which is gone now/,
    ],
    "with an immutable object that was made anew": [
      {
        container: env,
        wanted: configMap({ level: "debug" }, { uid: "u2", immutable: true }),
        started: [configMap({ level: "info" }, { immutable: true })],
      },
      "ImmutableRecreated",
      /deleted and made anew.*new name/,
    ],
    "with a subPath that the kernel cannot replace": [
      { ...inSubPath, wanted: young, started: [old], subPath: frozen },
      "SubPathFrozen",
      /Linux 6\.5/,
    ],
    "with a subPath that somebody has mounted over": [
      { ...inSubPath, wanted: young, started: [old], subPath: behind("covered") },
      "SubPathFrozen",
      /stays/,
    ],
    "with a subPath whose replacement failed": [
      { ...inSubPath, wanted: young, started: [old], subPath: behind("failed") },
      "WriteFailed",
      /stays/,
    ],
    "with a frozen subPath of an immutable object that was made anew": [
      {
        ...inSubPath,
        wanted: configMap({ motd: "2" }, { uid: "u2" }),
        started: [configMap({ motd: "1" }, { immutable: true })],
        subPath: frozen,
      },
      "ImmutableRecreated",
      /made anew/,
    ],
    "with content that a policy refuses": [
      { ...inVolume, wanted: young, admitted: old, held },
      "GateRejected",
      /the check/,
    ],
    "with content that a policy refuses before anything was good": [
      { ...inVolume, wanted: young, admitted: undefined, held, end: "never started" },
      "GateRejected",
      /the check/,
    ],
    "with content that a policy holds back from an environment": [
      {
        ...{ container: env, wanted: young, admitted: old, started: [old] },
        held: { ...held, reason: "RolloutHeld" },
      },
      "RolloutHeld",
      /the check/,
    ],
    "with a volume that cannot be refreshed": [
      { ...inVolume, wanted: young, shown: old, volume: { failure: new Error("ENOSPC") } },
      "WriteFailed",
      /"config" could not be refreshed: .*ENOSPC.*last good content stays/,
    ],
    "with a required object that is gone": [
      { ...inVolume, wanted: undefined, shown: old, volume: { failure: new Error("not found") } },
      "WriteFailed",
      /not found/,
    ],
    "with files that somebody else changed": [
      {
        ...{ ...inVolume, wanted: young },
        facts: {
          tampering: [
            {
              ...{ volume: "config", version: filesOf(young), isPast: false },
              ...{ files: ["level"], sinceMs: T0 + 5 },
            },
          ],
        },
      },
      "TamperedOnDisk",
      /"level"/,
    ],
    "with a process that refuses the content": [
      {
        ...{ ...inVolume, wanted: young },
        facts: ack({ rejected: { ...said, reason: "no such level" } }),
      },
      "GateRejected",
      /Process 7 .*no such level/,
    ],
    "with a process that does not answer any more": [
      {
        ...{ ...inVolume, wanted: young },
        facts: ack({ applied: { version: "older", atMs: T0 } }),
      },
      "NotConfirmed",
      /has not confirmed it/,
    ],
    "with a reload that fails": [
      {
        ...{ ...inVolume, wanted: young },
        facts: reload({ result: "Failing", message: "no process" }),
      },
      "NotConfirmed",
      /could not be told \(signal:HUP\): no process/,
    ],
    "with a reload that takes long": [
      { ...inVolume, wanted: young, facts: reload({ result: "Pending" }) },
      "NotConfirmed",
      /could not be told/,
    ],
  };
  for (const [title, [situation, reason, message]] of Object.entries(table)) {
    it(title, () => {
      const { drift } = useIn(situation);
      assert.equal(drift?.reason, reason);
      assert.match(drift?.message ?? "", message);
    });
  }

  it("with a command line of an older version, apart from the environment", () => {
    const uses = usesIn({ container: args, wanted: young, started: [old] });
    assert.deepEqual(
      uses.map(({ how, drift }) => [how, drift?.reason]),
      [
        ["env", "EnvFrozen"],
        ["args", "ArgsFrozen"],
      ],
    );
  });

  it("without the words of a process beside a Secret", () => {
    const facts = ack({ rejected: { ...said, reason: "canary", version: "f" } });
    const volumes = [{ name: "config", secret: { secretName: "app" } }];
    const { drift } = useIn({
      ...{ ...inVolume, volumes, wanted: secret("canary", "u1"), facts },
      volume: { version: "f" },
    });
    assert.equal(drift?.reason, "GateRejected");
    assert.doesNotMatch(drift?.message ?? "", /canary/);
  });
});

describe("podView says that all is well", () => {
  const table: Readonly<Record<string, Situation>> = {
    "with an environment of the newest version": { container: env, wanted: young },
    "with an environment that does not use what changed": {
      ...{ container: env, wanted: elsewhere, started: [old] },
    },
    "with a Secret that was made anew with the same content": {
      container: {
        env: [{ name: "W", valueFrom: { secretKeyRef: { name: "app", key: "word" } } }],
      },
      wanted: secret("x", "u2"),
      started: [secret("x", "u1")],
    },
    "with a key that was optional and missing, and still is": {
      container: {
        env: [
          {
            name: "A",
            valueFrom: { configMapKeyRef: { name: "app", key: "absent", optional: true } },
          },
        ],
      },
      ...{ wanted: young, started: [] },
    },
    "with a volume that shows the newest version": { ...inVolume, wanted: young },
    "with items of which none changed, while the rest is held back": {
      container: inVolume.container,
      volumes: [
        { name: "config", configMap: { name: "app", items: [{ key: "level", path: "l" }] } },
      ],
      ...{ wanted: elsewhere, admitted: old, held },
    },
    "with a subPath that follows": {
      ...{ ...inSubPath, wanted: young, started: [old] },
      subPath: { state: "live", version: filesOf(young) },
    },
    "with a frozen subPath of a key that did not change": {
      ...{ ...inSubPath, wanted: elsewhere, started: [old], subPath: frozen },
    },
    "with a process that still has time to confirm": {
      ...{ ...inVolume, wanted: young },
      facts: { ...ack({ applied: { version: "older", atMs: T0 } }), nowMs: SEEN + 4000 },
    },
  };
  for (const [title, situation] of Object.entries(table)) {
    it(title, () => {
      const { wanted, onDisk, drift } = useIn(situation);
      assert.equal(drift, undefined);
      assert.equal(onDisk?.hash, wanted?.hash);
      assert.equal(wanted?.hash, situation.wanted?.version);
    });
  }

  it("with an optional object that there is not, by saying nothing", () => {
    const optional = { name: "app", optional: true };
    const { wanted, onDisk, drift } = useIn({
      ...{ container: { envFrom: [{ configMapRef: optional }] }, wanted: undefined, started: [] },
    });
    assert.deepEqual([wanted, onDisk, drift], [undefined, undefined, undefined]);
  });
});

describe("podView says of a frozen subPath whose file somebody else changed", () => {
  const shows = { state: "frozen", reason: "annotation", message: "m" } as const;
  const of = (files: readonly string[], other: Partial<Tampering> = {}): Situation => {
    const found = { volume: "config", version: filesOf(young), isPast: false, files };
    return {
      ...{ ...inSubPath, wanted: young, subPath: { ...shows, version: filesOf(young) } },
      facts: { tampering: [{ ...found, sinceMs: NOW - 1, ...other }] },
    };
  };

  it("that it was, and that only a restart helps", () => {
    const { drift } = useIn(of(["motd"]));
    assert.equal(drift?.reason, "TamperedOnDisk");
    assert.match(drift?.message ?? "", /"motd".*restart the pod/);
    assert.equal(useIn(of(["level"])).drift, undefined, "it shows another file");
  });

  it("that it was, if the volume shows another version since, which is as it was written", () => {
    const reason = (other: Partial<Tampering>): string | undefined =>
      useIn(of(["motd"], { isPast: true, ...other })).drift?.reason;
    assert.equal(reason({}), "TamperedOnDisk");
    assert.equal(reason({ version: filesOf(old) }), undefined, "it shows a later one");
    assert.equal(reason({ sinceMs: T0 - 1 }), undefined, "it was not there yet");
  });

  it("the same when the volume is right again, until the container starts anew", () => {
    const before = useIn(of(["motd"]));
    assert.deepEqual(useIn(of([]), "subPath", [before]).drift, before.drift);
    const earlier = { ...before, drift: { reason: "TamperedOnDisk", since: microTime(T0 - 1) } };
    assert.equal(useIn(of([]), "subPath", [earlier]).drift, undefined);
  });
});

describe("podView says what is on its way", () => {
  it("by the older version of a volume that is not swapped yet", () => {
    const { onDisk, drift } = useIn({ ...inVolume, wanted: young, shown: old });
    assert.equal(onDisk?.hash, old.version);
    assert.equal(drift, undefined);
  });

  it("by nothing on disk for a container that has not started", () => {
    const { wanted, onDisk, applied } = useIn({ ...inVolume, wanted: young, end: "never started" });
    assert.equal(wanted?.hash, young.version);
    assert.deepEqual([onDisk, applied], [undefined, undefined]);
  });

  it("by nothing at all for a container that ended for good", () => {
    const of = { ...inVolume, wanted: young, end: { exitCode: 0 } };
    assert.equal(usesIn({ ...of, restartPolicy: "Never" }).length, 0);
    assert.equal(usesIn({ ...of, restartPolicy: "OnFailure" }).length, 0);
    assert.equal(usesIn({ ...of, restartPolicy: "OnFailure", end: { exitCode: 1 } }).length, 1);
    assert.equal(usesIn({ ...of, restartPolicy: "Always" }).length, 1);
  });

  it("by the time at which a silence becomes drift", () => {
    const facts = { ...ack({ applied: { version: "older", atMs: T0 } }), nowMs: SEEN + 4000 };
    const view = podView(factsOf({ ...inVolume, wanted: young, facts }));
    assert.equal(view.recheckAtMs, SEEN + 2 + 5000);
  });
});

describe("podView says who confirmed what", () => {
  it("a process that was started with it", () => {
    const { applied, confirmedBy, stages } = useIn({ container: env, wanted: young });
    assert.deepEqual([applied?.hash, confirmedBy], [young.version, "Start"]);
    // What was there before anybody asked for it arrived when it was asked for.
    assert.deepEqual(stages, {
      seen: microTime(SEEN),
      gated: microTime(SEEN + 1),
      onDisk: microTime(SEEN + 1),
      applied: microTime(SEEN + 1),
    });
  });

  it("a process by its own word, with the time of each stage", () => {
    const facts = ack({ noticed: { ...said, atMs: SEEN + 3 }, applied: said });
    const { applied, confirmedBy, stages } = useIn({ ...inVolume, wanted: young, facts });
    assert.deepEqual([applied?.hash, confirmedBy], [young.version, "Library"]);
    assert.deepEqual(
      stages,
      Object.fromEntries(
        ["seen", "gated", "onDisk", "noticed", "applied"].map((name, i) => [
          name,
          microTime(SEEN + i),
        ]),
      ),
    );
  });

  it("nobody, while one of two processes has the older content", () => {
    const { acks } = ack({ applied: said });
    const second = { ...acks[0], pid: 8, applied: { version: "older", atMs: T0 } };
    const facts = { acks: [...acks, second] as PodFacts["acks"], nowMs: SEEN + 10 };
    const past = (files: string) => (files === "older" ? [old.asVersion] : undefined);
    const { applied, stages } = useIn({ ...inVolume, wanted: young, facts, volume: { past } });
    assert.equal(applied?.hash, old.version);
    assert.equal(stages?.["applied"], undefined);
  });

  it("a reload that succeeded, and how it went", () => {
    const {
      applied,
      confirmedBy,
      reload: told,
    } = useIn({
      ...{ ...inVolume, wanted: young, facts: reload({}) },
    });
    assert.deepEqual([applied?.hash, confirmedBy], [young.version, "Reload"]);
    assert.deepEqual(told, {
      ...{ action: "signal:HUP", result: "Succeeded", hash: young.version, attempts: 1 },
      at: microTime(SEEN + 5),
    });
  });

  it("nobody of a volume whose readers are silent", () => {
    const { applied, confirmedBy } = useIn({ ...inVolume, wanted: young });
    assert.deepEqual([applied, confirmedBy], [undefined, undefined]);
  });
});

describe("podView keeps times", () => {
  it("of a drift with the same reason, also when the object changes again", () => {
    const first = useIn({ container: env, wanted: young, started: [old] });
    const newest = configMap({ level: "trace" }, { resourceVersion: "9" });
    const facts = { nowMs: NOW + 1000 };
    const of = { container: env, wanted: newest, started: [old], facts };
    assert.equal(useIn(of, "env", [first]).drift?.since, microTime(NOW));
    const other = { ...first, drift: { reason: "NodeAway", since: microTime(T0) } };
    assert.equal(useIn(of, "env", [other]).drift?.since, microTime(NOW + 1000));
  });

  it("and all else, as long as an agent that has just begun knows less", () => {
    const before = useIn({ ...inVolume, wanted: young, shown: old });
    const facts = factsOf({ ...inVolume, wanted: young });
    const stages = { ...facts.stages, stage: () => undefined };
    assert.deepEqual(podView({ ...facts, stages }, [before]).uses, [before]);
    assert.deepEqual(podView({ ...facts, volumes: new Map() }, [before]).uses, [before]);
  });

  it("of nothing that it cannot know, once it has failed to refresh what a former life has left", () => {
    const before = useIn({ ...inVolume, wanted: old });
    const facts = factsOf({ ...inVolume, wanted: young });
    const failures = new Map([["config", new Error("ENOSPC")]]);
    const [use] = podView({ ...facts, volumes: new Map(), failures }, [before]).uses;
    assert.equal(use?.wanted?.hash, young.version);
    assert.equal(use?.onDisk, undefined);
    assert.equal(use?.drift?.reason, "WriteFailed");
    assert.match(use?.drift?.message ?? "", /could not be refreshed: ENOSPC/);
  });

  it("of stages and versions that a former life of the agent has reported", () => {
    const facts = ack({ noticed: said, applied: said });
    const first = useIn({ ...inVolume, wanted: young, facts });
    const later = factsOf({
      ...{ ...inVolume, wanted: young, facts },
      volume: { shownAtMs: undefined },
    });
    const stage = later.stages.stage({ kind: "ConfigMap", namespace: "shop", name: "app" });
    assert.ok(stage);
    const stages = {
      ...later.stages,
      stage: () => ({ ...stage, seenAtMs: NOW, admittedAtMs: NOW }),
    };
    assert.deepEqual(podView({ ...later, stages }, [first]).uses, [first]);
  });
});
