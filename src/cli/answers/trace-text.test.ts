import { deepEqual, equal, match } from "node:assert/strict";
import { describe, it } from "node:test";
import type { ConfigUse } from "../../api/types.ts";
import { consumersIn } from "./consumers.ts";
import {
  after,
  COMMITTED,
  frozenEnv,
  NOW_MS,
  node,
  ONE,
  picture,
  pod,
  podSpec,
  revision,
  TWO,
  use,
  view,
} from "./testing/sample-picture.ts";
import { timeAxis } from "./time-axis.ts";
import { durationText, microTimeMs, type Trace, traceOf } from "./timeline.ts";
import { traceJson } from "./trace-json.ts";
import { traceText } from "./trace-text.ts";

type Lags = Readonly<Record<string, number>>;

function staged(lags: Lags, more: Partial<ConfigUse> = {}): ConfigUse {
  const stages = Object.fromEntries(Object.entries(lags).map(([name, ms]) => [name, after(ms)]));
  return use("volume", { stages, ...more });
}

/** One pod for each, without variables. */
function traced(uses: readonly ConfigUse[], change = { hash: TWO, revision } as const): Trace {
  const [container] = podSpec.containers ?? [];
  const spec = { ...podSpec, containers: container ? [{ ...container, env: [] }] : [] };
  const pods = uses.map((_, at) => pod(`api-${at}`, { spec }));
  const views = uses.map((one, at) => view(`api-${at}`, [one]));
  return traceOf(consumersIn(picture({ pods, views, nodes: [node("n1")] })), change);
}

const heading = {
  object: { kind: "ConfigMap", namespace: "default", name: "app" },
  hash: TWO,
  number: 4,
  author: "ann",
  changedAt: COMMITTED,
} as const;

function text(trace: Trace, isUnicode = true): string {
  const look = { columns: 80, hasColour: false, isUnicode };
  return traceText(heading, trace, { look, nowMs: NOW_MS });
}

const two = [
  staged({ seen: 2.1, gated: 3.5, onDisk: 12 }),
  staged({ seen: 1.5, gated: 4, onDisk: 9, noticed: 10, applied: 31.4 }),
];

