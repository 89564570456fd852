// `driftless rollback`: gives a ConfigMap or Secret back a content that it had. An ordinary write: it has an author, a revision of its own,
// and whoever delivers configuration delivers it.

import type { ApiObject } from "../api/object.ts";
import { StatusError } from "../api/status-error.ts";
import type { ConfigRevision } from "../api/types.ts";
import { shortVersion } from "../base/content-version.ts";
import { objectContent } from "../base/object-content.ts";
import type { Look } from "./answers/look.ts";
import { type CliContext, type ExitCode, print } from "./cli-context.ts";
import { CliError } from "./cli-error.ts";
import { contentDiffText } from "./content-diff.ts";
import { chosenRevision, revisionBefore } from "./revision-choice.ts";
import {
  historyTarget,
  liveOf,
  type RevisionHistory,
  readHistory,
  revisionText,
} from "./revision-history.ts";

/** Its fields can be told from those that files have. */
const ROLLBACK_MANAGER = "driftless-rollback";

/** Of writes by others in between that left the content alone. More in a row is not chance. */
const MAX_TRIES = 10;

export interface RollbackOptions {
  /** KIND/NAME */
  readonly target: string;
  /** Undefined: the one before the content of now. */
  readonly to: string | undefined;
  readonly isDryRun: boolean;
  readonly look: Look;
}

export async function rollback(context: CliContext, options: RollbackOptions): Promise<ExitCode> {
  const target = await historyTarget(context, options.target);
  const first = await readHistory(context, target);
  const wanted = wantedRevision(first, options);
  for (let tries = 1, history = first; ; tries++) {
    try {
      await rollBackOnce(context, { history, wanted, options });
      return 0;
    } catch (err) {
      if (!isConflict(err) || tries === MAX_TRIES) throw err;
      history = await readHistory(context, target);
      // Decided on what was there then: somebody else's new content is not to be overwritten unseen.
      if (history.version !== first.version) throw overtaken(history, err);
    }
  }
}

function wantedRevision(history: RevisionHistory, { to }: RollbackOptions): ConfigRevision {
  if (to !== undefined) return chosenRevision(history, to);
  const before = revisionBefore(history);
  if (before !== undefined) return before;
  throw new CliError(
    `Cannot roll back ${history.target.shown}: it has had no other content that is known`,
  );
}

interface Attempt {
  readonly history: RevisionHistory;
  readonly wanted: ConfigRevision;
  readonly options: RollbackOptions;
}

async function rollBackOnce(context: CliContext, attempt: Attempt): Promise<void> {
  const { history, wanted, options } = attempt;
  const { target, version } = history;
  const { kind, shown } = target;
  const { isDryRun, look } = options;
  const live = liveOf(history);
  if (version === wanted.hash) {
    print(context, `${shown} unchanged: it has the content of ${revisionText(wanted)}\n`);
    return;
  }
  if (live["immutable"] === true) throw immutable(shown);
  const fieldManager = ROLLBACK_MANAGER;
  const { signal } = context;
  await target.objects.update(restored(live, wanted), { fieldManager, dryRun: isDryRun, signal });
  const dryRun = isDryRun ? " (server dry run)" : "";
  print(context, `${shown} rolled back to ${revisionText(wanted)}${dryRun}\n`);
  const before = objectContent(kind, live);
  const after = objectContent(kind, wanted);
  print(context, contentDiffText({ before, after, isSecret: kind === "Secret", look }));
}

/** Everything but the content stays, the type of a Secret too. Its version makes it a conflict if somebody else wrote since. */
function restored(live: ApiObject, { data, binaryData, secret }: ConfigRevision): ApiObject {
  const { data: _, binaryData: __, stringData: ___, ...rest } = live;
  if (secret === true) return { ...rest, ...(binaryData && { data: binaryData }) } as ApiObject;
  return { ...rest, ...(data && { data }), ...(binaryData && { binaryData }) } as ApiObject;
}

function isConflict(err: unknown): boolean {
  return err instanceof StatusError && err.reason === "Conflict";
}

function overtaken({ target, version }: RevisionHistory, cause: unknown): Error {
  const now = version === undefined ? "" : ` (${shortVersion(version)})`;
  return new CliError(
    `Cannot roll back ${target.shown}: somebody changed its content${now} meanwhile. See driftless diff ${target.shown}, and try again`,
    { cause },
  );
}

function immutable(shown: string): Error {
  return new CliError(
    `Cannot roll back ${shown}: it is immutable. Make one with another name and let the pods use that, or delete it and create it anew`,
  );
}
