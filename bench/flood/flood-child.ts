// The client that asks as fast as it can: so many requests are under way at any time, over HTTP/2 and HTTP/1.1. It
// ignores Retry-After, and comes back at once when it is thrown out.

import { setPriority } from "node:os";
import { performance } from "node:perf_hooks";
import {
  type FloodOperation,
  type FloodRequest,
  floodRequest,
} from "../../test/flood/flood-request.ts";
import { Http2Connection } from "../../test/flood/http2-connection.ts";
import { HttpConnection } from "../api/http-connection.ts";
import type { FloodJob, FloodResult } from "./flood-jobs.ts";
import { serveJob } from "./load-process.ts";

/** Elsewhere it would have a machine of its own. Here it may not take the processor from those who are measured. */
setPriority(10);

serveJob(flood);

interface Sender {
  /** The status. Rejects if the connection breaks. */
  send(request: FloodRequest): Promise<number>;
}

async function flood(job: FloodJob, stop: AbortSignal): Promise<FloodResult> {
  const startedMs = performance.now() + job.riseMs;
  const result = { served: 0, refused: 0, failed: 0 };
  let number = process.pid * 1_000_000;
  const slot = async (operation: FloodOperation, sender: Sender): Promise<void> => {
    while (!stop.aborted) {
      const request = floodRequest(operation, number++);
      const status = await sender.send(request).catch(() => 0);
      if (performance.now() < startedMs || stop.aborted) continue;
      if (status === request.expected) result.served++;
      else if (status === 429) result.refused++;
      else result.failed++;
    }
  };
  const senders = sendersOf(job);
  const { operations } = job;
  const slots = senders.map((sender, i) =>
    slot(operations[i % operations.length] ?? "get", sender),
  );
  await new Promise((resolve) => stop.addEventListener("abort", resolve));
  // The last answers are not waited for.
  void slots;
  return { ...result, seconds: (performance.now() - startedMs) / 1000 };
}

/** One for each request that is to be under way. */
function sendersOf({
  target,
  http2Sessions,
  streamsOfSession,
  http1Connections,
}: FloodJob): Sender[] {
  const sessions = Array.from({ length: http2Sessions }, () => new Http2Connection(target));
  const streams = sessions.flatMap((session) => new Array<Sender>(streamsOfSession).fill(session));
  return [...streams, ...Array.from({ length: http1Connections }, () => http1Sender(target))];
}

function http1Sender(target: FloodJob["target"]): Sender {
  let connection: HttpConnection | undefined;
  return {
    send: async (request) => {
      try {
        if (connection === undefined) {
          connection = new HttpConnection(target);
          await connection.open();
        }
        return await connection.exchange(bytesOf(request, target));
      } catch (err) {
        connection?.close();
        connection = undefined;
        throw err;
      }
    },
  };
}

function bytesOf({ method, path, body }: FloodRequest, { host, port }: FloodJob["target"]): Buffer {
  const type =
    body === "" ? "" : `content-type: application/json\r\ncontent-length: ${body.length}\r\n`;
  return Buffer.from(`${method} ${path} HTTP/1.1\r\nhost: ${host}:${port}\r\n${type}\r\n${body}`);
}