describe("driftless trace", () => {
  it("draws one bar for each consumer on one axis, slowest first", () => {
    equal(
      text(traced(two)),
      `configmap/app  2222222222  revision 4 by ann
committed 2026-11-16T12:00:00.000000Z (5m ago)

                       0          10 ms     20 ms           40 ms
                       ├──────────┼─────────┼──────────┼────────┤
api-1 web /etc/config  ░░▒▒▓▓▓▓▓▚▚██████████████████████           31 ms applied
api-0 web /etc/config  ░░▒▒▓▓▓▓▓▓▓▓▓                               12 ms on disk
until  ░ seen  ▒ gated  ▓ on disk  ▚ noticed  █ applied

STAGE    P50     P99     SLOWEST  KNOWN
seen     1.5 ms  2.1 ms  2.1 ms   2 of 2
gated    3.5 ms  4 ms    4 ms     2 of 2
on disk  9 ms    12 ms   12 ms    2 of 2
noticed  10 ms   10 ms   10 ms    1 of 2
applied  31 ms   31 ms   31 ms    1 of 2
Slowest: api-1 web /etc/config: applied after 31 ms

Note: 1 of 2 that have it have not confirmed that they run with it
`,
    );
  });

  it("draws with plain characters where nothing else can be shown", () => {
    const drawn = text(traced(two), false);
    match(drawn, /^api-1 web \/etc\/config {2}[.:=+#]+ +31 ms applied$/m);
    match(drawn, /^[\n -~]*$/);
  });

  it("uses a logarithmic axis for lags that differ wildly", () => {
    const drawn = text(traced([staged({ onDisk: 2 }), staged({ onDisk: 60_000 })]));
    match(drawn, /\(logarithmic\)/);
    const width = (name: string): number =>
      (new RegExp(`^${name} .*?(▓+)`, "m").exec(drawn)?.[1] ?? "").length;
    equal(width("api-0") > 3 && width("api-0") < width("api-1"), true);
  });

  it("shows the slowest ten of many, and where the others are", () => {
    const many = Array.from({ length: 30 }, (_, at) => staged({ seen: 1, onDisk: at + 1 }));
    const drawn = text(traced(many));
    equal(drawn.match(/^api-.*on disk$/gm)?.length, 10);
    match(drawn, /^The slowest 10; 20 more were faster\.$/m);
    match(drawn, /^on disk +15 ms +30 ms +30 ms +30 of 30$/m);
    match(drawn, /^Slowest: api-29 web \/etc\/config: on disk after 30 ms$/m);
  });

  it("says that clocks differ when a stage is earlier than the one before", () => {
    const { notes, timelines } = traced([staged({ seen: -3, onDisk: 5 })]);
    deepEqual(notes, [
      'clocks differ: on node n1 "seen" is earlier than "committed" by 3 ms; it is drawn as if at once',
    ]);
    equal(timelines[0]?.totalMs, 5);
  });

  it("says why it draws nothing", () => {
    const younger = pod("late", { metadata: { creationTimestamp: "2026-11-16T12:01:00Z" } });
    const pods = [pod("early"), younger];
    const views = [
      view("early", [use("volume"), frozenEnv]),
      view("late", [use("volume"), use("env")]),
    ];
    const { others, timelines } = traceOf(consumersIn(picture({ pods, views })), {
      hash: TWO,
      revision,
    });
    deepEqual(timelines, []);
    deepEqual(
      others.map(({ consumer, why }) => `${consumer.pod} ${consumer.use.how}: ${why.slice(0, 30)}`),
      [
        "early env: the container was started with",
        "early volume: its node has kept no times",
        "late env: its pod is younger than the ch",
        "late volume: its pod is younger than the ch",
      ],
    );
  });

  it("counts from the first who saw it if nobody knows when it was committed", () => {
    const trace = traced(two, { hash: TWO, revision: undefined } as never);
    equal(trace.isSinceCommit, false);
    equal(trace.timelines[0]?.stages[0]?.lagMs, 0);
    match(text(trace), /when it was committed is not known/);
  });

  it("knows of an earlier version only since when it has been there", () => {
    const older = staged({ seen: 1 }, { onDisk: { hash: ONE, at: after(7) } });
    const { timelines } = traced([older], { hash: ONE, revision: { ...revision, hash: ONE } });
    deepEqual(
      timelines[0]?.stages.map(({ stage, lagMs }) => [stage, lagMs]),
      [["onDisk", 7]],
    );
  });

  it("has a shape for scripts", () => {
    const json = traceJson(heading, traced(two));
    deepEqual(json["stages"], [
      { stage: "seen", count: 2, p50Ms: 1.5, p99Ms: 2.1, maxMs: 2.1 },
      { stage: "gated", count: 2, p50Ms: 3.5, p99Ms: 4, maxMs: 4 },
      { stage: "onDisk", count: 2, p50Ms: 9, p99Ms: 12, maxMs: 12 },
      { stage: "noticed", count: 1, p50Ms: 10, p99Ms: 10, maxMs: 10 },
      { stage: "applied", count: 1, p50Ms: 31.4, p99Ms: 31.4, maxMs: 31.4 },
    ]);
    const [first] = json["consumers"] as unknown as readonly { readonly totalMs: number }[];
    equal(first?.totalMs, 31.4);
  });
});

describe("timeAxis", () => {
  it("ends at a round number that holds the longest", () => {
    for (const [longest, end] of [
      [0.3, "0.4 ms"],
      [7, "8 ms"],
      [12, "20 ms"],
      [950, "1 s"],
      [61_000, "80 s"],
    ] as const) {
      const [names, ticks] = timeAxis([longest], 40).lines(true);
      equal(names.endsWith(end), true, names);
      deepEqual([names.length, ticks.length], [40, 40]);
    }
  });

  it("keeps every moment on the line", () => {
    const axis = timeAxis([5, 50], 30);
    deepEqual([axis.columnOf(-4), axis.columnOf(1e9)], [0, 30]);
  });
});

describe("durationText", () => {
  it("has two figures, or three", () => {
    deepEqual(
      [0, 0.042, 1, 4.25, 12.3, 999.7, 4200, 59_000, 200_000, 7_260_000].map(durationText),
      ["0 ms", "0.04 ms", "1 ms", "4.3 ms", "12 ms", "1 s", "4.2 s", "59 s", "3m20s", "2h1m"],
    );
  });
});

describe("microTimeMs", () => {
  it("keeps microseconds", () => {
    const [one = 0, other = 0] = [after(1.001), after(1)].map(microTimeMs);
    equal(Math.round((one - other) * 1000), 1);
    equal(microTimeMs("never"), undefined);
  });
});
