// The history of one ConfigMap or Secret, as `history`, `diff` and `rollback` look at it: its revisions, and the object as it is now.

import { hasHistory } from "../api/config/history-annotation.ts";
import type { ConfigKind } from "../api/config/pod-uses.ts";
import type { ApiObject } from "../api/object.ts";
import { isNotFound } from "../api/status-error.ts";
import type { ConfigRevision } from "../api/types.ts";
import { shortVersion } from "../base/content-version.ts";
import { objectVersion } from "../base/object-content.ts";
import { ResourceClient } from "../client/resource-client.ts";
import { CONFIG_REVISIONS } from "./answers/answer-kinds.ts";
import type { CliContext } from "./cli-context.ts";
import { CliError, misuse } from "./cli-error.ts";
import { parseResourceArguments } from "./resource-arguments.ts";
import { kindPrefix, ResourceCatalog } from "./resource-catalog.ts";

/** The server answers a write before it has made the revision; it takes a moment. */
const PATIENCE_MS = 1000;
const LOOK_AGAIN_MS = 50;

export interface HistoryTarget {
  readonly kind: ConfigKind;
  readonly name: string;
  /** "configmap/app" */
  readonly shown: string;
  readonly objects: ResourceClient<ApiObject>;
  readonly revisions: ResourceClient<ApiObject>;
}

export interface RevisionHistory {
  readonly target: HistoryTarget;
  /** Undefined: it is gone, and its history has not been removed yet. */
  readonly live: ApiObject | undefined;
  /** The version of `live`. */
  readonly version: string | undefined;
  /** Oldest first; those of earlier objects of the name are left out. */
  readonly revisions: readonly ConfigRevision[];
  /** The revision that has the content of now. */
  readonly current: ConfigRevision | undefined;
}

/** Throws CliError for anything but a ConfigMap or a Secret. */
export async function historyTarget(context: CliContext, word: string): Promise<HistoryTarget> {
  if (!word.includes("/")) {
    throw misuse(`say whose history is meant as KIND/NAME, such as configmap/${word}`);
  }
  const catalog = await ResourceCatalog.of(context.client, context.signal);
  const [asked] = parseResourceArguments([word], catalog);
  if (asked?.name === undefined) throw misuse("say whose history is meant as KIND/NAME");
  const { resource, name } = asked;
  const kind = resource.group === "" ? resource.kind : "";
  const shown = `${kindPrefix(resource)}/${name}`;
  if (kind !== "ConfigMap" && kind !== "Secret") {
    throw misuse(`${shown} has no history: only ConfigMaps and Secrets have one`);
  }
  const isKept = catalog.resourceOf({
    apiVersion: "driftless.dev/v1",
    kind: "ConfigRevision",
    metadata: {},
  });
  if (isKept === undefined) {
    throw new CliError(
      "this server keeps no history: it does not know configrevisions.driftless.dev. Is it a Driftless server?",
    );
  }
  return {
    kind,
    name,
    shown,
    objects: new ResourceClient<ApiObject>(context.client, resource),
    revisions: new ResourceClient<ApiObject>(context.client, CONFIG_REVISIONS),
  };
}

/** As of now. Throws NotFound if there is neither the object nor anything left of it. */
export async function readHistory(
  context: CliContext,
  target: HistoryTarget,
): Promise<RevisionHistory> {
  const { clock, signal } = context;
  const untilMs = clock.monotonicMs() + PATIENCE_MS;
  for (;;) {
    const history = await lookOnce(context, target);
    if (!isAwaited(history) || clock.monotonicMs() >= untilMs) return history;
    await clock.sleep(LOOK_AGAIN_MS, signal);
  }
}

/** The object, for those who cannot do without. */
export function liveOf({ live, target }: RevisionHistory): ApiObject {
  if (live !== undefined) return live;
  throw new CliError(`${target.shown} is gone: what is left is its history`);
}

export function authorOf({ author = "" }: ConfigRevision): string {
  return author === "" ? "<unknown>" : author;
}

/** "revision 3 (a1b2c3d4e5)" */
export function revisionText({ number, hash }: ConfigRevision): string {
  return `revision ${number} (${shortVersion(hash)})`;
}

async function lookOnce(context: CliContext, target: HistoryTarget): Promise<RevisionHistory> {
  const { namespace, signal } = context;
  const { kind, name, objects } = target;
  let live: ApiObject | undefined;
  let missing: unknown;
  try {
    live = await objects.get({ namespace, name }, { signal });
  } catch (err) {
    if (!isNotFound(err)) throw err;
    missing = err;
  }
  const fieldSelector = `object.kind=${kind},object.name=${name}`;
  const found: ConfigRevision[] = [];
  for await (const item of target.revisions.all({ namespace, fieldSelector, signal })) {
    found.push(item as object as ConfigRevision);
  }
  const revisions = found
    .filter(({ object }) => live === undefined || object.uid === live.metadata.uid)
    .toSorted((one, other) => one.number - other.number);
  if (live === undefined && revisions.length === 0) throw missing;
  const version = live && objectVersion(kind, live);
  const current = revisions.findLast(({ hash }) => hash === version);
  return { target, live, version, revisions, current };
}

function isAwaited({ live, current, revisions }: RevisionHistory): boolean {
  if (live === undefined || !hasHistory(live)) return false;
  return current === undefined || current !== revisions.at(-1);
}
