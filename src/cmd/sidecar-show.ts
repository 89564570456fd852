// What `driftless sidecar --explain` and `--dry-run` show. Nothing is written but to the terminal.

import { tmpdir } from "node:os";
import { systemClock } from "../base/clock.ts";
import type { Logger } from "../base/logger.ts";
import { systemRandom } from "../base/random.ts";
import { lineDiff } from "../cli/line-diff.ts";
import { currentProcess } from "../files/process-identity.ts";
import type { Composed } from "../sidecar/compose.ts";
import type { Compose } from "../sidecar/compose-model.ts";
import { Gate } from "../sidecar/gate/gate.ts";
import { obstacleTo } from "../sidecar/publish/obstacle-to.ts";
import type { Output } from "../sidecar/publish/output.ts";
import { StateDirectory, scratchIn } from "../sidecar/publish/state-directory.ts";
import type { Candidate } from "../sidecar/publisher.ts";
import { dryRunText } from "../sidecar/sidecar-dry-run.ts";
import { explainText } from "../sidecar/sidecar-explain.ts";
import { lookAtSources } from "../sidecar/sidecar-look.ts";
import { composed, outputOf } from "../sidecar/sidecar-parts.ts";
import type { Source } from "../sidecar/source.ts";

const base = { clock: systemClock, random: systemRandom };

export interface ShowScene {
  readonly spec: Compose;
  /** For the sources to say something. */
  readonly timeoutMs: number;
  readonly stateDirectory: string | undefined;
  readonly sources: readonly Source[];
  readonly logger: Logger;
  readonly signal: AbortSignal;
}

export async function explain(scene: ShowScene): Promise<void> {
  const { spec, timeoutMs, sources, stateDirectory, signal } = scene;
  const states = await lookAtSources(sources, { clock: systemClock, timeoutMs, signal });
  const result = composed(spec, contentsOf(states), process.env);
  process.stdout.write(explainText({ spec, states, composed: result, stateDirectory }));
}

export async function dryRun(scene: ShowScene): Promise<void> {
  try {
    await showDryRun(scene);
  } catch (err) {
    throw scene.signal.aborted ? new Error("stopped before it was done") : err;
  }
}

async function showDryRun(scene: ShowScene): Promise<void> {
  const { spec, timeoutMs, sources, stateDirectory, logger, signal } = scene;
  const states = await lookAtSources(sources, { clock: systemClock, timeoutMs, signal });
  const result = composed(spec, contentsOf(states), process.env);
  const needs = { stateDirectory, self: currentProcess(), ...base, logger };
  const output = outputOf(spec.output, needs);
  const live = output.read();
  const hasGate = spec.gate.command !== undefined || spec.gate.schemas.length > 0;
  await using gate = new Gate({
    ...{ spec: spec.gate, scratch: () => scratchIn(tmpdir()), clock: systemClock },
  });
  const verdict =
    hasGate && "candidate" in result ? await gate.judge(result.candidate, signal) : undefined;
  for (const [name, { problem }] of states) {
    if (problem !== undefined) process.stderr.write(`driftless: source ${name}: ${problem}\n`);
  }
  const kept = keptSet(stateDirectory);
  const obstacle = obstacleOf(spec, { output, result });
  const seen = { live, kept, verdict, obstacle };
  process.stdout.write(dryRunText({ spec, composed: result, ...seen, diff: diffLines }));
  const isRefused = verdict !== undefined && verdict.verdict !== "passed";
  if ("problems" in result || isRefused || obstacle !== undefined) process.exitCode = 1;
}

/** Of the directory, or of a file in it. */
function obstacleOf(
  spec: Compose,
  { output, result }: { readonly output: Output; readonly result: Composed },
): string | undefined {
  if (spec.output.type === "none") return undefined;
  const inTheWay = obstacleTo(spec.output.path);
  if (inTheWay !== undefined || !("candidate" in result)) return inTheWay;
  return output.obstacle(result.candidate);
}

/** What an earlier life has noted of what is live. */
function keptSet(stateDirectory: string | undefined): Candidate | undefined {
  try {
    return stateDirectory === undefined ? undefined : new StateDirectory(stateDirectory).readGood();
  } catch {
    return undefined; // Then nobody knows which of the live files are secrets.
  }
}

function contentsOf(
  states: Awaited<ReturnType<typeof lookAtSources>>,
): Parameters<typeof composed>[1] {
  return new Map(
    [...states].map(([name, state]) => [name, state.state === "known" ? state.content : undefined]),
  );
}

function diffLines(before: string, after: string): readonly string[] {
  return lineDiff(before, after).map(({ text }) => text);
}
