// A volume as a node's agent keeps it: each version is swapped in by `..data`.

import { mkdirSync } from "node:fs";
import { systemClock } from "../../src/base/clock.ts";
import { systemRandom } from "../../src/base/random.ts";
import { CaptureLogger } from "../../src/base/testing/capture-logger.ts";
import { AtomicWriter } from "../../src/files/atomic-writer.ts";
import { Payload } from "../../src/files/payload.ts";
import { currentProcess } from "../../src/files/process-identity.ts";

export class KubeletVolume {
  readonly #writer: AtomicWriter;

  constructor(directory: string) {
    mkdirSync(directory, { recursive: true });
    this.#writer = new AtomicWriter({
      ...{ directory, self: currentProcess(), clock: systemClock, random: systemRandom },
      logger: new CaptureLogger(),
    });
  }

  write(files: Readonly<Record<string, string | Uint8Array>>): void {
    const entries = Object.entries(files).map(
      ([path, data]) => [path, { data: Buffer.from(data), mode: 0o644 }] as const,
    );
    this.#writer.write(Payload.from(entries));
  }
}
