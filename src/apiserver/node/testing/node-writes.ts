// Writes of a node, one per line of a table: what it sends, and what the plug-in says.

import { equal } from "node:assert/strict";
import { it } from "node:test";
import { kindOf } from "../../../api/kinds.ts";
import type { ApiObject } from "../../../api/object.ts";
import { StatusError } from "../../../api/status-error.ts";
import type { AdmissionRequest, Operation } from "../../admission/admission.ts";
import type { UserInfo } from "../../user.ts";
import { nodeRestriction } from "../node-restriction.ts";
import { cacheOf } from "./cache-of.ts";

export const ofNode = ["v1", "Node"] as const;
export const ofPod = ["v1", "Pod"] as const;

export function pod(name: string, nodeName: string, more: object = {}): ApiObject {
  const metadata = { name, namespace: "a", uid: `uid-${name}`, labels: { app: name } };
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata,
    spec: { nodeName },
    status: {},
    ...more,
  };
}

export function node(name: string, more: object = {}, spec: object = {}): ApiObject {
  const metadata = { name, uid: `uid-${name}`, ...more };
  return { apiVersion: "v1", kind: "Node", metadata, spec: { ...spec } };
}

const tokens = {
  name: "t",
  projected: {
    sources: [
      { serviceAccountToken: { path: "token" } },
      { serviceAccountToken: { path: "vault", audience: "vault" } },
    ],
  },
};
/** Bound to n1. */
export const mine: ApiObject = pod("mine", "n1", { spec: { nodeName: "n1", volumes: [tokens] } });
/** Bound to n2. */
export const other: ApiObject = pod("other", "n2");
const plugin = nodeRestriction({
  pods: cacheOf(mine, other, pod("bare", "n1")),
  nodes: cacheOf(node("n1")),
});

export function nodeUser(name: string): UserInfo {
  return { name: `system:node:${name}`, groups: ["system:nodes"] };
}

export interface Write {
  readonly operation?: Operation;
  readonly of: readonly [apiVersion: string, kind: string];
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly object?: ApiObject;
  readonly old?: ApiObject;
  readonly user?: UserInfo;
}

function requestOf(write: Write): AdmissionRequest {
  const { operation = "CREATE", of, subresource = "", namespace = "", name = "" } = write;
  const kind = kindOf(...of);
  if (kind === undefined) throw new Error(`Cannot ask about ${of.join(" ")}`);
  return {
    operation,
    kind,
    subresource,
    namespace,
    name,
    object: write.object,
    old: write.old,
    user: write.user ?? nodeUser("n1"),
    isDryRun: false,
    nowMs: 0,
    warnings: [],
    annotations: new Map(),
  };
}

/** "" if it may be. */
function verdict(write: Write, step: "mutate" | "judge"): string {
  try {
    plugin[step]?.(requestOf(write));
    return "";
  } catch (err) {
    if (!(err instanceof StatusError)) throw err;
    return `${err.code} ${err.message}`;
  }
}

/** What n1 writes, and the refusal, or "" if it may. */
export type Cases = Readonly<Record<string, readonly [Write, string]>>;

/** The same before validation and after. */
export function restricts(cases: Cases): void {
  for (const [sentence, [write, expected]] of Object.entries(cases)) {
    void it(sentence, () => {
      equal(verdict(write, "judge"), expected);
      equal(verdict(write, "mutate"), expected);
    });
  }
}
