// The API over HTTP: who asks, may they, what for; then the handler, and its answer or its error as a Status.

import { qualifiedResource } from "../api/kind.ts";
import {
  internalError,
  methodNotAllowed,
  StatusError,
  serviceUnavailable,
  tooManyRequests,
  unknownResource,
} from "../api/status-error.ts";
import type { Metrics } from "../base/metrics.ts";
import { StoreUnavailableError } from "../storage/store.ts";
import { AUDIT_ID_HEADER } from "./audit/audit-id.ts";
import { type Auditor, nobody, type RequestAudit } from "./audit/auditor.ts";
import { logRequest } from "./audit/request-log.ts";
import { remoteAddress } from "./audit/source-ips.ts";
import { authenticate, impersonated } from "./authentication.ts";
import type { Action } from "./authorization.ts";
import { dispatchResource, verbOf } from "./dispatch-resource.ts";
import { type Documents, pageNotFound } from "./documents.ts";
import { flowAsk } from "./flow/flow-ask.ts";
import type { Ask, FlowControl } from "./flow/flow-control.ts";
import { RequestSeat } from "./flow/request-seat.ts";
import type { ServerParts } from "./handlers/context.ts";
import { countHealth, type HealthCheck, healthAnswer } from "./health.ts";
import {
  type Answer,
  type HttpRequest,
  type HttpResponse,
  send,
  statusAnswer,
  textAnswer,
} from "./http/answer.ts";
import { ByteBudget } from "./http/byte-budget.ts";
import { isGone } from "./http/is-gone.ts";
import { ClientGoneError, readBody } from "./http/read-body.ts";
import { requestInfo } from "./http/request-info.ts";
import type { Upgrade } from "./http/upgrade.ts";
import type { JoinApi } from "./join/join-api.ts";
import { peerKey } from "./join/peer-key.ts";
import type { TunnelApi } from "./node-access/tunnel-api.ts";
import type { Resource } from "./registry/resource.ts";
import { type Asked, actionOf } from "./request-action.ts";
import { Rights } from "./rights.ts";
import type { OpenIdDocuments } from "./tokens/openid-documents.ts";
import { anonymous, type UserInfo } from "./user.ts";

/** A year, as is usual. Only what is reached by a name heeds it. */
const HSTS = "max-age=31536000";

/** Answers that wait for their clients to take them; small ones do not count. */
const MAX_UNTAKEN_BYTES = 512 * 1024 * 1024;
const LARGE_BYTES = 32 * 1024;
const UNTAKEN = "too many answers wait to be read, please try again later";

/** For all who have none; nobody changes what was asked. */
const NO_QUERY = new URLSearchParams();

/** What may last as long as it likes, as the original counts it. */
const connects: ReadonlySet<string> = new Set(["attach", "exec", "log", "portforward", "proxy"]);
const streamVerbs: ReadonlySet<string> = new Set(["watch", "connect"]);

/** Clients may send any other word too. */
const METHODS: readonly string[] = ["GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"];

export interface ApiServerOptions {
  readonly parts: ServerParts;
  readonly documents: Documents;
  readonly openId: OpenIdDocuments;
  readonly join: JoinApi;
  readonly tunnels: TunnelApi;
  readonly metrics: Metrics;
  readonly auditor: Auditor;
  readonly flow: FlowControl;
  readonly live: readonly HealthCheck[];
  readonly ready: readonly HealthCheck[];
  /** Browsers that come from other machines are told to come back over TLS only. */
  readonly isPublic: boolean;
}

export class ApiServer {
  readonly #options: ApiServerOptions;
  readonly #rights: Rights;
  readonly #requests;
  readonly #durations;
  readonly #answers = new ByteBudget({ maxBytes: MAX_UNTAKEN_BYTES, maxShare: 1 / 2 });

