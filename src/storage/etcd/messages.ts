// etcd's messages: what this store sends, and what it reads of the answers. Field numbers are those of
// etcd's rpc.proto and kv.proto; fields that are not used are not here.

import type { Revision } from "../store.ts";
import { ProtoReader, ProtoWriter } from "./protobuf.ts";

/** The last revision that etcd can have. */
export const MAX_REVISION: Revision = 2n ** 63n - 1n;

/**
 * As etcd understands it, whose first revision is 1, and 0 is "now". What is out of its range has not
 * happened, and is asked for as something that has not.
 */
export function etcdRevision(revision: Revision): Revision {
  if (revision < 1n) return 1n;
  return revision > MAX_REVISION ? MAX_REVISION : revision;
}

/** One method of etcd's API. Requests are encoded before they are sent. */
export interface Rpc<Answer> {
  readonly path: string;
  readonly decode: (answer: Buffer) => Answer;
}

export interface KeyValue {
  readonly key: string;
  readonly value: Uint8Array;
  readonly createRevision: Revision;
  readonly modRevision: Revision;
}

export interface RangeRequest {
  readonly key: string;
  /** The first key that is not in the range. Missing: only `key`. */
  readonly end?: string;
  readonly limit?: number;
  /** Missing: now. */
  readonly revision?: Revision;
  readonly countOnly?: boolean;
}

export interface RangeAnswer {
  readonly revision: Revision;
  readonly items: readonly KeyValue[];
  /** Keys in the range, also those beyond the limit. */
  readonly count: number;
}

/** Puts (or, without a value, deletes) a key if its value has the revision `expected`; 0: if it does not exist. */
export interface WriteRequest {
  readonly key: string;
  readonly expected: Revision;
  readonly value: Uint8Array | undefined;
}

export interface WriteAnswer {
  readonly succeeded: boolean;
  readonly revision: Revision;
  /** What was replaced or deleted; if not succeeded, what is there. */
  readonly item: KeyValue | undefined;
}

export interface StatusAnswer {
  readonly clusterId: bigint;
  readonly version: string;
  /** Alarms, or that there is no leader. */
  readonly errors: readonly string[];
}

export interface WatchEvent {
  readonly type: "put" | "delete";
  readonly item: KeyValue;
  readonly previous: KeyValue | undefined;
}

export interface WatchAnswer {
  readonly revision: Revision;
  readonly created: boolean;
  readonly canceled: boolean;
  /** Not 0 when the watch was cancelled because the past is gone up to it. */
  readonly compactRevision: Revision;
  readonly cancelReason: string;
  /** More of the same answer follows. */
  readonly fragment: boolean;
  readonly events: readonly WatchEvent[];
}

export const rangeRpc: Rpc<RangeAnswer> = {
  path: "/etcdserverpb.KV/Range",
  decode: (answer) => decodeRange(new ProtoReader(answer)),
};
export const writeRpc: Rpc<WriteAnswer> = {
  path: "/etcdserverpb.KV/Txn",
  decode: (answer) => decodeWrite(new ProtoReader(answer)),
};
export const putRpc: Rpc<void> = { path: "/etcdserverpb.KV/Put", decode: () => undefined };
export const compactRpc: Rpc<void> = { path: "/etcdserverpb.KV/Compact", decode: () => undefined };
export const statusRpc: Rpc<StatusAnswer> = {
  path: "/etcdserverpb.Maintenance/Status",
  decode: (answer) => decodeStatus(new ProtoReader(answer)),
};
/** The answer is the token. */
export const authenticateRpc: Rpc<string> = {
  path: "/etcdserverpb.Auth/Authenticate",
  decode: (answer) => decodeToken(new ProtoReader(answer)),
};
export const watchRpc: Rpc<WatchAnswer> = {
  path: "/etcdserverpb.Watch/Watch",
  decode: (answer) => decodeWatch(new ProtoReader(answer)),
};

export function encodeRange(request: RangeRequest): Buffer {
  return rangeMessage(request).finish();
}

export function encodeWrite({ key, expected, value }: WriteRequest): Buffer {
  const name = Buffer.from(key);
  // result 0 is EQUAL; target 2 is MOD.
  const compare = new ProtoWriter().varint(2, 2).bytes(3, name).varint(6, expected);
  const operation = new ProtoWriter();
  if (value === undefined) {
    operation.message(3, new ProtoWriter().bytes(1, name).varint(3, 1));
  } else {
    const put = new ProtoWriter().bytes(1, name).bytes(2, value);
    operation.message(2, expected === 0n ? put : put.varint(4, 1));
  }
  const otherwise = new ProtoWriter().message(1, new ProtoWriter().bytes(1, name));
  return new ProtoWriter().message(1, compare).message(2, operation).message(3, otherwise).finish();
}

export function encodePut(key: string): Buffer {
  return new ProtoWriter().text(1, key).finish();
}

export function encodeCompact(revision: Revision): Buffer {
  return new ProtoWriter().varint(1, revision).finish();
}

export function encodeAuthenticate(name: string, password: string): Buffer {
  return new ProtoWriter().text(1, name).text(2, password).finish();
}

/** From `start` on, with previous values. */
export function encodeWatchCreate(key: string, end: string, start: Revision): Buffer {
  const create = new ProtoWriter().text(1, key).text(2, end).varint(3, start);
  create.varint(6, 1).varint(8, 1);
  return new ProtoWriter().message(1, create).finish();
}

