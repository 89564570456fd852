// A container is well if a connection to its port can be opened. Nothing is said on it.

import { connect } from "node:net";
import { deadline } from "../../base/abort.ts";
import { dialFailure, dialTimeout } from "./network-error.ts";
import type { Outcome, ProbeLimits } from "./probe-outcome.ts";

export async function probeTcp(
  { host, port }: { readonly host: string; readonly port: number },
  { clock, timeoutSeconds, signal }: ProbeLimits,
): Promise<Outcome> {
  signal.throwIfAborted();
  using limit = deadline({ clock, timeoutMs: timeoutSeconds * 1000, signal });
  const socket = connect({ host, port });
  try {
    return await new Promise<Outcome>((resolve) => {
      socket.once("connect", () => resolve({ result: "success", output: "" }));
      socket.on("error", (err) =>
        resolve({ result: "failure", output: dialFailure(err, host, port) }),
      );
      limit.signal.addEventListener("abort", () =>
        resolve({ result: "failure", output: dialTimeout(host, port) }),
      );
    });
  } finally {
    socket.destroy();
    signal.throwIfAborted();
  }
}
