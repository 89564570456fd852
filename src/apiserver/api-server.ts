// The API over HTTP: who asks, may they, what for; then the handler, and its answer or its error as a Status.

import { qualifiedResource } from "../api/kind.ts";
import {
  internalError,
  StatusError,
  serviceUnavailable,
  unknownResource,
} from "../api/status-error.ts";
import type { Metrics } from "../base/metrics.ts";
import { StoreUnavailableError } from "../storage/store.ts";
import { authenticate, impersonated } from "./authentication.ts";
import { dispatchResource, verbOf } from "./dispatch-resource.ts";
import { type Documents, pageNotFound } from "./documents.ts";
import type { ServerParts } from "./handlers/context.ts";
import { type HealthCheck, healthAnswer } from "./health.ts";
import {
  type Answer,
  type HttpRequest,
  type HttpResponse,
  send,
  statusAnswer,
  textAnswer,
} from "./http/answer.ts";
import { ClientGoneError } from "./http/read-body.ts";
import { requestInfo } from "./http/request-info.ts";
import { type Asked, actionOf } from "./request-action.ts";
import { Rights } from "./rights.ts";
import type { UserInfo } from "./user.ts";

/** Clients may send any other word too. */
const METHODS: readonly string[] = ["GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"];

export interface ApiServerOptions {
  readonly parts: ServerParts;
  readonly documents: Documents;
  readonly metrics: Metrics;
  readonly live: readonly HealthCheck[];
  readonly ready: readonly HealthCheck[];
}

export class ApiServer {
  readonly #options: ApiServerOptions;
  readonly #rights: Rights;
  readonly #requests;
  readonly #durations;

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
  }

  /** Never rejects: whatever happens becomes an answer. */
  async handle(request: HttpRequest, response: HttpResponse): Promise<void> {
    const { clock, logger } = this.#options.parts;
    const began = clock.monotonicMs();
    const method = request.method ?? "GET";
    const [path, search] = splitUrl(request.url ?? "/");
    const warnings: string[] = [];
    const asked: Asked = {
      method,
      path,
      query: new URLSearchParams(search),
      info: requestInfo(path) ?? { is: "other", path },
    };
    const answer = await this.#answer(asked, { request, response, warnings });
    this.#count(asked, { code: answer?.code ?? 200, ms: clock.monotonicMs() - began });
    if (answer === undefined) return;
    try {
      const acceptEncoding = request.headers["accept-encoding"];
      await send(response, answer, {
        acceptEncoding: Array.isArray(acceptEncoding) ? acceptEncoding.join() : acceptEncoding,
        warnings: [...new Set(warnings)],
        hasBody: method !== "HEAD",
      });
    } catch (err) {
      logger.warn("cannot send an answer", { method, path, err });
      response.destroy();
    }
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
      return this.#errorAnswer(asked, err);
    }
  }

  #errorAnswer({ method, path }: Asked, err: unknown): Answer {
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
    return statusAnswer(internalError("see the server's log", err));
  }

  async #allowed(asked: Asked, exchange: Exchange): Promise<Answer | undefined> {
    const { tokens } = this.#options.parts;
    const self = await authenticate(exchange.request, tokens);
    const user = await this.#actingAs(self, exchange.request);
    await this.#rights.demand(actionOf(asked, user));
    return asked.info.is === "resource"
      ? this.#resource(asked, exchange, user)
      : this.#other(asked, exchange);
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
    { request, response, warnings }: Exchange,
    user: UserInfo,
  ): Promise<Answer | undefined> {
    const { parts } = this.#options;
    if (info.is !== "resource") throw unknownResource();
    const resource = parts.resource(info.group, info.version, info.resource);
    if (resource === undefined) {
      if (!this.#isKnownGroup(info.group)) return pageNotFound();
      throw unknownResource();
    }
    const nowMs = parts.clock.now();
    return dispatchResource(
      {
        parts,
        resource,
        info,
        query,
        user,
        request,
        response,
        warnings,
        annotations: new Map(),
        nowMs,
      },
      method,
    );
  }

  #isKnownGroup(group: string): boolean {
    return this.#options.documents.hasGroup(group);
  }

  async #other({ path, query, info }: Asked, { request }: Exchange): Promise<Answer> {
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
      default:
        return this.#document(info.is === "other" ? info.path : path, request);
    }
  }

  #document(path: string, request: HttpRequest): Answer {
    const found = this.#options.documents.answer(path, request);
    if (found !== undefined) return found;
    const [root, group = ""] = path.split("/").slice(1);
    // Clients take any answer but this page for a sign that a group exists.
    const isOurs = root === "api" || (root === "apis" && this.#isKnownGroup(group));
    if (isOurs) throw unknownResource();
    return pageNotFound();
  }

  #count(
    { method, info, query }: Asked,
    { code, ms }: { readonly code: number; readonly ms: number },
  ): void {
    const isResource = info.is === "resource";
    // Only what exists becomes a label: clients must not be able to fill the memory with names.
    const known = isResource ? verbOf(method, info, query) : method.toLowerCase();
    const verb = METHODS.includes(method) ? known : "other";
    const kind = isResource
      ? this.#options.parts.resource(info.group, info.version, info.resource)?.kind
      : undefined;
    const resource = kind === undefined ? "" : qualifiedResource(kind);
    this.#requests.inc({ verb, resource, code: String(code) });
    if (verb !== "watch") this.#durations.observe(ms / 1000, { verb, resource });
  }
}

interface Exchange {
  readonly request: HttpRequest;
  readonly response: HttpResponse;
  readonly warnings: string[];
}

function splitUrl(url: string): readonly [string, string] {
  const at = url.indexOf("?");
  return at === -1 ? [url, ""] : [url.slice(0, at), url.slice(at + 1)];
}