  constructor(options: ApiServerOptions) {
    this.#options = options;
    this.#rights = new Rights(options.parts);
    this.#requests = options.metrics.counter({
      name: "apiserver_request_total",
      help: "Requests by verb, resource and code.",
      labels: ["verb", "resource", "code"],
    });
    this.#durations = options.metrics.histogram({
      name: "apiserver_request_duration_seconds",
      help: "How long requests took, watches excepted.",
      labels: ["verb", "resource"],
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    });
    countHealth(options.metrics, options.ready);
    options.metrics.beforeText(() => options.flow.publishMetrics());
  }

  /** Never rejects: whatever happens becomes an answer. */
  async handle(request: HttpRequest, response: HttpResponse, upgrade?: Upgrade): Promise<void> {
    const { clock, logger } = this.#options.parts;
    const began = clock.monotonicMs();
    const method = request.method ?? "GET";
    const [path, search] = splitUrl(request.url ?? "/");
    const warnings: string[] = [];
    const asked: Asked = {
      method,
      path,
      query: search === "" ? NO_QUERY : new URLSearchParams(search),
      info: requestInfo(path) ?? { is: "other", path },
    };
    const audit = this.#options.auditor.begin(request);
    const exchange: Exchange = {
      request,
      response,
      upgrade,
      warnings,
      headers: {
        [AUDIT_ID_HEADER]: audit.id,
        ...(this.#options.isPublic && { "strict-transport-security": HSTS }),
      },
      annotations: new Map(),
      audit,
      resource: this.#resourceOf(asked),
      user: "",
    };
    const answer = await this.#answer(asked, exchange);
    for (const [key, value] of exchange.annotations) audit.annotate(key, value);
    audit.complete(answer);
    const code = answer?.code ?? response.statusCode;
    const durationMs = clock.monotonicMs() - began;
    const verb = this.#count(asked, exchange, { code, ms: durationMs });
    const { user } = exchange;
    const url = request.url ?? "/";
    const isStream = streamVerbs.has(verb);
    logRequest(logger, { method, url, user, code, durationMs, auditId: audit.id, isStream });
    if (answer === undefined) return;
    await this.#send(asked, exchange, answer);
  }

  async #send({ method, path }: Asked, exchange: Exchange, answer: Answer): Promise<void> {
    const { request, response, warnings, headers, user } = exchange;
    const { logger } = this.#options.parts;
    // What was written is answered in any case: it happened.
    const held = method !== "GET" || this.#held(response, answer, user);
    try {
      const acceptEncoding = request.headers["accept-encoding"];
      await send(response, held ? answer : statusAnswer(tooManyRequests(UNTAKEN, 1)), {
        acceptEncoding: Array.isArray(acceptEncoding) ? acceptEncoding.join() : acceptEncoding,
        headers,
        warnings: warnings.length === 0 ? warnings : [...new Set(warnings)],
        hasBody: method !== "HEAD",
      });
    } catch (err) {
      logger.warn("cannot send an answer", { method, path, err });
      response.destroy();
    }
  }

  /** False if too much waits for clients to take it already. */
  #held(response: HttpResponse, { body }: Answer, user: string): boolean {
    const bytes = body.reduce((sum, piece) => sum + piece.length, 0);
    if (bytes < LARGE_BYTES || isGone(response)) return true;
    if (!this.#answers.take(user, bytes)) return false;
    response.once("close", () => this.#answers.giveBack(user, bytes));
    return true;
  }

  async #answer(asked: Asked, exchange: Exchange): Promise<Answer | undefined> {
    try {
      return await this.#allowed(asked, exchange);
    } catch (err) {
      if (exchange.response.headersSent) {
        // A stream that broke: the client sees it end and comes back.
        exchange.response.destroy();
        return undefined;
      }
      return this.#errorAnswer(asked, exchange, err);
    }
  }

  #errorAnswer({ method, path }: Asked, { audit }: Exchange, err: unknown): Answer {
    const { logger } = this.#options.parts;
    if (err instanceof StatusError) return statusAnswer(err);
    if (err instanceof ClientGoneError) {
      logger.debug("a request was not sent to its end", { method, path, err });
      return statusAnswer(new StatusError({ code: 408, reason: "Timeout", message: err.message }));
    }
    if (err instanceof StoreUnavailableError) {
      logger.warn("the store is not available", { method, path, err });
      return statusAnswer(serviceUnavailable(err.message, err));
    }
    logger.error("request failed", { method, path, err });
    audit.panic();
    return statusAnswer(internalError("see the server's log", err));
  }

  async #allowed(asked: Asked, exchange: Exchange): Promise<Answer | undefined> {
    const { audit } = exchange;
    const self = await this.#authenticated(asked, exchange);
    exchange.user = self.name;
    const own = actionOf(asked, self);
    audit.start(own);
    const user = await this.#actingAs(self, exchange.request);
    if (user !== self) audit.impersonate(user);
    const action = user === self ? own : actionOf(asked, user);
    const ask = this.#flowAsk(asked, exchange, action);
    const seat = new RequestSeat(() => this.#options.flow.acquire(ask));
    const waiting = seat.take();
    if (waiting !== undefined) await waiting;
    try {
      await this.#demand(action, audit);
      return asked.info.is === "resource"
        ? await this.#resource(asked, { ...exchange, seat, action })
        : await this.#other(asked, { ...exchange, seat, action });
    } finally {
      seat.release();
    }
  }

  async #authenticated(asked: Asked, { request, audit }: Exchange): Promise<UserInfo> {
    const { tokens, clock } = this.#options.parts;
    try {
      return await authenticate(request, { tokens, nowMs: clock.now() });
    } catch (err) {
      audit.start(actionOf(asked, nobody));
      throw err;
    }
  }

  async #demand(action: Action, audit: RequestAudit): Promise<void> {
    try {
      audit.authorize({ verdict: "allow", reason: await this.#rights.demand(action) });
    } catch (err) {
      audit.authorize({ verdict: "deny", reason: "" });
      throw err;
    }
  }

  /** Asked again while an answer goes on: tokens end, certificates too, and rights are taken away. */
  async #demandStill(action: Action, request: HttpRequest): Promise<void> {
    const { tokens, clock } = this.#options.parts;
    const self = await authenticate(request, { tokens, nowMs: clock.now() });
    await this.#actingAs(self, request);
    await this.#rights.demand(action);
  }

  #resourceOf({ info }: Asked): Resource | undefined {
    return info.is === "resource"
      ? this.#options.parts.resource(info.group, info.version, info.resource)
      : undefined;
  }

  #flowAsk({ query }: Asked, { request, response, resource }: Exchange, action: Action): Ask {
    const source = action.user.name === anonymous.name ? remoteAddress(request) : "";
    return flowAsk({ action, query, response, source, stored: resource?.cache.size ?? 0 });
  }

  /** Whoever may impersonate is from here on the other user. */
  async #actingAs(self: UserInfo, request: HttpRequest): Promise<UserInfo> {
    const other = impersonated(request);
    if (other === undefined) return self;
    await this.#rights.demandImpersonation(self, other.asked);
    return other.user;
  }

  async #resource(
    { method, query, info }: Asked,
    { action, resource, ...exchange }: Seated,
  ): Promise<Answer | undefined> {
    const { parts } = this.#options;
    const { request, audit } = exchange;
    if (info.is !== "resource") throw unknownResource();
    if (resource === undefined) {
      if (!this.#isKnownGroup(info.group)) return pageNotFound();
      throw unknownResource();
    }
    const nowMs = parts.clock.now();
    return dispatchResource(
      {
        ...exchange,
        parts,
        resource,
        info,
        query,
        user: action.user,
        demand: (verb) => this.#demand({ ...action, verb }, audit),
        demandStill: () => this.#demandStill(action, request),
        nowMs,
      },
      method,
    );
  }

  #isKnownGroup(group: string): boolean {
    return this.#options.documents.hasGroup(group);
  }

  async #other(asked: Asked, exchange: Seated): Promise<Answer | undefined> {
    refuseOtherMethods(asked);
    const { path, query, info } = asked;
    const { request } = exchange;
    const { live, ready, metrics } = this.#options;
    const [endpoint = "", ...only] = path.split("/").slice(1);
    switch (endpoint) {
      case "livez":
      case "healthz":
      case "readyz":
        return healthAnswer(endpoint === "readyz" ? ready : live, {
          endpoint,
          only: only.join("/"),
          isVerbose: query.has("verbose"),
          excluded: query.getAll("exclude"),
        });
      case "metrics": {
        const text = await metrics.text();
        return { ...textAnswer(200, text), contentType: metrics.contentType };
      }
      case "driftless":
        if (this.#options.tunnels.isOwn(path)) return this.#tunnel(asked, exchange);
        return (await this.#join(asked, exchange)) ?? pageNotFound();
      default:
        return this.#document(info.is === "other" ? info.path : path, request);
    }
  }

  async #tunnel({ method, path }: Asked, exchange: Seated): Promise<undefined> {
    const { parts, tunnels } = this.#options;
    const { request, action } = exchange;
    const { user } = action;
    const demandStill = (): Promise<void> => this.#demandStill(action, request);
    await tunnels.serve({ ...exchange, method, path, user, parts, demandStill });
    return undefined;
  }

  #join(
    { method, path }: Asked,
    { request, response, seat, action }: Seated,
  ): Promise<Answer | undefined> {
    const { parts, join } = this.#options;
    const { user } = action;
    const body = (): Promise<Buffer> => readBody({ request, response, parts, user, seat });
    return join.answer({ method, path, user, peerKey: peerKey(request), body });
  }

  #document(path: string, request: HttpRequest): Answer {
    const { documents, openId } = this.#options;
    const found = documents.answer(path, request) ?? openId.answer(path);
    if (found !== undefined) return found;
    const [root, group = ""] = path.split("/").slice(1);
    // Clients take any answer but this page for a sign that a group exists.
    const isOurs = root === "api" || (root === "apis" && this.#isKnownGroup(group));
    if (isOurs) throw unknownResource();
    return pageNotFound();
  }

  #count(
    { method, info, query }: Asked,
    { resource: asked, upgrade }: Exchange,
    { code, ms }: { readonly code: number; readonly ms: number },
  ): string {
    const isResource = info.is === "resource";
    // Only what exists becomes a label: clients must not be able to fill the memory with names.
    const isConnect = isResource ? connects.has(info.subresource) : upgrade !== undefined;
    const named = isResource ? verbOf(method, info, query) : method.toLowerCase();
    const known = isConnect ? "connect" : named;
    const verb = METHODS.includes(method) ? known : "other";
    const resource = asked === undefined ? "" : qualifiedResource(asked.kind);
    this.#requests.inc({ verb, resource, code: String(code) });
    if (!streamVerbs.has(verb)) this.#durations.observe(ms / 1000, { verb, resource });
    return verb;
  }
}

/** Documents are only read. */
function refuseOtherMethods({ method, path }: Asked): void {
  const isRead = method === "GET" || method === "HEAD";
  if (!isRead && !path.startsWith("/driftless/")) throw methodNotAllowed();
}

interface Exchange {
  readonly request: HttpRequest;
  readonly response: HttpResponse;
  readonly upgrade: Upgrade | undefined;
  readonly warnings: string[];
  /** Of its answer, whatever that is. */
  readonly headers: Readonly<Record<string, string>>;
  /** Undefined if it asks for something else, or for one that we do not have. */
  readonly resource: Resource | undefined;
  /** For the audit log. */
  readonly annotations: Map<string, string>;
  readonly audit: RequestAudit;
  /** Who was found to ask; "" as long as that is not known. */
  user: string;
}

interface Seated extends Exchange {
  readonly seat: RequestSeat;
  readonly action: Action;
}

function splitUrl(url: string): readonly [string, string] {
  const at = url.indexOf("?");
  return at === -1 ? [url, ""] : [url.slice(0, at), url.slice(at + 1)];
}
