// One sidecar per directory. The lock is a name among the kernel's abstract sockets: whoever listens there has it, and it goes with its process, however that ends. It is
// of the directory itself, by device and inode, so all containers of a pod mean the same one, whatever they call it and whatever processes they see. Who is in
// another network namespace, such as a second pod with the same directory, is not seen.

import { once } from "node:events";
import { readlinkSync, statSync } from "node:fs";
import { connect, createServer, type Server, type Socket } from "node:net";
import type { Clock } from "../../base/clock.ts";
import { isErrno } from "../../base/errors.ts";
import { ensureDirectory } from "./ensure-directory.ts";

export interface LockOptions {
  /** Made if it is not there. */
  readonly directory: string;
  /** For that; as usual if undefined. */
  readonly mode?: number | undefined;
  /** Our own, for whoever comes second. */
  readonly pid: number;
  readonly clock: Clock;
}

/** The message says who has it. */
export class DirectoryTakenError extends Error {
  override readonly name = "DirectoryTakenError";
}

/** So long whoever has the lock may take to say who it is. */
const ANSWER_MS = 2000;
const MAX_ANSWER_LENGTH = 200;

/** Held until it is disposed. Throws DirectoryTakenError if another process has it. */
export async function lockDirectory(options: LockOptions): Promise<AsyncDisposable> {
  const { directory, mode, pid } = options;
  ensureDirectory(directory, mode);
  const { dev, ino } = statSync(directory, { bigint: true });
  const path = `\0driftless-sidecar-${dev}-${ino}`;
  const server = createServer((socket) => {
    socket.on("error", () => undefined); // Whoever asked has gone.
    socket.write(`${pid} ${pidNamespace()}\n`);
    socket.destroySoon(); // Who stays on the line would keep us from ending.
  });
  try {
    server.listen({ path });
    await once(server, "listening");
  } catch (err) {
    if (!isErrno(err, "EADDRINUSE")) throw err;
    const holder = await holderOf(path, options);
    const message = `Another sidecar has ${directory}: ${holder}. One sidecar per output and state directory`;
    throw new DirectoryTakenError(message); // That an address is in use is our way of asking, and no cause.
  }
  server.on("error", () => undefined); // Somebody could not ask: no reason to end.
  return { [Symbol.asyncDispose]: () => closed(server) };
}

async function closed(server: Server): Promise<void> {
  const end = once(server, "close");
  server.close();
  await end;
}

async function holderOf(path: string, { clock }: LockOptions): Promise<string> {
  const socket = connect({ path });
  using _limit = clock.schedule(ANSWER_MS, () => socket.destroy());
  const [, pid, namespace] = /^(\d+) (\S+)\n$/.exec(await answerOf(socket)) ?? [];
  if (pid === undefined) return "it does not say which process it is";
  return namespace === pidNamespace() ? `process ${pid}` : `process ${pid} of another container`;
}

async function answerOf(socket: Socket): Promise<string> {
  let text = "";
  try {
    for await (const chunk of socket as AsyncIterable<Buffer>) {
      text += chunk.toString();
      if (text.length > MAX_ANSWER_LENGTH) break;
    }
  } catch {
    // It has ended meanwhile, or our patience has.
  }
  return text;
}

/** Process ids mean nothing outside of it. */
function pidNamespace(): string {
  try {
    return readlinkSync("/proc/self/ns/pid");
  } catch {
    return "unknown";
  }
}
