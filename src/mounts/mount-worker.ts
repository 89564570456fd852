// The thread that visits containers: one request after the other. It ends when it is told to, or when it is lost.

import { parentPort } from "node:worker_threads";
import type { MountThreadAnswer, MountThreadRequest } from "./mount-protocol.ts";
import { LostError, NamespaceVisitor, NoVisitError } from "./namespace-visitor.ts";
import { replaceMounts } from "./replace-mounts.ts";

const visitor = new NamespaceVisitor();

parentPort?.on("message", (message: MountThreadRequest) => {
  if (message.kind === "end") parentPort?.close();
  else answer(message);
});

function answer({
  number,
  request,
}: Extract<MountThreadRequest, { readonly kind: "replace" }>): void {
  const tell = (rest: Omit<MountThreadAnswer, "number">): void =>
    parentPort?.postMessage({ number, ...rest } satisfies MountThreadAnswer);
  try {
    using replaced = replaceMounts(request, { visitor });
    tell({ outcomes: replaced.outcomes, failure: undefined });
    // Whoever waits for the new files need not wait for this.
    replaced.finish();
  } catch (err) {
    // Thrown on: this thread must not do anything any more.
    if (err instanceof LostError) throw err;
    const isGone = err instanceof NoVisitError;
    const failure = err instanceof Error ? err.message : String(err);
    tell({ outcomes: undefined, failure: isGone ? undefined : failure });
  }
}
