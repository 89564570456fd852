// The thread that checks contents. It gets one request at a time, and holds nothing of a content between two.

import { parentPort } from "node:worker_threads";
import type { CheckMessage, CheckRequest } from "./check-protocol.ts";
import { runChecks } from "./run-checks.ts";

if (parentPort === null) throw new Error("check-worker runs in a thread only");
const port = parentPort;
const say = (message: CheckMessage): void => port.postMessage(message);

port.on("message", ({ id, checks, content }: CheckRequest) => {
  const refusal = runChecks(checks, content, (place) => say({ kind: "at", id, place }));
  say({ kind: "answer", id, refusal });
});
