// The embedded runtime with the real things behind it.

import type { Clock } from "../base/clock.ts";
import type { Logger } from "../base/logger.ts";
import type { Random } from "../base/random.ts";
import type { Part } from "../base/run-group.ts";
import type { Mounts } from "../mounts/mounts.ts";
import { overlayMarks } from "../mounts/xattr.ts";
import { Cgroups, systemHierarchies } from "../runtime/cgroups/cgroups.ts";
import { imageArchitecture } from "../runtime/images/image-architecture.ts";
import { DEFAULT_LIMITS, ImageStore } from "../runtime/images/image-store.ts";
import { ProcessLogKeeper } from "../runtime/logs/log-keeper.ts";
import { ProcessRuntime } from "../runtime/process/process-runtime.ts";
import { productVersion } from "./version.ts";

export interface ProcessRuntimeParts {
  readonly runtime: ProcessRuntime;
  readonly cgroups: Cgroups;
  /** To be run beside it. */
  readonly parts: readonly Part[];
}

export function processRuntime(of: {
  readonly dataDir: string;
  readonly mounts: Mounts;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}): ProcessRuntimeParts {
  const { dataDir, mounts, clock, random, logger } = of;
  const logKeeper = new ProcessLogKeeper({ root: dataDir, clock, logger });
  const images = new ImageStore({
    root: dataDir,
    clock,
    marks: overlayMarks,
    pid: process.pid,
    architecture: imageArchitecture(process.arch),
    limits: DEFAULT_LIMITS,
  });
  const cgroups = new Cgroups({ dataDirectory: dataDir, hierarchies: systemHierarchies, clock });
  const runtime = new ProcessRuntime({
    root: dataDir,
    dataDirectory: dataDir,
    version: productVersion(),
    images,
    logKeeper,
    mounts,
    cgroups,
    clock,
    random,
    logger,
  });
  return { runtime, cgroups, parts: [{ name: "logs", run: (signal) => logKeeper.run(signal) }] };
}
