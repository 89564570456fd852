// The thread with the reading connection: however long a read takes, no write waits for it, and no read
// waits for an fsync.

import { isMainThread, type MessagePort, parentPort, workerData } from "node:worker_threads";
import { describe } from "../../base/errors.ts";
import { CompactedError, FutureRevisionError } from "../store.ts";
import { databaseFile } from "./data-directory.ts";
import { type Database, openForReading } from "./database.ts";
import { LogReader } from "./log-reader.ts";
import { buffersOf, type Chunks } from "./packed-bytes.ts";
import { packEvents, packItems } from "./packed-items.ts";
import type { ReaderAnswer, ReaderRequest } from "./protocol.ts";

type ReadRequest = Exclude<ReaderRequest, { kind: "close" }>;

function read(log: LogReader, request: ReadRequest): { answer: ReaderAnswer; chunks: Chunks } {
  switch (request.kind) {
    case "get": {
      const { item, revision } = log.get(request.key);
      const items = packItems(item === undefined ? [] : [item]);
      return { answer: { kind: "items", items, revision, remaining: 0 }, chunks: items.chunks };
    }
    case "range": {
      const { items: found, revision, remaining } = log.range(request.query);
      const items = packItems(found);
      return { answer: { kind: "items", items, revision, remaining }, chunks: items.chunks };
    }
    case "past": {
      const { events: found, revision, hasMore } = log.past(request.prefix, request.after);
      const events = packEvents(found);
      return {
        answer: { kind: "past", events, revision, hasMore },
        chunks: events.values.chunks,
      };
    }
  }
}

function failureOf(err: unknown, file: string): ReaderAnswer {
  if (err instanceof CompactedError) return { kind: "compacted", compacted: err.compacted };
  if (err instanceof FutureRevisionError) return { kind: "future", current: err.current };
  return { kind: "failed", reason: `Cannot read "${file}": ${describe(err)}` };
}

function start(port: MessagePort, directory: string): void {
  const file = databaseFile(directory);
  // Opened when the first request comes: by then the writer has made the database.
  let db: Database | undefined;
  let log: LogReader | undefined;
  port.on("message", (request: ReaderRequest) => {
    if (request.kind === "close") {
      db?.close();
      port.close();
      return;
    }
    try {
      db ??= openForReading(file);
      log ??= new LogReader(db);
      const { answer, chunks } = read(log, request);
      port.postMessage(answer, buffersOf(chunks));
    } catch (err) {
      port.postMessage(failureOf(err, file));
    }
  });
}

if (!isMainThread && parentPort !== null) {
  start(parentPort, (workerData as { readonly directory: string }).directory);
}
