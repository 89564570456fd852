// What the agent and the log keeper say to each other: a line of JSON each, over a unix socket. The agent asks, the keeper answers each
// request once, in any order. `hello` and `retire` mean the same in all versions: an agent that meets a keeper of another version sends
// it away and starts its own.
//
// After the answer to `attach` the connection is for that container only, and for frames (attach-frames.ts).

import type { ForeignDescriptor } from "../../mounts/take-descriptor.ts";

export const PROTOCOL_VERSION = 2;

export interface ContainerOutput {
  readonly id: string;
  readonly stdoutFifo: string;
  readonly stderrFifo: string;
  readonly logPath: string;
  /** Missing if it has none. */
  readonly stdin?: ContainerStdin | undefined;
}

export interface ContainerStdin {
  /** Gone when it was closed for good. With a terminal nothing goes through it; it only tells whether it was closed. */
  readonly fifo: string;
  /** Closed for good when the first who attached with stdin leaves. */
  readonly isOnce: boolean;
}

export type KeeperRequest =
  | { readonly op: "hello"; readonly version: number }
  /** Answered when the FIFOs are open. Once more for the same container: nothing happens. */
  | { readonly op: "follow"; readonly of: ContainerOutput }
  /** The container has a terminal: the keeper's end of it is taken from there, unless it has it. Answered with its descriptor of it. */
  | { readonly op: "terminal"; readonly id: string; readonly from?: ForeignDescriptor | undefined }
  | {
      readonly op: "resize";
      readonly id: string;
      readonly columns: number;
      readonly rows: number;
    }
  | { readonly op: "attach"; readonly id: string; readonly hasStdin: boolean }
  /** Answered when all is in the log; at once for a container that is not followed. */
  | { readonly op: "finished"; readonly id: string }
  /** Let go of everything and end. Answered before it ends. */
  | { readonly op: "retire" };

export type Numbered<T> = T & { readonly seq: number };

export interface KeeperAnswer {
  readonly seq: number;
  /** Of the keeper; in the answer to `hello`. */
  readonly version?: number;
  /** Of the keeper; in the answers to `hello` and `terminal`. */
  readonly pid?: number;
  /** To `terminal`: its number in the keeper. */
  readonly fd?: number;
  /** To `attach`: there is a stdin, and it is open. */
  readonly hasStdin?: boolean;
  /** Why it was not done. */
  readonly error?: string;
}

/** Longer than any message can be: four paths. */
const MAX_MESSAGE_BYTES = 64 * 1024;
const LINE_END = 0x0a;

export function encodeMessage(message: object): string {
  return `${JSON.stringify(message)}\n`;
}

export interface MessageHandlers {
  /** Returns "frames" if no more messages follow this one. */
  readonly onMessage: (message: unknown) => "frames" | undefined;
  /** All bytes after that. */
  readonly onFrames: (bytes: Buffer) => void;
}

/** Throws on what is not JSON, and on lines without end. */
export function messageDecoder({ onMessage, onFrames }: MessageHandlers): (bytes: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0);
  let isInFrames = false;
  return (bytes) => {
    rest = rest.length === 0 ? bytes : Buffer.concat([rest, bytes]);
    for (let end = rest.indexOf(LINE_END); end >= 0 && !isInFrames; end = rest.indexOf(LINE_END)) {
      const line = rest.toString("utf8", 0, end);
      rest = rest.subarray(end + 1);
      isInFrames = onMessage(JSON.parse(line)) === "frames";
    }
    if (isInFrames) {
      const frames = rest;
      rest = Buffer.alloc(0);
      if (frames.length > 0) onFrames(frames);
      return;
    }
    if (rest.length > MAX_MESSAGE_BYTES) throw new Error("a message has no end");
  };
}
