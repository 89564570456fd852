// A program that has no inotify watches left: what of a volume and of an acknowledgement is then still noticed. Prints one line of JSON. To be
// run in a user namespace of its own, whose limit it sets.

import { mkdirSync, readFileSync, unlinkSync, writeFileSync } from "node:fs";
import { AckFiles } from "../../src/agent/acks/ack-files.ts";
import { ContainerProcesses } from "../../src/agent/acks/container-processes.ts";
import { volumeUse } from "../../src/agent/acks/testing/volume-use.ts";
import { runtimeContainer } from "../../src/agent/pods/testing/runtime-container.ts";
import { MOUNTS_NOTE } from "../../src/agent/sub-path/volume-use.ts";
import { followedByBoth } from "../../src/agent/tampering/followed-by-both.ts";
import { VolumeTampering } from "../../src/agent/tampering/volume-tampering.ts";
import { pluginBench, podWith } from "../../src/agent/volumes/plugins/testing/plugin-bench.ts";
import { systemClock } from "../../src/base/clock.ts";
import { CaptureLogger } from "../../src/base/testing/capture-logger.ts";

writeFileSync("/proc/sys/user/max_inotify_watches", "4");

const VOLUMES = 4;
const nothing = { [Symbol.dispose]: () => undefined };
const stop = new AbortController();
const logger = new CaptureLogger();
const events: string[] = [];
const tampering: VolumeTampering = new VolumeTampering({
  paths: { volume: (place) => bench.parts.paths.volume(place) },
  ...{ clock: systemClock, logger },
  events: { record: ({ reason }) => void events.push(reason) },
});
const followers = followedByBoth({ shown: () => undefined }, tampering);
using bench = pluginBench({ parts: { followers } });
const volume = { name: "config", configMap: { name: "app", defaultMode: 0o644 } };
const pods = Array.from({ length: VOLUMES }, (_, i) => podWith({}, { uid: `pod-${i}` }));
const setUpAll = async (): Promise<void> => {
  for (const pod of pods) await bench.setUp(volume, pod);
};
const fileOf = (i: number): string =>
  `${bench.root}/pods/pod-${i}/volumes/kubernetes.io~configmap/config/..data/a`;

bench.objects.configMap("app", { a: "1" });
await setUpAll();
unlinkSync(fileOf(VOLUMES - 1));
await setUpAll();
const healed = readFileSync(fileOf(VOLUMES - 1), "utf8");
bench.objects.configMap("app", { a: "2" });
await setUpAll();

const directory = `${bench.root}/ack`;
mkdirSync(directory);
const acks = new AckFiles({
  ...{ paths: bench.parts.paths, clock: systemClock, logger },
  processes: new ContainerProcesses(systemClock),
  directories: { remove: () => undefined, sweep: () => undefined },
  runtime: { ready: Promise.resolve(), list: () => [], onExit: () => nothing },
  volumes: { onChange: () => nothing },
});
const running = acks.run(stop.signal);
const annotations = {
  [MOUNTS_NOTE]: JSON.stringify([volumeUse({})]),
  "driftless.dev/ack-directory": directory,
};
acks.started({
  ...runtimeContainer("main", {}),
  ...{ podUid: "pod-1", pid: process.pid, annotations, end: undefined },
});
const applied = { version: "b".repeat(64), at: "2020-11-15T20:00:00.000Z" };
const ack = { path: "/etc/config", pid: process.pid, noticed: null, applied, rejected: null };
writeFileSync(`${directory}/a.json`, JSON.stringify(ack));
while (acks.of("pod-1").length === 0) await systemClock.sleep(20);

stop.abort();
await running;
const warnings = logger.records.filter(({ level }) => level === "warn").map((one) => one.message);
const last = readFileSync(fileOf(VOLUMES - 1), "utf8");
for (const pod of pods) await bench.tearDown(volume, pod);
console.log(JSON.stringify({ events, healed, last, warnings }));
