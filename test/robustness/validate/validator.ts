// A validator holds a run against one promise. What it returns names the promise, who it was broken to, and how.

import type { Model } from "../model.ts";
import { type RunRecord, type StreamRecord, viewText, type WatcherRecord } from "../record.ts";

export interface Evidence {
  readonly run: RunRecord;
  readonly model: Model;
  /** Of the store when nothing was written any more. */
  readonly finalRevision: number;
}

export type Validator = (evidence: Evidence) => Iterable<string>;

export interface WatchedStream {
  readonly watcher: WatcherRecord;
  readonly stream: StreamRecord;
  /** "watcher 7, connection 2 (configmaps of all namespaces)" */
  readonly who: string;
  /** The same client's connection before this one. */
  readonly previous: StreamRecord | undefined;
}

export function* streamsOf({ watchers }: RunRecord): Generator<WatchedStream> {
  for (const watcher of watchers) {
    for (const [i, stream] of watcher.streams.entries()) {
      const who = `${watcher.name}, connection ${i + 1} (${viewText(watcher.view)})`;
      yield { watcher, stream, who, previous: watcher.streams[i - 1] };
    }
  }
}
