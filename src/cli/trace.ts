// `driftless trace`: how long the last change took to each consumer, stage by stage.

import type { ConfigRevision } from "../api/types.ts";
import { consumersIn } from "./answers/consumers.ts";
import type { Look } from "./answers/look.ts";
import {
  type ConfigReference,
  type Picture,
  referenceKey,
  referenceText,
} from "./answers/picture.ts";
import { readPicture } from "./answers/read-picture.ts";
import { traceOf } from "./answers/timeline.ts";
import { traceJson } from "./answers/trace-json.ts";
import { type TraceHeading, traceText } from "./answers/trace-text.ts";
import { type CliContext, type ExitCode, print } from "./cli-context.ts";
import { CliError, misuse } from "./cli-error.ts";
import { configTarget } from "./config-target.ts";
import type { OutputFormat } from "./output-format.ts";

export interface TraceOptions {
  readonly target: string;
  /** The number of a revision, or the beginning of its hash; undefined: what the object holds now. */
  readonly revision: string | undefined;
  readonly format: OutputFormat;
  readonly look: Look;
}

export async function trace(context: CliContext, options: TraceOptions): Promise<ExitCode> {
  const { format, look } = options;
  if (format.type === "name") throw misuse("-o name: say json or yaml");
  const object = await configTarget(context, options.target);
  const picture = await readPicture(context, { namespace: context.namespace, object });
  const consumers = consumersIn(picture).filter(
    (one) => referenceKey(one.object) === referenceKey(object),
  );
  const revision = revisionAsked(picture, object, options.revision);
  const hash = revision?.hash ?? versionNow(picture, object, consumers[0]?.use.wanted?.hash);
  const heading: TraceHeading = {
    object,
    hash,
    number: revision?.number,
    author: revision?.author,
    changedAt: revision?.changedAt ?? undefined,
  };
  const found = traceOf(consumers, { hash, revision });
  if (format.type === "objects") print(context, format.print(traceJson(heading, found)));
  else {
    print(context, traceText(heading, found, { look, nowMs: context.clock.now() }));
    if (consumers.length === 0) print(context, "\nno pod uses it\n");
  }
  return 0;
}

/** Undefined: what the object holds now has no revision, or none that may be read. */
function revisionAsked(
  picture: Picture,
  object: ConfigReference,
  word: string | undefined,
): ConfigRevision | undefined {
  const revisions = picture.revisionsOf(object);
  if (word === undefined) {
    const now = picture.versionNow(object);
    return revisions.find(({ hash }) => hash === now);
  }
  const found =
    revisions.find(({ number }) => String(number) === word) ??
    revisions.find(({ hash }) => word.length >= MIN_HASH_DIGITS && hash.startsWith(word));
  if (found !== undefined) return found;
  throw new CliError(
    `${referenceText(object)} has no revision ${word}: see driftless history ${referenceText(object)}`,
  );
}

/** Fewer are a slip of the finger. */
const MIN_HASH_DIGITS = 4;

function versionNow(picture: Picture, object: ConfigReference, viewed: string | undefined): string {
  const now = picture.versionNow(object);
  if (now === "gone") {
    const isLeft = picture.revisionsOf(object).length > 0;
    const hint = isLeft ? ": add --revision N to see an earlier change" : "";
    const text = `${referenceText(object)} does not exist in namespace ${object.namespace}`;
    throw new CliError(text + hint);
  }
  const known = now ?? viewed;
  if (known !== undefined) return known;
  throw new CliError(`You may not read ${referenceText(object)}, and no node reports on it`);
}
