// What the agent and the log keeper say to each other: a line of JSON each, over a unix socket. The agent asks, the keeper answers each
// request once, in any order. `hello` and `retire` mean the same in all versions: an agent that meets a keeper of another version sends
// it away and starts its own.

export const PROTOCOL_VERSION = 1;

export interface ContainerOutput {
  readonly id: string;
  readonly stdoutFifo: string;
  readonly stderrFifo: string;
  readonly logPath: string;
}

export type KeeperRequest =
  | { readonly op: "hello"; readonly version: number }
  /** Answered when both FIFOs are open for reading. Once more for the same container: nothing happens. */
  | { readonly op: "follow"; readonly of: ContainerOutput }
  /** Answered when all is in the log; at once for a container that is not followed. */
  | { readonly op: "finished"; readonly id: string }
  /** Let go of everything and end. Answered before it ends. */
  | { readonly op: "retire" };

export type Numbered<T> = T & { readonly seq: number };

export interface KeeperAnswer {
  readonly seq: number;
  /** Of the keeper; in the answer to hello. */
  readonly version?: number;
  readonly pid?: number;
  /** Why it was not done. */
  readonly error?: string;
}

/** Longer than any message can be: three paths. */
const MAX_MESSAGE_BYTES = 64 * 1024;

export function encodeMessage(message: object): string {
  return `${JSON.stringify(message)}\n`;
}

/** Calls `onMessage` with each line of what it is given. Throws on what is not JSON, and on lines without end. */
export function messageDecoder(onMessage: (message: unknown) => void): (text: string) => void {
  let rest = "";
  return (text) => {
    rest += text;
    for (let end = rest.indexOf("\n"); end >= 0; end = rest.indexOf("\n")) {
      const line = rest.slice(0, end);
      rest = rest.slice(end + 1);
      onMessage(JSON.parse(line));
    }
    if (rest.length > MAX_MESSAGE_BYTES) throw new Error("a message has no end");
  };
}
