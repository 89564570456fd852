// Whether a program that was started does its work: an HTTP answer, an open port, a command that ends well. One try here; it is repeated until one succeeds.

import { connect } from "node:net";
import { deadline } from "../base/abort.ts";
import type { Clock } from "../base/clock.ts";
import { byCommand } from "../reload/by-command.ts";
import { byHttp } from "../reload/by-http.ts";
import type { ReloadTry } from "../reload/reload-action.ts";

export type ReadySpec =
  | { readonly type: "http"; readonly url: string }
  | { readonly type: "tcp"; readonly host: string; readonly port: number }
  | { readonly type: "exec"; readonly argv: readonly string[] };

export interface ReadyTarget {
  readonly env: Readonly<Record<string, string>>;
  readonly clock: Clock;
}

const TRY_MS = 5_000;

export function readyTry(spec: ReadySpec, { env, clock }: ReadyTarget): ReloadTry {
  switch (spec.type) {
    case "http": {
      const { url } = spec;
      // Of this machine: its certificate is of its own making.
      return byHttp({ method: "GET", url, timeoutMs: TRY_MS, trustsAnyCertificate: true, clock });
    }
    case "exec":
      return byCommand({ argv: spec.argv, timeoutMs: TRY_MS, env, clock });
    case "tcp":
      return async (signal) => {
        using limit = deadline({ clock, timeoutMs: TRY_MS, signal });
        await connected(spec.host, spec.port, limit.signal);
      };
  }
}

function connected(host: string, port: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, signal });
    socket.once("connect", () => {
      socket.destroy();
      resolve();
    });
    socket.once("error", (err: NodeJS.ErrnoException) => {
      reject(new Error(`port ${port}: ${err.code ?? "no connection"}`, { cause: err }));
    });
  });
}
