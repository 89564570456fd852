import { equal } from "node:assert/strict";
import { describe, it } from "node:test";
import type { PodUse } from "../../api/config/pod-uses.ts";
import type { PodObject } from "../pods/pod-object.ts";
import { podStanding, type Standing, type ViewObject, worst } from "./pod-standing.ts";

const env: PodUse = {
  kind: "ConfigMap",
  name: "app",
  how: "env",
  container: "c",
  containerType: "regular",
  mountPath: "",
  volume: "",
  subPath: "",
  keys: undefined,
  optional: false,
  variables: [],
  path: "spec.containers[0]",
};
const volume: PodUse = { ...env, how: "volume", mountPath: "/etc/app" };
const subPath: PodUse = { ...volume, how: "subPath" };
const version = "a".repeat(64);
const other = "b".repeat(64);
const nowMs = Date.parse("2026-01-01T01:00:00Z");

function pod(startedAt: string | undefined): PodObject {
  const status = { name: "c", containerID: "process://1", restartCount: 0 };
  const containerStatuses =
    startedAt === undefined ? [] : [{ ...status, state: { running: { startedAt } } }];
  return {
    metadata: { name: "p" },
    spec: {},
    status: { containerStatuses },
  } as unknown as PodObject;
}

function view(use: PodUse, seen: object): ViewObject {
  const { kind, name, how, container, mountPath } = use;
  const uses = [{ kind, name, how, container, mountPath, ...seen }];
  return { metadata: { name: "p" }, pod: { name: "p" }, uses } as unknown as ViewObject;
}

interface Asked {
  readonly use?: PodUse;
  readonly needsStart?: boolean;
  readonly seen?: object;
  readonly startedAt?: string | undefined;
}

const old = "2026-01-01T00:00:00Z";

function standing({ use = env, needsStart = true, seen, ...rest }: Asked): Standing {
  const startedAt = "startedAt" in rest ? rest.startedAt : old;
  const of = seen === undefined ? undefined : view(use, seen);
  return podStanding({
    pod: pod(startedAt),
    view: of,
    uses: [{ use, needsStart }],
    version,
    nowMs,
  });
}

describe("podStanding", () => {
  const wanted = { hash: version };
  const table: readonly [string, Asked, Standing][] = [
    ["a pod that has not started reads what is there", { startedAt: undefined }, "has"],
    ["no view, and running for long", {}, "lacks"],
    ["no view, and just started", { startedAt: "2026-01-01T00:59:58Z" }, "coming"],
    ["a view that has not heard of it", { seen: { wanted: { hash: other } } }, "coming"],
    ["an environment of before", { seen: { wanted, onDisk: { hash: other } } }, "lacks"],
    ["an environment of now", { seen: { wanted, onDisk: { hash: version } } }, "has"],
    ["versions in their short form", { seen: { wanted, onDisk: { hash: "a".repeat(10) } } }, "has"],
    [
      "content that the gate refuses",
      { seen: { wanted, onDisk: { hash: other }, drift: { reason: "GateRejected" } } },
      "held",
    ],
    ["content that is held", { seen: { wanted, drift: { reason: "RolloutHeld" } } }, "held"],
    [
      "a subPath that is on its way",
      { use: subPath, needsStart: false, seen: { wanted, onDisk: { hash: other } } },
      "coming",
    ],
    [
      "a subPath that is frozen",
      {
        use: subPath,
        needsStart: false,
        seen: { wanted, onDisk: { hash: other }, drift: { reason: "SubPathFrozen" } },
      },
      "lacks",
    ],
    [
      "a subPath that has followed",
      { use: subPath, needsStart: false, seen: { wanted, onDisk: { hash: version } } },
      "has",
    ],
    [
      "new files for a process of before",
      {
        use: volume,
        seen: { wanted, onDisk: { hash: version, at: "2026-01-01T00:30:00.000000Z" } },
      },
      "lacks",
    ],
    [
      "new files for a process that started later",
      {
        use: volume,
        startedAt: "2026-01-01T00:30:01Z",
        seen: { wanted, onDisk: { hash: version, at: "2026-01-01T00:30:00.900000Z" } },
      },
      "has",
    ],
    [
      "an init container, of which no view tells",
      { use: { ...env, containerType: "init" }, seen: { wanted, onDisk: { hash: version } } },
      "lacks",
    ],
  ];
  for (const [what, asked, expected] of table) {
    it(`${what}: ${expected}`, () => {
      equal(standing(asked), expected);
    });
  }

  it("an object that only a list names: lacks", () => {
    equal(podStanding({ pod: pod(old), view: undefined, uses: [], version, nowMs }), "lacks");
  });

  it("is of many pods what is worst of one", () => {
    equal(worst(["has", "coming", "lacks"]), "lacks");
    equal(worst(["has", "held", "lacks"]), "held");
    equal(worst([]), "has");
  });
});
