// What the audit log says of a request, in the words of audit.k8s.io/v1: tools that read Kubernetes' log read this one.

import type { JsonValue } from "../../api/json.ts";
import type { Status } from "../../api/status-error.ts";
import type { Action } from "../authorization.ts";
import type { UserInfo } from "../user.ts";

/** Each tells more than the one before. */
export const auditLevels = ["None", "Metadata", "Request", "RequestResponse"] as const;
export type AuditLevel = (typeof auditLevels)[number];

export const auditStages = [
  "RequestReceived",
  "ResponseStarted",
  "ResponseComplete",
  "Panic",
] as const;
export type AuditStage = (typeof auditStages)[number];

interface AuditedUser {
  readonly username?: string | undefined;
  readonly uid?: string | undefined;
  readonly groups?: readonly string[] | undefined;
  readonly extra?: Readonly<Record<string, readonly string[]>> | undefined;
}

interface ObjectReference {
  resource: string;
  namespace?: string | undefined;
  name?: string | undefined;
  uid?: string | undefined;
  apiGroup?: string | undefined;
  apiVersion: string;
  resourceVersion?: string | undefined;
  subresource?: string | undefined;
}

export type ResponseStatus = Partial<Omit<Status, "kind" | "apiVersion">>;

/** In the order in which the original writes it. What is undefined is left out. */
export interface AuditEvent {
  readonly level: AuditLevel;
  readonly auditID: string;
  readonly stage: AuditStage;
  readonly requestURI: string;
  readonly verb: string;
  readonly impersonatedUser: AuditedUser | undefined;
  readonly sourceIPs: readonly string[] | undefined;
  readonly userAgent: string | undefined;
  readonly objectRef: ObjectReference | undefined;
  readonly responseStatus: ResponseStatus | undefined;
  readonly requestObject: JsonValue | undefined;
  readonly responseObject: JsonValue | undefined;
  readonly requestReceivedTimestamp: string;
  readonly stageTimestamp: string;
  readonly annotations: Readonly<Record<string, string>> | undefined;
}

export function auditedUser({ name, uid, groups, extra }: UserInfo): AuditedUser {
  return {
    username: name === "" ? undefined : name,
    uid,
    groups: groups.length === 0 ? undefined : groups,
    extra,
  };
}

export function objectReference(action: Action): ObjectReference | undefined {
  if (!action.isResource) return undefined;
  const { resource, name, group, version, subresource } = action;
  return {
    resource,
    namespace: nonEmpty(namespaceOf(action)),
    name: nonEmpty(name),
    uid: undefined,
    apiGroup: nonEmpty(group),
    apiVersion: version,
    resourceVersion: undefined,
    subresource: nonEmpty(subresource),
  };
}

/** A namespace counts as inside itself. */
export function namespaceOf({ resource, namespace, name }: Action): string {
  return resource === "namespaces" ? name : namespace;
}

/** The event as a line, without its end. By hand: most of it is known to need no escaping, and it is written often. */
export function eventLine(event: AuditEvent, user: string): string {
  const { level, auditID, stage, requestURI, verb } = event;
  return (
    `{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"${level}","auditID":${JSON.stringify(auditID)}` +
    `,"stage":"${stage}","requestURI":${JSON.stringify(requestURI)},"verb":${JSON.stringify(verb)},"user":${user}` +
    optional("impersonatedUser", event.impersonatedUser) +
    optional("sourceIPs", event.sourceIPs) +
    optional("userAgent", event.userAgent) +
    optional("objectRef", event.objectRef) +
    optional("responseStatus", event.responseStatus) +
    optional("requestObject", event.requestObject) +
    optional("responseObject", event.responseObject) +
    `,"requestReceivedTimestamp":"${event.requestReceivedTimestamp}","stageTimestamp":"${event.stageTimestamp}"` +
    `${optional("annotations", event.annotations)}}`
  );
}

function optional(name: string, value: unknown): string {
  return value === undefined ? "" : `,"${name}":${JSON.stringify(value)}`;
}

/** Times with microseconds. Remembers the last second: nearly all times are in the one before. */
export class MicroTimes {
  #second = Number.NaN;
  #text = "";

  of(ms: number): string {
    const second = Math.floor(ms / 1000);
    if (second !== this.#second) {
      this.#second = second;
      this.#text = new Date(second * 1000).toISOString().slice(0, 20);
    }
    // Nearest, because half a millisecond is not a whole number in binary.
    const micros = Math.min(999_999, Math.round((ms - second * 1000) * 1000));
    return `${this.#text}${String(micros).padStart(6, "0")}Z`;
  }
}

function nonEmpty(text: string): string | undefined {
  return text === "" ? undefined : text;
}
