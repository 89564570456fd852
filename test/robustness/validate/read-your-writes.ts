// ReadYourWrites: who asks for no version in particular sees every write that was acknowledged, to anybody, before.

import { contentText } from "../content.ts";
import type { Model } from "../model.ts";
import { type GetRecord, viewText } from "../record.ts";
import type { Validator } from "./validator.ts";

export const readYourWrites: Validator = function* ({ run, model }) {
  for (const { view, asked, version, sentAfter } of run.lists) {
    const known = model.known(sentAfter);
    if (asked.match === "newest" && version < known) {
      yield `broke ReadYourWrites: a list of ${viewText(view)} was of ${version}, but ${known} was acknowledged`;
    }
  }
  for (const get of run.gets) {
    const problem = get.found === undefined ? wronglyAbsent(model, get) : wronglyThere(model, get);
    if (problem !== undefined) yield `broke ReadYourWrites: a GET of ${get.key} ${problem}`;
  }
};

/** It must have been that version which was there at some time after the request was sent. */
function wronglyThere(model: Model, { key, found, sentAfter }: GetRecord): string | undefined {
  if (found === undefined) return undefined;
  const change = model.at(found.revision);
  if (change?.key !== key || change.after === undefined) {
    return `gave version ${found.revision}, which it never had`;
  }
  const due = contentText(change.after.content);
  if (due !== found.content) return `gave ${found.content} at ${found.revision}, not ${due}`;
  const next = model.of(key).find(({ revision }) => revision > found.revision);
  return next !== undefined && next.revision <= model.known(sentAfter)
    ? `gave version ${found.revision}, but ${next.revision} was acknowledged`
    : undefined;
}

function wronglyAbsent(model: Model, { key, sentAfter }: GetRecord): string | undefined {
  const known = model.known(sentAfter);
  const there = model.keyAt(key, known);
  if (there === undefined) return undefined;
  const isGoneLater = model
    .of(key)
    .some(({ revision, after }) => revision > known && after === undefined);
  return isGoneLater ? undefined : `found nothing, but version ${there.revision} was acknowledged`;
}
