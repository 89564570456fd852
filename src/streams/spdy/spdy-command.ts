// exec and attach over SPDY: a stream each for input, output, errors, sizes and the status, opened by the client.

import type { Clock } from "../../base/clock.ts";
import type { CommandStreamName, CommandTransport } from "../command-session.ts";
import type { CommandRequest } from "../command-streams.ts";
import { partingMs } from "../parting.ts";
import type { Substream } from "../substream.ts";
import { negotiateVersion, type Upgrade } from "../upgrade.ts";
import { SpdyConnection } from "./spdy-connection.ts";
import { switchToSpdy } from "./switch-to-spdy.ts";

const versions = [
  "v5.channel.k8s.io",
  "v4.channel.k8s.io",
  "v3.channel.k8s.io",
  "v2.channel.k8s.io",
  "channel.k8s.io",
] as const;

const namesBeforeResize: readonly string[] = ["stdin", "stdout", "stderr", "error"];
const streamCreationMs = 30_000;

export interface SpdyCommandOptions {
  readonly wanted: CommandRequest;
  readonly clock: Clock;
}

/** Throws an UpgradeError before anything is written; later failures leave no connection. */
export async function spdyCommand(
  { request, socket, head }: Upgrade,
  { wanted, clock }: SpdyCommandOptions,
): Promise<CommandTransport> {
  const version = negotiateVersion(request, versions);
  const names =
    version === "v2.channel.k8s.io" || version === "channel.k8s.io"
      ? namesBeforeResize
      : [...namesBeforeResize, "resize"];
  const missing = new Set(wantedNames(wanted).filter((name) => names.includes(name)));
  const streams = new Map<CommandStreamName, Substream>();
  const complete = Promise.withResolvers<void>();
  const connection = new SpdyConnection({
    socket,
    clock,
    accept: ({ headers }) => {
      const name = headers.get("streamtype") as CommandStreamName | undefined;
      if (name === undefined || !names.includes(name) || streams.has(name)) return undefined;
      return (stream) => {
        streams.set(name, stream);
        missing.delete(name);
        if (missing.size === 0) complete.resolve();
      };
    },
  });
  switchToSpdy(socket, version);
  connection.start(head);
  using _limit = clock.schedule(streamCreationMs, () => {
    complete.reject(new Error("timed out waiting for client to create streams"));
    connection.close();
  });
  const onGone = (): void => complete.reject(connection.signal.reason);
  if (connection.signal.aborted) onGone();
  connection.signal.addEventListener("abort", onGone, { once: true });
  await complete.promise;
  return {
    streams,
    format: version === "v4.channel.k8s.io" || version === "v5.channel.k8s.io" ? "json" : "text",
    signal: connection.signal,
    close: async () => {
      // The client closes when it has the status. Were we the first, what it still sends would make the kernel throw
      // away what it has not read.
      using _parting = clock.schedule(partingMs, () => connection.close());
      await connection.closed;
    },
    cut: () => connection[Symbol.dispose](),
  };
}

function wantedNames(wanted: CommandRequest): CommandStreamName[] {
  return [
    "error",
    ...(wanted.hasStdin ? (["stdin"] as const) : []),
    ...(wanted.hasStdout ? (["stdout"] as const) : []),
    ...(wanted.hasStderr && !wanted.hasTty ? (["stderr"] as const) : []),
    ...(wanted.hasTty ? (["resize"] as const) : []),
  ];
}
