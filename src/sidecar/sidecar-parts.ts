// Puts a sidecar together from a composition. Nothing is read or started here but the directory of its state.

import { tmpdir } from "node:os";
import type { Clock } from "../base/clock.ts";
import type { Logger } from "../base/logger.ts";
import type { Metrics } from "../base/metrics.ts";
import type { Random } from "../base/random.ts";
import type { ProcessIdentity } from "../files/process-identity.ts";
import type { ReloadProgress } from "../reload/reloader.ts";
import { type Composed, compose } from "./compose.ts";
import type { Compose, OutputSpec } from "./compose-model.ts";
import { Gate } from "./gate/gate.ts";
import type { Variables } from "./make/envsubst.ts";
import { FilesOutput } from "./publish/files-output.ts";
import { GatedPublisher } from "./publish/gated-publisher.ts";
import { NoOutput, type Output } from "./publish/output.ts";
import { outsideManifestIn, StateDirectory, scratchIn } from "./publish/state-directory.ts";
import { VolumeOutput } from "./publish/volume-output.ts";
import type { Candidate, CandidateFile } from "./publisher.ts";
import { reloadTry } from "./reload-tries.ts";
import { Reloading } from "./reloading.ts";
import { Acknowledgement } from "./report/acknowledgement.ts";
import type { SidecarObserver } from "./report/observer.ts";
import type { SidecarEvent } from "./report/pod-events.ts";
import { Reporter } from "./report/reporter.ts";
import { createSidecarMetrics } from "./report/sidecar-metrics.ts";
import { Sidecar } from "./sidecar.ts";
import type { Source, SourceContent } from "./source.ts";

export interface OutputNeeds {
  /** Undefined: nothing is kept beyond this life. Only where there is no output. */
  readonly stateDirectory: string | undefined;
  readonly self: ProcessIdentity;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

export interface SidecarNeeds extends OutputNeeds {
  readonly spec: Compose;
  readonly sources: readonly Source[];
  /** The environment, for $(VAR). */
  readonly variables: Variables;
  /** $DRIFTLESS_ACK. */
  readonly ackDirectory: string | undefined;
  /** An init container's: see Reloading. */
  readonly isBeforeApp: boolean;
  readonly events: { record(event: SidecarEvent): void } | undefined;
  /** After each change of how the telling goes. */
  readonly onProgress?: (progress: ReloadProgress) => void;
  readonly metrics: Metrics;
  /** Of each try of each reload action, each publish, each change of a source: for metrics under other names. */
  readonly observer?: SidecarObserver | undefined;
}

export interface SidecarParts extends AsyncDisposable {
  readonly sidecar: Sidecar;
  readonly reporter: Reporter;
}

/** Throws if the directory of its state cannot be had. */
export function sidecarParts(needs: SidecarNeeds): SidecarParts {
  const { spec, observer, clock, random, logger } = needs;
  const state = openState(needs);
  const gate = new Gate({
    spec: spec.gate,
    scratch: () => state?.scratch() ?? scratchIn(tmpdir()),
    clock,
  });
  const publisher = new GatedPublisher({
    output: outputOf(spec.output, needs),
    // Without an output there is nothing to go back to, and no reason to have copies of secrets.
    keeper: spec.output.type === "none" ? undefined : state,
    ...{ gate, clock, logger },
  });
  const reporter = reporterOf(needs);
  const reloading = new Reloading({
    ...{ spec: spec.reload, keeper: state, isBeforeApp: needs.isBeforeApp, clock, random },
    tryOf: (action) =>
      reloadTry(action, {
        ...{ clock, procfs: "/proc", pid: needs.self.pid },
        onEnd: (end) => observer?.reloadEnded(end),
      }),
    onProgress: (progress) => {
      reporter.reload(progress);
      sidecar.noteProgress();
      needs.onProgress?.(progress);
    },
  });
  const sidecar: Sidecar = new Sidecar({
    ...{ sources: needs.sources, waits: spec.reload, publisher, reloading, reporter },
    compose: (contents) => composed(spec, contents, needs.variables),
    ...{ observer, clock, random, logger },
  });
  return { sidecar, reporter, [Symbol.asyncDispose]: () => gate[Symbol.asyncDispose]() };
}

/** With what is secret said of each file. */
export function composed(
  spec: Compose,
  contents: ReadonlyMap<string, SourceContent | undefined>,
  variables: Variables,
): Composed {
  const result = compose(spec, { contents, variables });
  if ("problems" in result) return result;
  const { candidate, made } = result;
  const files = [...candidate.files].map(([path, file]): [string, CandidateFile] => [
    path,
    { ...file, isSecret: made.get(path)?.isSecret ?? true },
  ]);
  const marked: Candidate = { ...candidate, files: new Map(files) };
  return { ...result, candidate: marked };
}

export function outputOf(spec: OutputSpec, needs: OutputNeeds): Output {
  switch (spec.type) {
    case "volume":
      return new VolumeOutput({ ...needs, directory: spec.path });
    case "files": {
      const { path, removesOthers, takesOver = false, allowsOutside = false } = spec;
      const { leavesOut = false, share } = spec;
      const manner = { removesOthers, takesOver, allowsOutside, leavesOut, share };
      const { stateDirectory, logger } = needs;
      const outsideManifest =
        stateDirectory === undefined ? undefined : outsideManifestIn(stateDirectory);
      return new FilesOutput({ directory: path, ...manner, outsideManifest, logger });
    }
    case "none":
      return new NoOutput();
  }
}

function openState({ stateDirectory }: SidecarNeeds): StateDirectory | undefined {
  if (stateDirectory === undefined) return undefined;
  const state = new StateDirectory(stateDirectory);
  try {
    state.open();
  } catch (err) {
    const message = `Cannot keep the state in ${stateDirectory}: say --state-dir for a directory that can be written`;
    throw new Error(message, { cause: err });
  }
  return state;
}

function reporterOf({ spec, events, clock, logger, ...needs }: SidecarNeeds): Reporter {
  const { output, gate, sources } = spec;
  const ackOf = (path: string): Acknowledgement | undefined => {
    const { ackDirectory: directory, self } = needs;
    if (directory === undefined) return undefined;
    return new Acknowledgement({ directory, path, pid: self.pid, clock, logger });
  };
  const sourceAcknowledgements = new Map<string, Acknowledgement>();
  for (const [name, source] of sources) {
    const isFiles = source.type === "directory" || source.type === "file";
    const ack = isFiles ? ackOf(source.path) : undefined;
    if (ack !== undefined) sourceAcknowledgements.set(name, ack);
  }
  return new Reporter({
    metrics: createSidecarMetrics(needs.metrics),
    acknowledgement: output.type === "none" ? undefined : ackOf(output.path),
    ...{ sourceAcknowledgements, events, failsReadiness: gate.failsReadiness, clock, logger },
  });
}
