// Acknowledged: a write that was acknowledged has happened once, as it was answered, on the version that it demanded.
// One that was refused has not happened; one without an answer at most once.

import { contentText } from "../content.ts";
import { type Happened, isGuess } from "../model.ts";
import type { RunRecord, SeenObject, WriteRecord } from "../record.ts";
import { isEvent } from "./parts-of-stream.ts";
import type { Validator } from "./validator.ts";

export const acknowledged: Validator = function* ({ run, model }) {
  for (const happened of model.changes()) {
    for (const problem of [wrongAnswer(happened), wrongGround(happened)]) {
      if (problem !== undefined) yield `broke Acknowledged: ${problem}`;
    }
  }
  const happened = new Set([...model.changes()].map(({ write }) => write));
  for (const write of run.writes) {
    if (write.outcome.is !== "deleted" || happened.has(write)) continue;
    yield `broke Acknowledged: ${write.key} was deleted as ${write.outcome.uid}, but nobody saw it go`;
  }
  yield* wrongMarks(run);
};

function wrongAnswer({ write, key, revision, after }: Happened): string | undefined {
  const { outcome } = write;
  if (outcome.is !== "done" || after === undefined) return undefined;
  const due = contentText(after.content);
  return outcome.object.content === due
    ? undefined
    : `the answer to ${write.verb} ${key} at ${revision} was ${outcome.object.content}, not ${due}`;
}

/** What the write found is what it needed: nothing, something, or a certain version. */
function wrongGround({ write, key, revision, before }: Happened): string | undefined {
  const { verb, expected } = write;
  if (isGuess(write)) return undefined;
  const what = `${verb} ${key} at ${revision}`;
  if (verb === "create") {
    return before && `${what} was acknowledged, but it existed since ${before.revision}`;
  }
  if (before === undefined) {
    return createsOnPut(write) ? undefined : `${what} was acknowledged, but there was nothing`;
  }
  if (expected === undefined || expected === before.revision) return undefined;
  return `${what} demanded version ${expected}, but replaced ${before.revision}`;
}

/** Leases are made by a PUT, as in the original, whatever version it names. */
function createsOnPut({ verb, key }: WriteRecord): boolean {
  return verb === "put" && key.startsWith("leases/");
}

/** A mark that is seen at two versions was written twice; one that was refused must not be seen at all. */
function* wrongMarks(run: RunRecord): Generator<string> {
  const refused = new Set<string>();
  for (const { change, outcome } of run.writes) {
    if (outcome.is === "refused") refused.add(change.mark);
  }
  const places = new Map<string, number>();
  const reported = new Set<string>();
  for (const { key, revision, content } of versionsSeen(run)) {
    const mark = content.slice(0, content.indexOf(" "));
    const place = places.get(mark);
    places.set(mark, revision);
    if (reported.has(mark)) continue;
    const problem = refused.has(mark)
      ? `${mark} was refused, but ${key} has it at ${revision}`
      : place !== undefined && place !== revision
        ? `${mark} was written once, but ${key} has it at ${place} and at ${revision}`
        : undefined;
    if (problem === undefined) continue;
    reported.add(mark);
    yield `broke Acknowledged: ${problem}`;
  }
}

function* versionsSeen({ watchers, lists, gets }: RunRecord): Generator<SeenObject> {
  for (const { items } of watchers.flatMap(({ streams }) => streams)) {
    // What was deleted is shown with the version of the deletion.
    yield* items.filter(({ type }) => type !== "DELETED").filter(isEvent);
  }
  for (const { items } of lists) yield* items;
  for (const { found } of gets) {
    if (found !== undefined) yield found;
  }
}
