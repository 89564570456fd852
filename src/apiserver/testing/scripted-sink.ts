// A watcher's sink that keeps what it is sent, and takes no more when it is told to be full.

import type { EventEncoder } from "../cache/cache-event.ts";
import type { WatchSink } from "../cache/watcher.ts";

export class ScriptedSink implements WatchSink {
  readonly lines: string[] = [];
  capacity: number = Number.POSITIVE_INFINITY;

  send(frame: Buffer): boolean {
    if (this.lines.length >= this.capacity) return false;
    this.lines.push(frame.toString());
    return true;
  }

  expire(message: string): void {
    this.lines.push(`expired: ${message}`);
  }

  end(): void {
    this.lines.push("end");
  }
}

/** "ADDED n/a@3", and counts how often it had to work. */
export class TextEncoder implements EventEncoder {
  readonly id: string | undefined = "text";
  encoded = 0;

  encode(...[type, object]: Parameters<EventEncoder["encode"]>): Buffer {
    this.encoded++;
    return Buffer.from(`${type} ${object.key}@${object.revision}`);
  }

  bookmark(revision: bigint, endsInitial: boolean): Buffer {
    return Buffer.from(`BOOKMARK @${revision}${endsInitial ? " end" : ""}`);
  }

  error(): Buffer {
    return Buffer.from("ERROR");
  }
}
