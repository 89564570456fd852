// What the threads of the store say to each other. Answers come in the order of the requests, so nothing has
// to be numbered: each side keeps a queue.

import type { RangeQuery, Revision } from "../store.ts";
import type { Refusal } from "./database-refused-error.ts";
import type { Chunks } from "./packed-bytes.ts";
import type { PackedEvents, PackedItems, PackedValues } from "./packed-items.ts";

/** A transaction that has this much takes no more, so that the first of its writes does not wait for ever. */
export const MAX_GROUP_WRITES = 1000;
export const MAX_GROUP_BYTES: number = 16 * 2 ** 20;

export type WriterRequest =
  | WriteRequest
  | { readonly kind: "compact"; readonly revision: Revision }
  | { readonly kind: "check" }
  | { readonly kind: "close" };

/** One or more writes, not much more than fit into a transaction. */
export interface WriteRequest {
  readonly kind: "write";
  readonly keys: readonly string[];
  /** Two for each: the expected revision or ABSENT, and the length of the value, -1 to delete. */
  readonly numbers: BigInt64Array;
  readonly chunks: Chunks;
}

export type WriterAnswer =
  | { readonly kind: "opened"; readonly revision: Revision }
  | { readonly kind: "refused"; readonly refusal: Refusal }
  | WrittenAnswer
  | { readonly kind: "notWritten"; readonly count: number; readonly reason: string }
  /** Writes have begun to fail, or work again. */
  | { readonly kind: "health"; readonly failure: string | undefined }
  | { readonly kind: "compacted"; readonly failure: string | undefined }
  | { readonly kind: "checked"; readonly failure: string | undefined };

/** Of as many of the oldest writes as there are revisions. */
export interface WrittenAnswer {
  readonly kind: "written";
  /** 0 where the key was not as expected. */
  readonly revisions: BigInt64Array;
  /** What was there before. */
  readonly before: PackedValues;
}

export type ReaderRequest =
  | { readonly kind: "get"; readonly key: string }
  | { readonly kind: "range"; readonly query: RangeQuery }
  | { readonly kind: "past"; readonly prefix: string; readonly after: Revision }
  | { readonly kind: "close" };

export type ReaderAnswer =
  | ItemsAnswer
  | PastAnswer
  | { readonly kind: "compacted"; readonly compacted: Revision }
  | { readonly kind: "future"; readonly current: Revision }
  | { readonly kind: "failed"; readonly reason: string };

export interface ItemsAnswer {
  readonly kind: "items";
  readonly items: PackedItems;
  readonly revision: Revision;
  readonly remaining: number;
}

export interface PastAnswer {
  readonly kind: "past";
  readonly events: PackedEvents;
  readonly revision: Revision;
  readonly hasMore: boolean;
}
