import { deepEqual, equal } from "node:assert/strict";
import { EventEmitter } from "node:events";
import { describe, it } from "node:test";
import type { HttpResponse } from "../http/answer.ts";
import { TextEncoder } from "../testing/scripted-sink.ts";
import { ResponseSink } from "./response-sink.ts";

/** As much of a response as a sink uses. `room` is how many writes it takes before it wants to drain. */
class FakeResponse extends EventEmitter {
  readonly lines: string[] = [];
  readonly socket = null;
  readonly chunkedEncoding = false;
  destroyed: boolean | undefined = false;
  stream: { readonly destroyed: boolean } | undefined;
  room: number = Number.POSITIVE_INFINITY;
  writableLength = 0;

  write(frame: Buffer): boolean {
    this.lines.push(frame.toString());
    this.room--;
    return this.room > 0;
  }

  end(): void {
    this.lines.push("end");
  }
}

function sinkOn(response: FakeResponse): ResponseSink {
  return new ResponseSink(response as unknown as HttpResponse, new TextEncoder());
}

const frames = (...texts: readonly string[]): Buffer[] => texts.map((text) => Buffer.from(text));

describe("ResponseSink", () => {
  it("is closed when its HTTP/2 client left before it was made", () => {
    const response = new FakeResponse();
    response.destroyed = undefined;
    response.stream = { destroyed: true };
    equal(sinkOn(response).isClosed, true);
  });

  it("sends the past at the client's pace, and what happens meanwhile behind it", async () => {
    const response = new FakeResponse();
    response.room = 1;
    const sink = sinkOn(response);
    const sent = sink.sendPast(frames("1", "2"));
    sink.send(Buffer.from("live"));
    deepEqual(response.lines, ["1"]);
    response.room = Number.POSITIVE_INFINITY;
    response.emit("drain");
    await sent;
    deepEqual(response.lines, ["1", "2", "live"]);
  });

  it("drops a client for which too much has happened while it was still reading the past", () => {
    const response = new FakeResponse();
    response.room = 1;
    const sink = sinkOn(response);
    void sink.sendPast(frames("1", "2"));
    const isTaken = [1, 2, 3].map(() => sink.send(Buffer.alloc(2_000_000)));
    deepEqual(isTaken, [true, true, false]);
    deepEqual(response.lines, ["1", "ERROR", "end"]);
  });
});
