// Short ways to say "a writer on this directory" and "this payload" in tests.

import { systemClock } from "../../base/clock.ts";
import { systemRandom } from "../../base/random.ts";
import { CaptureLogger } from "../../base/testing/capture-logger.ts";
import { AtomicWriter, type AtomicWriterOptions } from "../atomic-writer.ts";
import { Payload } from "../payload.ts";
import { currentProcess } from "../process-identity.ts";

/** Asked once: it does not change while the tests run. */
const self = currentProcess();

export function testWriter(
  directory: string,
  options: Partial<AtomicWriterOptions> = {},
): AtomicWriter {
  const logger = new CaptureLogger();
  const real = { self, clock: systemClock, random: systemRandom };
  return new AtomicWriter({ directory, logger, ...real, ...options });
}

/** Text files, mode 0644 unless said otherwise: `{ "app.yaml": "a: 1", key: ["text", 0o600] }`. */
export function payloadOf(
  files: Record<string, string | Uint8Array | [string | Uint8Array, number]>,
): Payload {
  return Payload.from(
    Object.entries(files).map(([path, file]) => {
      const [data, mode] = Array.isArray(file) ? file : [file, 0o644];
      return [path, { data: typeof data === "string" ? Buffer.from(data) : data, mode }];
    }),
  );
}
