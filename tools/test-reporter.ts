// Runs inside a test worker as its reporter (`node --test-reporter`): passes on what node:test says
// happened. It prints nothing itself.

import { EventEmitter } from "node:events";
import type { TestEvent } from "node:test/reporters";

/** Emits "event" with each TestEvent. The worker imports the same instance of this module. */
export const testEvents: EventEmitter<{ event: [TestEvent] }> = new EventEmitter();

// biome-ignore lint/style/noDefaultExport: node:test takes a reporter by its default export
export default async function* reporter(
  source: AsyncIterable<TestEvent>,
): AsyncGenerator<string, void> {
  for await (const event of source) {
    testEvents.emit("event", event);
  }
  // A generator has to yield; an empty text prints nothing.
  yield "";
}
