// What a node has asked of the server, from the server's audit log: unlike its metrics it knows of watches that are still open, of
// which object a watch is, and when each request came and was answered.

import { readFileSync } from "node:fs";
import { join } from "node:path";

export interface NodeRequest {
  readonly verb: string;
  readonly resource: string;
  /** The one object that it is about, if so. */
  readonly name: string;
  readonly receivedAt: string;
  /** When the answer began; undefined if it has not. */
  answeredAt: string | undefined;
  /** Whether the answer has ended. */
  isOver: boolean;
  code: number;
}

interface AuditLine {
  readonly auditID: string;
  readonly stage: string;
  readonly verb: string;
  readonly requestURI: string;
  readonly objectRef?: { readonly resource?: string; readonly name?: string };
  readonly responseStatus?: { readonly code?: number };
  readonly stageTimestamp: string;
}

/** For `--audit-policy-file`: everything that nodes do, and nothing else. */
export const nodesPolicy = `
apiVersion: audit.k8s.io/v1
kind: Policy
rules:
- {level: Metadata, userGroups: ["system:nodes"]}
- {level: None}
`;

export class NodeRequests {
  readonly #file: string;
  #begin = 0;

  constructor(serverDirectory: string) {
    this.#file = join(serverDirectory, "audit", "audit.log");
  }

  /** Forgets what was asked until now. What is open stays known to `open()`. */
  mark(): void {
    this.#begin = this.#lines().length;
  }

  since(): readonly NodeRequest[] {
    return requestsOf(this.#lines().slice(this.#begin));
  }

  /** Watches that this server has begun and not ended: not meant for a server that was killed. */
  openWatches(): readonly NodeRequest[] {
    return requestsOf(this.#lines()).filter(({ verb, isOver }) => verb === "watch" && !isOver);
  }

  /** The last line may be half written. */
  #lines(): readonly string[] {
    return readFileSync(this.#file, "utf8").split("\n").slice(0, -1);
  }
}

function requestsOf(lines: readonly string[]): readonly NodeRequest[] {
  const requests = new Map<string, NodeRequest>();
  for (const line of lines.map((one) => JSON.parse(one) as AuditLine)) {
    const request = requests.get(line.auditID);
    if (line.stage === "RequestReceived") requests.set(line.auditID, newRequest(line));
    // Unknown: it came before the mark.
    else if (request !== undefined) {
      request.answeredAt ??= line.stageTimestamp;
      request.isOver = line.stage === "ResponseComplete";
      request.code = line.responseStatus?.code ?? 0;
    }
  }
  return [...requests.values()];
}

function newRequest({ verb, objectRef, requestURI, ...line }: AuditLine): NodeRequest {
  const selected = /metadata\.name(?:=|%3D)([^&]+)/.exec(requestURI)?.[1];
  return {
    verb,
    resource: objectRef?.resource ?? "",
    name: objectRef?.name ?? selected ?? "",
    receivedAt: line.stageTimestamp,
    answeredAt: undefined,
    isOver: false,
    code: line.responseStatus?.code ?? 0,
  };
}

/** How many were waiting for the beginning of their answers at the same time, at most. */
export function mostAtOnce(requests: readonly NodeRequest[]): number {
  const steps = requests.flatMap(({ receivedAt, answeredAt }) => [
    { at: receivedAt, by: 1 },
    ...(answeredAt === undefined ? [] : [{ at: answeredAt, by: -1 }]),
  ]);
  let current = 0;
  let most = 0;
  for (const { by } of steps.toSorted((x, y) =>
    x.at < y.at ? -1 : x.at > y.at ? 1 : x.by - y.by,
  )) {
    current += by;
    most = Math.max(most, current);
  }
  return most;
}

/** How often each object of a kind was asked about with a verb. */
export function timesAsked(
  requests: readonly NodeRequest[],
  verbs: readonly string[],
  resource: string,
): ReadonlyMap<string, number> {
  const times = new Map<string, number>();
  for (const one of requests) {
    if (one.resource !== resource || !verbs.includes(one.verb)) continue;
    times.set(one.name, (times.get(one.name) ?? 0) + 1);
  }
  return times;
}
