// Watches that nothing happens to, to see what they cost.

import { type ClientHttp2Session, type ClientHttp2Stream, connect } from "node:http2";
import type { HoldJob } from "./jobs.ts";
import { watchPath } from "./request-bytes.ts";
import { WatchConnections } from "./watch-connections.ts";

export interface HeldWatches {
  close(): void;
}

export async function holdWatches(job: HoldJob): Promise<HeldWatches> {
  const names = Array.from({ length: job.watchers }, (_, i) => `${job.prefix}-${i}`);
  if (job.http2Connections !== undefined) return holdHttp2(job, names, job.http2Connections);
  const watches = new WatchConnections({
    ...job,
    names,
    resumesSessions: false,
    onEvent: () => undefined,
  });
  await watches.open();
  return watches;
}

async function holdHttp2(
  { target, namespace }: HoldJob,
  names: readonly string[],
  connections: number,
): Promise<HeldWatches> {
  const { host, port, ca, cert, key } = target;
  const sessions = Array.from({ length: connections }, () =>
    connect(`https://${host}:${port}`, { ca, cert, key }),
  );
  for (let i = 0; i < names.length; i += 100) {
    const some = names.slice(i, i + 100);
    await Promise.all(
      some.map((name, j) => begun(sessionOf(sessions, i + j), watchPath(namespace, name))),
    );
  }
  return {
    close: () => {
      for (const session of sessions) session.destroy();
    },
  };
}

function sessionOf(sessions: readonly ClientHttp2Session[], i: number): ClientHttp2Session {
  const session = sessions[i % sessions.length];
  if (session === undefined) throw new RangeError("Cannot watch without a connection");
  return session;
}

function begun(session: ClientHttp2Session, path: string): Promise<ClientHttp2Stream> {
  return new Promise((resolve, reject) => {
    const stream = session.request({ ":method": "GET", ":path": path });
    stream.on("error", reject);
    stream.once("response", (headers) => {
      if (headers[":status"] === 200) resolve(stream);
      else reject(new Error(`Cannot watch: the server answers ${headers[":status"]}`));
    });
    stream.resume();
  });
}
