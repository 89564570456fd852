// The thread that visits containers: one request after the other. It ends when it is told to, or when it is lost.

import { parentPort } from "node:worker_threads";
import type {
  MountThreadAnswer,
  MountThreadMessage,
  MountThreadRequest,
} from "./mount-protocol.ts";
import { MountRecords } from "./mount-record.ts";
import { LostError, NamespaceVisitor, NoVisitError } from "./namespace-visitor.ts";
import { type ReplaceRequest, replaceMounts } from "./replace-mounts.ts";

const visitor = new NamespaceVisitor();
const records = new MountRecords();

parentPort?.on("message", (message: MountThreadRequest) => {
  if (message.kind === "end") {
    parentPort?.close();
    return;
  }
  answer(message.request);
  tell({ kind: "done" });
});

function answer(request: ReplaceRequest): void {
  const say = (what: MountThreadAnswer): void => tell({ kind: "answer", ...what });
  try {
    using replaced = replaceMounts(request, { visitor, records });
    say({ outcomes: replaced.outcomes, failure: undefined });
    // Whoever waits for the new files need not wait for this.
    replaced.finish();
  } catch (err) {
    // Thrown on: this thread must not do anything any more.
    if (err instanceof LostError) throw err;
    const isGone = err instanceof NoVisitError;
    const failure = err instanceof Error ? err.message : String(err);
    say({ outcomes: undefined, failure: isGone ? undefined : failure });
  }
}

function tell(message: MountThreadMessage): void {
  parentPort?.postMessage(message);
}
