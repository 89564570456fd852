// A client of exec as small as one can be: WebSocket, without kubectl. What waits to be sent is bounded.

import { once } from "node:events";
import { WebSocket } from "ws";
import { type DriftlessServer, readCredentials } from "../../test/support/driftless-server.ts";

const PROTOCOL = "v5.channel.k8s.io";
const [STDIN, STDOUT, STATUS, CLOSE] = [0, 1, 3, 255];
const CHUNK_BYTES = 32 * 1024;
/** What may wait to be sent. */
const MAX_WAITING_BYTES = 1024 * 1024;

export interface Exec {
  readonly server: DriftlessServer;
  readonly pod: string;
  readonly argv: readonly string[];
  /** Of zeros; then the end of the input. Nothing: no stdin. */
  readonly inputBytes?: number;
}

/** Runs it to its end; the number of bytes that it wrote to its stdout. Throws unless it ends with 0. */
export async function execBySocket({ server, pod, argv, inputBytes = 0 }: Exec): Promise<number> {
  const query = new URLSearchParams([
    ["stdout", "true"],
    ["stdin", String(inputBytes > 0)],
    ...argv.map((word) => ["command", word] as [string, string]),
  ]);
  const url = `${server.url}/api/v1/namespaces/default/pods/${pod}/exec?${query.toString()}`;
  const socket = new WebSocket(url.replace(/^https/, "wss"), PROTOCOL, {
    ...readCredentials(server.kubeconfig),
    perMessageDeflate: false,
  });
  let received = 0;
  let status = "";
  socket.on("message", (message: Buffer) => {
    if (message[0] === STDOUT) received += message.length - 1;
    if (message[0] === STATUS) status = message.subarray(1).toString();
  });
  const closed = once(socket, "close");
  await once(socket, "open");
  if (inputBytes > 0) await send(socket, inputBytes);
  await closed;
  if (!status.includes('"Success"')) throw new Error(`${argv.join(" ")} failed: ${status}`);
  return received;
}

async function send(socket: WebSocket, bytes: number): Promise<void> {
  const chunk = Buffer.alloc(1 + CHUNK_BYTES, STDIN);
  for (let left = bytes; left > 0; left -= CHUNK_BYTES) {
    const { promise, resolve } = Promise.withResolvers<void>();
    socket.send(chunk.subarray(0, 1 + Math.min(left, CHUNK_BYTES)), () => resolve());
    if (socket.bufferedAmount > MAX_WAITING_BYTES) await promise;
  }
  socket.send(Buffer.from([CLOSE, STDIN]));
}
