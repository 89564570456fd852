// A small run in which every promise was kept, for planting one fault in it. Two objects, one watcher of everything
// that loses its connection, one that sees only a=1 through a watch that begins with the state.

import type {
  Moment,
  RunRecord,
  SeenObject,
  StreamItem,
  WatchEvent,
  WriteRecord,
} from "../record.ts";

const x = "configmaps/r/x";
const y = "configmaps/r/y";

export function soundRun(): RunRecord {
  const everything = { kind: "configmaps", namespace: "r" } as const;
  return {
    writes: [
      done({
        verb: "create",
        key: x,
        mark: "m1",
        labels: { a: "1" },
        revision: 11,
        text: "m1 {a=1}",
      }),
      done({ verb: "create", key: y, mark: "m2", revision: 12, text: "m2 {}" }),
      done({
        verb: "patch",
        key: x,
        mark: "m3",
        labels: { b: "x" },
        revision: 14,
        text: "m3 {a=1,b=x}",
      }),
      { ...done({ verb: "put", key: x, mark: "m4", revision: 0, text: "" }), outcome: refused },
      // Nobody answered, but it was seen at 15: it left a=1.
      {
        ...done({ verb: "patch", key: x, mark: "m5", labels: { a: "2" }, revision: 15, text: "" }),
        outcome: unknown,
      },
      {
        ...done({
          verb: "put",
          key: y,
          mark: "m6",
          labels: { a: "1" },
          revision: 17,
          text: "m6 {a=1}",
        }),
        expected: 12,
      },
      deleted({ key: x, mark: "m7", order: 1, newest: 17 }),
      deleted({ key: y, mark: "m8", order: 2, newest: 17 }),
    ],
    watchers: [
      {
        name: "watcher 1",
        view: everything,
        streams: [
          {
            start: { from: "list", version: 10 },
            items: [
              event("ADDED", x, 11, "m1 {a=1}"),
              event("ADDED", y, 12, "m2 {}"),
              bookmark(13),
              event("MODIFIED", x, 14, "m3 {a=1,b=x}"),
            ],
            end: "broken",
          },
          {
            start: { from: "seen", version: 14 },
            items: [
              event("MODIFIED", x, 15, "m5 {a=2,b=x}"),
              event("MODIFIED", y, 17, "m6 {a=1}"),
              event("DELETED", x, 18, "m5 {a=2,b=x}"),
              event("DELETED", y, 20, "m6 {a=1}"),
              bookmark(21),
            ],
            end: "open",
          },
        ],
      },
      {
        name: "watcher 2",
        view: { ...everything, selector: "a=1" },
        streams: [
          {
            start: { from: "past", version: 2 },
            items: [],
            end: "expired",
            error: { code: 410, reason: "Expired", message: "too old resource version: 2 (12)" },
          },
          {
            start: { from: "state", sentAfter: moment(12) },
            items: [
              event("ADDED", x, 11, "m1 {a=1}"),
              { ...bookmark(12), endsInitial: true } as StreamItem,
              event("MODIFIED", x, 14, "m3 {a=1,b=x}"),
              event("DELETED", x, 15, "m3 {a=1,b=x}"),
              event("ADDED", y, 17, "m6 {a=1}"),
              event("DELETED", y, 20, "m6 {a=1}"),
            ],
            end: "open",
          },
        ],
      },
    ],
    lists: [
      {
        view: everything,
        asked: { match: "newest" },
        sentAfter: moment(14),
        version: 15,
        items: [object(x, 15, "m5 {a=2,b=x}"), object(y, 12, "m2 {}")],
        pages: 2,
      },
      {
        view: { ...everything, selector: "a=1" },
        asked: { match: "exact", version: 13 },
        sentAfter: { newest: 17, deletes: 1 },
        version: 13,
        items: [object(x, 11, "m1 {a=1}")],
        pages: 1,
      },
    ],
    gets: [
      { key: y, sentAfter: moment(15), found: object(y, 12, "m2 {}") },
      { key: x, sentAfter: { newest: 17, deletes: 1 }, found: undefined },
    ],
    expiredLists: [{ view: everything, code: 410, reason: "Expired", version: 3, relisted: 20 }],
  };
}

const refused = { is: "refused", code: 409 } as const;
const unknown = { is: "unknown" } as const;

interface Done {
  readonly verb: WriteRecord["verb"];
  readonly key: string;
  readonly mark: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly revision: number;
  readonly text: string;
}

function done({ verb, key, mark, labels = {}, revision, text }: Done): WriteRecord {
  return {
    verb,
    key,
    change: { labels, mark },
    sentAfter: moment(revision - 1),
    outcome: { is: "done", object: { key, revision, uid: `uid of ${key}`, content: text } },
  };
}

function deleted(options: {
  readonly key: string;
  readonly mark: string;
  readonly order: number;
  readonly newest: number;
}): WriteRecord {
  const { key, mark, order, newest } = options;
  return {
    verb: "delete",
    key,
    change: { mark },
    sentAfter: { newest, deletes: order - 1 },
    outcome: { is: "deleted", uid: `uid of ${key}`, order },
  };
}

function moment(newest: number): Moment {
  return { newest, deletes: 0 };
}

/** `content` is the object's text. */
export function event(
  type: WatchEvent["type"],
  key: string,
  revision: number,
  content: string,
): WatchEvent {
  return { type, ...object(key, revision, content) };
}

export function object(key: string, revision: number, content: string): SeenObject {
  return { key, revision, uid: `uid of ${key}`, content };
}

export function bookmark(revision: number): StreamItem {
  return { type: "BOOKMARK", revision, endsInitial: false };
}
