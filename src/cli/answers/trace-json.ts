// `driftless trace -o json`: a shape that scripts can rely on. Fields are only ever added.

import type { JsonObject } from "../../api/json.ts";
import { type Consumer, ownerOf } from "./consumers.ts";
import type { Trace } from "./timeline.ts";
import type { TraceHeading } from "./trace-text.ts";

export function traceJson(heading: TraceHeading, trace: Trace): JsonObject {
  const { object, hash, number, author, changedAt } = heading;
  return {
    apiVersion: "driftless.dev/v1",
    kind: "ConfigTrace",
    object: { ...object },
    version: hash,
    ...(number !== undefined && {
      revision: {
        number,
        ...(author !== undefined && { author }),
        ...(changedAt !== undefined && { changedAt }),
      },
    }),
    sinceCommit: trace.isSinceCommit,
    consumers: trace.timelines.map(({ consumer, stages, totalMs }) => ({
      ...consumerJson(consumer),
      stages: Object.fromEntries(stages.map(({ stage, at, lagMs }) => [stage, { at, lagMs }])),
      totalMs,
    })),
    unknown: trace.others.map(({ consumer, why }) => ({ ...consumerJson(consumer), why })),
    stages: trace.stages.map((one) => ({ ...one })),
    notes: [...trace.notes],
  };
}

function consumerJson(consumer: Consumer): JsonObject {
  const { pod, node, use, judged } = consumer;
  const { container = "", how, mountPath = "" } = use;
  const owner = ownerOf(consumer);
  return { pod, owner, node, container, how, mountPath, state: judged.state };
}
