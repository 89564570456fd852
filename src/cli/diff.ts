// `driftless diff`: what differs between two contents that a ConfigMap or Secret had, or between one and what it holds now.

import type { ConfigRevision } from "../api/types.ts";
import { shortVersion } from "../base/content-version.ts";
import { type Content, objectContent } from "../base/object-content.ts";
import { type Look, painted } from "./answers/look.ts";
import { type CliContext, type ExitCode, print, printError } from "./cli-context.ts";
import { misuse } from "./cli-error.ts";
import { contentDiffText } from "./content-diff.ts";
import { plainText } from "./plain-text.ts";
import { chosenRevision, revisionBefore } from "./revision-choice.ts";
import {
  authorOf,
  historyTarget,
  liveOf,
  type RevisionHistory,
  readHistory,
} from "./revision-history.ts";

export interface DiffOptions {
  /** KIND/NAME */
  readonly target: string;
  /** None: the last change. One: from that to now. Two: from one to the other. */
  readonly revisions: readonly string[];
  readonly look: Look;
}

/** One side of a comparison. */
interface Side {
  readonly title: string;
  readonly content: Content;
}

/** 0 if there is no difference, 1 if there is one. */
export async function diff(context: CliContext, options: DiffOptions): Promise<ExitCode> {
  const { look, revisions } = options;
  if (revisions.length > 2) throw misuse("two revisions can be compared, not more");
  const target = await historyTarget(context, options.target);
  const history = await readHistory(context, target);
  const sides = sidesOf(history, revisions);
  if (sides === undefined) {
    printError(context, `${target.shown} has had no other content that is known.`);
    return 0;
  }
  const [from, to] = sides;
  const isSecret = target.kind === "Secret";
  const text = contentDiffText({ before: from.content, after: to.content, isSecret, look });
  if (text === "") return 0;
  const title = `--- ${target.shown} ${from.title}\n+++ ${target.shown} ${to.title}`;
  print(context, `${painted(look, "bold", title)}\n${text}`);
  return 1;
}

function sidesOf(
  history: RevisionHistory,
  words: readonly string[],
): readonly [Side, Side] | undefined {
  const [first, second] = words;
  const from = first === undefined ? revisionBefore(history) : chosenRevision(history, first);
  if (from === undefined) return undefined;
  const to =
    second === undefined ? currentSide(history) : sideOf(history, chosenRevision(history, second));
  return [sideOf(history, from), to];
}

function sideOf({ target, current }: RevisionHistory, revision: ConfigRevision): Side {
  const now = revision === current ? ", current" : "";
  return {
    title: `revision ${revision.number}, ${shortVersion(revision.hash)}, by ${plainText(authorOf(revision))}${now}`,
    content: objectContent(target.kind, revision),
  };
}

function currentSide(history: RevisionHistory): Side {
  const { current, target, version = "" } = history;
  const live = liveOf(history);
  if (current !== undefined) return sideOf(history, current);
  return { title: `${shortVersion(version)}, current`, content: objectContent(target.kind, live) };
}
