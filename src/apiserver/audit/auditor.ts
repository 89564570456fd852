// Follows a request from its arrival to its end and writes an event for each stage that the policy wants to see.
//
// (1) begin() when it arrives: it has a name, and nothing else is done.
// (2) start() when it is known who asks what: the policy chooses how much is told.
// (3) impersonate, authorize, annotate, refersTo, requestBody: what is learnt on the way.
// (4) respond() when the head of a stream goes out, then complete() or panic(), once.

import type { JsonObject } from "../../api/json.ts";
import type { ObjectMeta } from "../../api/types.ts";
import type { Clock } from "../../base/clock.ts";
import type { Counter, Metrics } from "../../base/metrics.ts";
import type { Action, Decision } from "../authorization.ts";
import type { Answer, HttpRequest } from "../http/answer.ts";
import type { UserInfo } from "../user.ts";
import {
  type AuditEvent,
  type AuditStage,
  auditedUser,
  eventLine,
  MicroTimes,
  objectReference,
  type ResponseStatus,
} from "./audit-event.ts";
import { auditIdOf } from "./audit-id.ts";
import { type AuditChoice, type AuditPolicy, auditChooser } from "./audit-policy.ts";
import { type AuditedBody, auditedBody, type Body, hasSecretBody } from "./audited-body.ts";
import { auditedStatus } from "./audited-status.ts";
import { shownText, shownUri } from "./shown-uri.ts";
import { sourceIps } from "./source-ips.ts";

/** Takes lines without their end. Never throws, never makes anybody wait. */
export interface AuditSink {
  write(line: string): void;
}

export interface AuditorOptions {
  readonly policy: AuditPolicy;
  readonly sink: AuditSink;
  readonly clock: Clock;
  readonly metrics: Metrics;
}

/** Who asks when nobody could be found out: of a request with a token that is not good. */
export const nobody: UserInfo = { name: "", groups: [] };

/** As in the original. */
const MAX_USER_AGENT = 1024;
const SLOW_MS = 500;
/** An annotation is a remark. */
const MAX_ANNOTATION = 4096;

interface Tools {
  readonly choose: (action: Action) => AuditChoice;
  readonly sink: AuditSink;
  readonly clock: Clock;
  readonly events: Counter;
  readonly times: MicroTimes;
  /** As events show them: those of a connection are one object, and ask often. */
  readonly users: WeakMap<UserInfo, string>;
}

export class Auditor {
  readonly #tools: Tools;

  constructor({ policy, sink, clock, metrics }: AuditorOptions) {
    const events = metrics.counter({
      name: "apiserver_audit_event_total",
      help: "Events that were written, or would have been if there was room.",
    });
    this.#tools = {
      choose: auditChooser(policy),
      sink,
      clock,
      events,
      times: new MicroTimes(),
      users: new WeakMap(),
    };
  }

  begin(request: HttpRequest): RequestAudit {
    return new RequestAudit(request, this.#tools);
  }
}

/** What was chosen for the request, and what is known of it. */
interface Audited {
  readonly action: Action;
  readonly choice: AuditChoice;
  readonly isSecret: boolean;
  readonly objectRef: AuditEvent["objectRef"];
  readonly requestURI: string;
  readonly sourceIPs: readonly string[] | undefined;
  readonly userAgent: string | undefined;
}

/** The audit of one request. Every method may be called whether it is audited or not. */
export class RequestAudit {
  readonly id: string;
  readonly #tools: Tools;
  readonly #request: HttpRequest;
  readonly #receivedMs: number;
  readonly #startMs: number;
  /** Undefined if it is not audited, or not yet. */
  #audited: Audited | undefined;
  #impersonated: UserInfo | undefined;
  #annotations: Record<string, string> | undefined;
  #requestBody: Body | undefined;
  #status: ResponseStatus | undefined;

  constructor(request: HttpRequest, tools: Tools) {
    this.id = auditIdOf(request);
    this.#request = request;
    this.#tools = tools;
    this.#receivedMs = tools.clock.now();
    this.#startMs = tools.clock.monotonicMs();
  }

