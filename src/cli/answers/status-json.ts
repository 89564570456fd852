// `driftless status -o json`: a shape that scripts can rely on. Fields are only ever added.

import type { JsonObject } from "../../api/json.ts";
import { type Consumer, ownerOf } from "./consumers.ts";
import {
  consumersOf,
  countStates,
  isAllInSync,
  type ObjectReport,
  type StatusReport,
  summaryText,
} from "./status-report.ts";

export function statusJson(report: StatusReport): JsonObject {
  const consumers = consumersOf(report);
  const counts = countStates(consumers);
  return {
    apiVersion: "driftless.dev/v1",
    kind: "ConfigStatus",
    inSync: isAllInSync(report),
    summary: {
      text: summaryText(consumers),
      total: consumers.length,
      inSync: counts.InSync,
      behind: counts.Behind,
      frozen: counts.Frozen,
      rejected: counts.Rejected,
      unknown: counts.Unknown,
    },
    objects: report.objects.map(objectJson),
    rollouts: report.rollouts.map(({ workload, namespace, message }) => ({
      workload,
      namespace,
      message,
    })),
    notes: [...report.notes],
  };
}

function objectJson({ object, version, revision, consumers }: ObjectReport): JsonObject {
  return {
    ...object,
    exists: version !== "gone",
    ...(version !== undefined && version !== "gone" && { version }),
    ...(revision !== undefined && {
      revision: {
        number: revision.number,
        ...(revision.author !== undefined && { author: revision.author }),
        ...(revision.changedAt !== undefined && { changedAt: revision.changedAt }),
      },
    }),
    consumers: consumers.map(consumerJson),
  };
}

function consumerJson(consumer: Consumer): JsonObject {
  const { pod, node, use, judged, isTerminating } = consumer;
  const { container = "", how, mountPath = "", keys, onDisk, wanted, applied, confirmedBy } = use;
  return {
    pod,
    owner: ownerOf(consumer),
    node,
    container,
    how,
    mountPath,
    ...(keys !== undefined && { keys: [...keys] }),
    state: judged.state,
    reason: judged.reason,
    message: judged.message,
    ...(judged.since !== undefined && { since: judged.since }),
    ...(wanted !== undefined && { wanted: wanted.hash }),
    ...(onDisk !== undefined && { version: onDisk.hash }),
    ...(applied !== undefined && { applied: applied.hash }),
    confirmed: judged.isConfirmed,
    ...(confirmedBy !== undefined && confirmedBy !== "" && { confirmedBy }),
    terminating: isTerminating,
  };
}