export function encodeWatchProgress(): Buffer {
  return new ProtoWriter().message(3, new ProtoWriter()).finish();
}

function rangeMessage({ key, end, limit, revision, countOnly }: RangeRequest): ProtoWriter {
  const message = new ProtoWriter().text(1, key);
  if (end !== undefined) message.text(2, end);
  if (limit !== undefined) message.varint(3, limit);
  if (revision !== undefined) message.varint(4, revision);
  if (countOnly) message.varint(9, 1);
  return message;
}

function decodeRange(reader: ProtoReader): RangeAnswer {
  let revision: Revision = 0n;
  let count = 0;
  const items: KeyValue[] = [];
  for (let field = reader.next(); field !== 0; field = reader.next()) {
    if (field === 1) revision = decodeHeader(reader.message());
    else if (field === 2) items.push(decodeKeyValue(reader.message()));
    else if (field === 4) count = reader.int();
    else reader.skip();
  }
  return { revision, items, count };
}

function decodeWrite(reader: ProtoReader): WriteAnswer {
  let revision: Revision = 0n;
  let succeeded = false;
  let item: KeyValue | undefined;
  for (let field = reader.next(); field !== 0; field = reader.next()) {
    if (field === 1) revision = decodeHeader(reader.message());
    else if (field === 2) succeeded = reader.bool();
    else if (field === 3) item = decodeOperation(reader.message());
    else reader.skip();
  }
  return { succeeded, revision, item };
}

/** A range, put or delete; the field with their key-value is 2, 2 and 3. */
function decodeOperation(reader: ProtoReader): KeyValue | undefined {
  let item: KeyValue | undefined;
  for (let kind = reader.next(); kind !== 0; kind = reader.next()) {
    const answer = reader.message();
    for (let field = answer.next(); field !== 0; field = answer.next()) {
      if (field === (kind === 3 ? 3 : 2)) item = decodeKeyValue(answer.message());
      else answer.skip();
    }
  }
  return item;
}

function decodeStatus(reader: ProtoReader): StatusAnswer {
  let clusterId = 0n;
  let version = "";
  const errors: string[] = [];
  for (let field = reader.next(); field !== 0; field = reader.next()) {
    if (field === 1) clusterId = decodeHeader(reader.message(), 1);
    else if (field === 2) version = reader.text();
    else if (field === 8) errors.push(reader.text());
    else reader.skip();
  }
  return { clusterId, version, errors };
}

function decodeToken(reader: ProtoReader): string {
  let token = "";
  for (let field = reader.next(); field !== 0; field = reader.next()) {
    if (field === 2) token = reader.text();
    else reader.skip();
  }
  return token;
}

type Writable<T> = { -readonly [K in keyof T]: T[K] };

function decodeWatch(reader: ProtoReader): WatchAnswer {
  const events: WatchEvent[] = [];
  const answer: Writable<WatchAnswer> = {
    revision: 0n,
    created: false,
    canceled: false,
    compactRevision: 0n,
    cancelReason: "",
    fragment: false,
    events,
  };
  const read: Readonly<Record<number, () => void>> = {
    1: () => (answer.revision = decodeHeader(reader.message())),
    3: () => (answer.created = reader.bool()),
    4: () => (answer.canceled = reader.bool()),
    5: () => (answer.compactRevision = reader.bigint()),
    6: () => (answer.cancelReason = reader.text()),
    7: () => (answer.fragment = reader.bool()),
    11: () => events.push(decodeEvent(reader.message())),
  };
  for (let field = reader.next(); field !== 0; field = reader.next()) {
    (read[field] ?? (() => reader.skip()))();
  }
  return answer;
}

function decodeEvent(reader: ProtoReader): WatchEvent {
  let type: WatchEvent["type"] = "put";
  let item: KeyValue | undefined;
  let previous: KeyValue | undefined;
  for (let field = reader.next(); field !== 0; field = reader.next()) {
    if (field === 1) type = reader.int() === 1 ? "delete" : "put";
    else if (field === 2) item = decodeKeyValue(reader.message());
    else if (field === 3) previous = decodeKeyValue(reader.message());
    else reader.skip();
  }
  if (item === undefined) {
    throw new RangeError("Cannot read an event: it has no key");
  }
  return { type, item, previous };
}

/** One number of a header: 1 is the cluster, 3 the revision. */
function decodeHeader(reader: ProtoReader, wanted: 1 | 3 = 3): bigint {
  let value = 0n;
  for (let field = reader.next(); field !== 0; field = reader.next()) {
    if (field === wanted) value = reader.bigint();
    else reader.skip();
  }
  return value;
}

function decodeKeyValue(reader: ProtoReader): KeyValue {
  let key = "";
  let value: Uint8Array = new Uint8Array();
  let createRevision: Revision = 0n;
  let modRevision: Revision = 0n;
  for (let field = reader.next(); field !== 0; field = reader.next()) {
    if (field === 1) key = reader.text();
    else if (field === 2) createRevision = reader.bigint();
    else if (field === 3) modRevision = reader.bigint();
    else if (field === 5) value = reader.bytes();
    else reader.skip();
  }
  return { key, value, createRevision, modRevision };
}