  /** `action` in the name of who was authenticated, not of whom they act for. */
  start(action: Action): void {
    const choice = this.#tools.choose(action);
    if (choice.level === "None") return;
    const request = this.#request;
    const { "user-agent": agent } = request.headers;
    const addresses = sourceIps(request);
    this.#audited = {
      action,
      choice,
      isSecret: hasSecretBody(action),
      objectRef: objectReference(action),
      requestURI: shownUri(request.url ?? ""),
      sourceIPs: addresses.length === 0 ? undefined : addresses,
      userAgent: agent === undefined ? undefined : shownText(agent, MAX_USER_AGENT),
    };
    this.#emit("RequestReceived");
  }

  impersonate(user: UserInfo): void {
    this.#impersonated = user;
  }

  authorize({ verdict, reason }: Decision): void {
    if (this.#audited === undefined) return;
    this.annotate("authorization.k8s.io/decision", verdict === "allow" ? "allow" : "forbid");
    this.annotate("authorization.k8s.io/reason", reason);
  }

  annotate(key: string, value: string): void {
    if (this.#audited === undefined) return;
    this.#annotations ??= {};
    this.#annotations[key] = shownText(value, MAX_ANNOTATION);
  }

  /** The object that the request turned out to be about, where the path does not say it. */
  refersTo({ namespace, name, uid, resourceVersion }: ObjectMeta): void {
    const reference = this.#audited?.objectRef;
    if (reference === undefined) return;
    reference.namespace ??= namespace;
    reference.name ??= name;
    reference.uid ??= uid;
    reference.resourceVersion ??= resourceVersion;
  }

  /** The bytes are kept until the end if they are wanted, and are not copied. */
  requestBody(bytes: Uint8Array, contentType: string | undefined): void {
    if (this.#showsBodies) this.#requestBody = { pieces: [bytes], contentType: contentType ?? "" };
  }

  /** The head of an answer that goes on for long has gone out. */
  respond(code: number): void {
    this.#status = { metadata: {}, code };
    this.#emit("ResponseStarted");
  }

  /** `answer` is undefined if the handler has answered by itself, as watches do. */
  complete(answer: Answer | undefined): void {
    if (this.#audited === undefined) return;
    if (answer !== undefined) this.#status = auditedStatus(answer, this.#showsValues);
    this.#status ??= {
      metadata: {},
      status: "Success",
      message: "Connection closed early",
      code: 200,
    };
    const tookMs = this.#elapsedMs();
    if (tookMs > SLOW_MS) {
      this.annotate("apiserver.latency.k8s.io/total", `${(tookMs / 1000).toFixed(6)}s`);
    }
    this.#emit("ResponseComplete", answer);
    this.#audited = undefined;
  }

  /** A fault of the server. What happened is in its own log: it may be about anything. */
  panic(): void {
    this.#status = {
      metadata: {},
      status: "Failure",
      message: "APIServer panic'd: see the server's log",
      reason: "InternalError",
      code: 500,
    };
    this.#emit("Panic");
    this.#audited = undefined;
  }

  get #showsBodies(): boolean {
    const { choice, isSecret } = this.#audited ?? {};
    return choice !== undefined && choice.level !== "Metadata" && isSecret === false;
  }

  /** ConfigMaps are no secrets, but what is in them is only for those logs whose policy says so. */
  get #showsValues(): boolean {
    return this.#showsBodies || (!this.#audited?.isSecret && !this.#isConfigMap);
  }

  get #isConfigMap(): boolean {
    return this.#audited?.action.resource === "configmaps";
  }

  #elapsedMs(): number {
    return this.#tools.clock.monotonicMs() - this.#startMs;
  }

  #emit(stage: AuditStage, answer?: Answer): void {
    const audited = this.#audited;
    if (audited === undefined || audited.choice.omitStages.includes(stage)) return;
    const bodies = this.#showsBodies ? this.#bodies(audited.choice, answer) : undefined;
    const isFirst = stage === "RequestReceived";
    const { times, sink, events } = this.#tools;
    const event: AuditEvent = {
      level: audited.isSecret ? "Metadata" : audited.choice.level,
      auditID: this.id,
      stage,
      requestURI: audited.requestURI,
      verb: audited.action.verb,
      impersonatedUser: this.#impersonated && auditedUser(this.#impersonated),
      sourceIPs: audited.sourceIPs,
      userAgent: audited.userAgent,
      objectRef: audited.objectRef,
      responseStatus: this.#status,
      requestObject: bodies?.request,
      responseObject: bodies?.response,
      requestReceivedTimestamp: times.of(this.#receivedMs),
      stageTimestamp: times.of(this.#receivedMs + (isFirst ? 0 : this.#elapsedMs())),
      annotations: this.#annotations,
    };
    events.inc();
    sink.write(eventLine(event, this.#userText(audited.action.user)));
  }

  #userText(user: UserInfo): string {
    const { users } = this.#tools;
    const known = users.get(user);
    if (known !== undefined) return known;
    const text = JSON.stringify(auditedUser(user));
    users.set(user, text);
    return text;
  }

  #bodies({ level, omitManagedFields }: AuditChoice, answer: Answer | undefined): Bodies {
    const request = this.#requestBody && auditedBody(this.#requestBody, omitManagedFields);
    const response =
      level === "RequestResponse" && answer !== undefined
        ? this.#responseBody(answer, omitManagedFields)
        : undefined;
    if (request?.isTooLong || response?.isTooLong) this.annotate("audit.k8s.io/truncated", "true");
    return { request: request?.object, response: response?.object };
  }

  /** A Status as it was judged above: its message may repeat what must not be seen. */
  #responseBody({ body, contentType }: Answer, omitManagedFields: boolean): AuditedBody {
    const status = this.#status;
    if (status?.status === undefined) {
      return auditedBody({ pieces: body, contentType }, omitManagedFields);
    }
    const object = { kind: "Status", apiVersion: "v1", ...status } as unknown as JsonObject;
    return { object, isTooLong: false };
  }
}

interface Bodies {
  readonly request: AuditEvent["requestObject"];
  readonly response: AuditEvent["responseObject"];
}
