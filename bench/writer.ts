// The atomic writer against the same system calls in a plain C loop. The two take turns, so that a busy
// moment of the machine hits both, and medians are compared.

import { execFileSync } from "node:child_process";
import { rmSync } from "node:fs";
import { tempDir } from "../src/base/testing/temp-dir.ts";
import type { AtomicWriter } from "../src/files/atomic-writer.ts";
import type { Payload } from "../src/files/payload.ts";
import { payloadOf, testWriter } from "../src/files/testing/test-writer.ts";
import { tmpfs } from "../test/support/tmpfs.ts";
import { median, ratioAim, report } from "./report.ts";

const ROUNDS = 9;
const NO_OP_AIM_US = 20;

const SHAPES = [
  { name: "3 x 1 KiB", files: 3, bytes: 1024, writes: 200 },
  { name: "1 x 100 KiB", files: 1, bytes: 102_400, writes: 200 },
  { name: "100 x 1 KiB", files: 100, bytes: 1024, writes: 20 },
];

type Shape = (typeof SHAPES)[number];

export function benchWriter(rawWriter: string): void {
  for (const medium of ["tmpfs", "disk"] as const) {
    using place = medium === "tmpfs" ? tmpfs("size=256m") : tempDir();
    if (!("path" in place)) {
      console.log(`${medium} left out: ${place.reason}`);
      continue;
    }
    for (const shape of SHAPES) {
      benchChanging(rawWriter, { directory: place.path, medium, shape });
      benchNoOp({ directory: place.path, medium, shape });
      for (const entry of [...shapePayload(shape, "a").names, "..data"]) {
        rmSync(`${place.path}/${entry}`, { force: true });
      }
    }
  }
}

interface Setting {
  readonly directory: string;
  readonly medium: string;
  readonly shape: Shape;
}

function benchChanging(rawWriter: string, { directory, medium, shape }: Setting): void {
  const writer = testWriter(directory);
  const payloads = [shapePayload(shape, "a"), shapePayload(shape, "b")] as const;
  const ours = (writes: number): number => {
    const start = process.hrtime.bigint();
    for (let i = 0; i < writes; i++) writer.write(payloads[i % 2 === 0 ? 0 : 1]);
    return microsecondsSince(start) / writes;
  };
  const raw = (writes: number): number =>
    Number(
      execFileSync(rawWriter, [directory, shape.files, shape.bytes, 1, writes].map(String), {
        encoding: "utf8",
      }),
    );
  ours(shape.writes * 15); // Lets the compiler of V8 do its work first.
  raw(shape.writes);
  const rounds = Array.from(
    { length: ROUNDS },
    () => [ours(shape.writes), raw(shape.writes)] as const,
  );

  const mine = median(rounds.map(([us]) => us));
  const plain = median(rounds.map(([, us]) => us));
  report({
    name: `changing write, ${shape.name}, ${medium}`,
    unit: "us",
    ours: mine,
    baseline: plain,
    aim: ratioAim(1.5, mine, plain),
  });
}

function benchNoOp({ directory, medium, shape }: Setting): void {
  const payload = shapePayload(shape, "n");
  const writer = testWriter(directory);
  writer.write(payload);
  settle(writer, payload);

  const us = median(Array.from({ length: ROUNDS }, () => timeNoOps(writer, () => payload)));
  report({
    name: `no-op, ${shape.name}, ${medium}`,
    unit: "us",
    ours: us,
    aim: { text: `< ${NO_OP_AIM_US}`, met: us < NO_OP_AIM_US },
  });
  const fresh = (): Payload => shapePayload(shape, "n");
  report({
    name: `  with a payload built and hashed anew`,
    unit: "us",
    ours: median(Array.from({ length: 3 }, () => timeNoOps(writer, fresh))),
  });
}

/** Waits until the version is old enough for the writer to rely on its times. */
function settle(writer: AtomicWriter, payload: Payload): void {
  const until = Date.now() + 2_500;
  while (Date.now() < until);
  writer.write(payload);
}

function timeNoOps(writer: AtomicWriter, payload: () => Payload): number {
  const count = 500;
  const start = process.hrtime.bigint();
  for (let i = 0; i < count; i++) {
    if (writer.write(payload()).outcome !== "unchanged") throw new Error("not a no-op");
  }
  return microsecondsSince(start) / count;
}

function shapePayload(shape: Shape, fill: string): Payload {
  const data = Buffer.alloc(shape.bytes, fill);
  const payload = payloadOf(
    Object.fromEntries(Array.from({ length: shape.files }, (_, i) => [`key-${i}.yaml`, data])),
  );
  payload.identity.at(0);
  return payload;
}

function microsecondsSince(start: bigint): number {
  return Number(process.hrtime.bigint() - start) / 1000;
}
