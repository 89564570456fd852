// A container's log as programs that collect logs find it.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Pod } from "../../src/api/types.ts";

export interface LogLine {
  readonly stream: string;
  /** F for a whole line, P for a part of one. */
  readonly tag: string;
  readonly text: string;
}

const LINE =
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}(?:Z|[+-]\d\d:\d\d) (stdout|stderr) ([FP]) (.*)$/s;

/** All lines of one start of a container; throws if one is not in the CRI's format. */
export function logLines(dataDir: string, pod: Pod, container = "main", attempt = 0): LogLine[] {
  const { namespace, name, uid } = pod.metadata;
  const file = join(dataDir, "logs", `${namespace}_${name}_${uid}`, container, `${attempt}.log`);
  const lines = readFileSync(file, "utf8").split("\n").slice(0, -1);
  return lines.map((line) => {
    const [, stream, tag, text] = LINE.exec(line) ?? [];
    if (stream === undefined || tag === undefined || text === undefined) {
      throw new Error(`not a line of a container's log: ${line}`);
    }
    return { stream, tag, text };
  });
}

export function logText(dataDir: string, pod: Pod, container = "main", attempt = 0): string[] {
  return logLines(dataDir, pod, container, attempt).map(({ text }) => text);
}
