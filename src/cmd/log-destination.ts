// Where a program writes its log: JSON for other programs, and lines for people when somebody sits at a terminal.

import { lineForPeople } from "./line-for-people.ts";
import { terminalColour } from "./terminal-look.ts";

export interface LogStream {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

/** Gets what a Logger writes: one line of JSON at a time, with its line end. */
export function logDestination(stream: LogStream): { write(line: string): void } {
  const isWatched = stream.isTTY === true;
  const look = { hasColour: isWatched && terminalColour(), hasTime: true };
  return {
    write: (line) => void stream.write(isWatched ? `${lineForPeople(line, look)}\n` : line),
  };
}
