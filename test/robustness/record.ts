// What clients asked, and what they were told. Nothing here is judged; validators read it when the run is over.
//
// Revisions are numbers here: a run has few, and there are millions of them in memory.

export type KindName = "configmaps" | "secrets" | "leases";

/** "configmaps/namespace/name" */
export type Key = string;

export interface SeenObject {
  readonly key: Key;
  readonly revision: number;
  readonly uid: string;
  /** Everything that a writer chooses, in one text; see content.ts. */
  readonly content: string;
}

/** What was known when a request was sent: the answers that had come, to anybody. */
export interface Moment {
  /** The newest revision in an answer. */
  readonly newest: number;
  /** How many deletes were acknowledged: their answers have no revision. */
  readonly deletes: number;
}

/** The part of a kind that a list or a watch is about. */
export interface View {
  readonly kind: KindName;
  readonly namespace?: string;
  readonly name?: string;
  /** One of those in selectors.ts. */
  readonly selector?: string;
}

export interface Change {
  /** Absent: left as it is. */
  readonly labels?: Readonly<Record<string, string | null>>;
  /** Says which write this was; no two writes have the same. */
  readonly mark: string;
}

export type Outcome =
  /** Acknowledged, with this object. */
  | { readonly is: "done"; readonly object: SeenObject }
  /** Acknowledged, as the n-th delete. */
  | { readonly is: "deleted"; readonly uid: string; readonly order: number }
  | { readonly is: "refused"; readonly code: number }
  /** No answer, or one that says that it is not known. */
  | { readonly is: "unknown" };

export interface WriteRecord {
  readonly verb: "create" | "put" | "patch" | "delete";
  readonly key: Key;
  readonly change: Change;
  /** The resourceVersion that the object had to have. */
  readonly expected?: number;
  readonly sentAfter: Moment;
  outcome: Outcome;
}

export interface WatchEvent extends SeenObject {
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
}

export interface Bookmark {
  readonly type: "BOOKMARK";
  readonly revision: number;
  readonly endsInitial: boolean;
}

export type StreamItem = WatchEvent | Bookmark;

/** One HTTP response of a watch. */
export interface StreamRecord {
  /** The state first, or what came after a version: one that was seen, or that of a list. */
  readonly start:
    | { readonly from: "state"; readonly sentAfter: Moment }
    | { readonly from: "seen" | "list" | "past"; readonly version: number };
  readonly items: StreamItem[];
  /**
   * "open" until the run ended: everything must have come. "ended" well, "broken" by a lost connection, "left" by
   * the client, "expired" when the server said so, "torn" in the middle of a line by a server that meant to end.
   */
  end: "open" | "ended" | "broken" | "left" | "expired" | "torn";
  /** What was said at the end. */
  error?: { readonly code: number; readonly reason: string; readonly message: string };
}

/** One client that watches, over all its connections. */
export interface WatcherRecord {
  readonly name: string;
  readonly view: View;
  readonly streams: StreamRecord[];
}

export interface ListRecord {
  readonly view: View;
  readonly asked:
    | { readonly match: "newest" | "any" }
    | { readonly match: "exact" | "notOlder"; readonly version: number };
  readonly sentAfter: Moment;
  /** Of the first page. */
  readonly version: number;
  /** Of all pages, in the order in which they came. */
  readonly items: readonly SeenObject[];
  readonly pages: number;
}

export interface GetRecord {
  readonly key: Key;
  readonly sentAfter: Moment;
  readonly found: SeenObject | undefined;
}

/** A list that was refused because the past is gone. */
export interface ExpiredListRecord {
  readonly view: View;
  readonly code: number;
  readonly reason: string;
  /** What the same client was given when it listed anew. Undefined: nothing. */
  readonly relisted: number | undefined;
  readonly version: number;
}

export interface RunRecord {
  readonly writes: WriteRecord[];
  readonly watchers: WatcherRecord[];
  readonly lists: ListRecord[];
  readonly gets: GetRecord[];
  readonly expiredLists: ExpiredListRecord[];
}

export function emptyRun(): RunRecord {
  return { writes: [], watchers: [], lists: [], gets: [], expiredLists: [] };
}

export function viewText({ kind, namespace, name, selector }: View): string {
  const place = namespace === undefined ? "all namespaces" : `${namespace}/${name ?? ""}`;
  return `${kind} of ${place}${selector === undefined ? "" : ` with ${selector}`}`;
}
