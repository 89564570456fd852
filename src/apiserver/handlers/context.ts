// What every handler gets: the request, who asks, and the parts of the server.

import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/logger.ts";
import type { Random } from "../../base/random.ts";
import type { Store } from "../../storage/store.ts";
import type { AdmissionChain } from "../admission/chain.ts";
import type { RequestAudit } from "../audit/auditor.ts";
import type { TokenAuthenticator } from "../authentication.ts";
import type { Authorizer } from "../authorization.ts";
import type { WatchCache } from "../cache/watch-cache.ts";
import type { RequestSeat } from "../flow/request-seat.ts";
import type { HttpRequest, HttpResponse } from "../http/answer.ts";
import type { ByteBudget } from "../http/byte-budget.ts";
import type { ResourceRequest } from "../http/request-info.ts";
import type { Upgrade } from "../http/upgrade.ts";
import type { NodeDialer } from "../node-access/node-dialer.ts";
import type { ObjectStore } from "../registry/object-store.ts";
import type { Resource } from "../registry/resource.ts";
import type { ServiceAccountTokens } from "../tokens/service-account-tokens.ts";
import type { UserInfo } from "../user.ts";

/** The parts of the server that handlers use. */
export interface ServerParts {
  readonly store: Store;
  readonly cache: WatchCache;
  readonly objects: ObjectStore;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly authorizer: Authorizer;
  readonly admission: AdmissionChain;
  readonly tokens: TokenAuthenticator;
  /** Of bodies that are on their way. */
  readonly uploads: ByteBudget;
  readonly serviceAccountTokens: Pick<ServiceAccountTokens, "sign">;
  /** Connections to nodes. */
  readonly nodes: Pick<NodeDialer, "dial">;
  /** By group, version and resource. */
  resource(group: string, version: string, resource: string): Resource | undefined;
}

export interface RequestContext {
  readonly parts: ServerParts;
  readonly resource: Resource;
  readonly info: ResourceRequest;
  readonly query: URLSearchParams;
  readonly user: UserInfo;
  readonly request: HttpRequest;
  readonly response: HttpResponse;
  /** Set if the client wants its connection to become something else, and it can. */
  readonly upgrade: Upgrade | undefined;
  /** Texts for Warning headers; handlers add to it. */
  readonly warnings: string[];
  /** That an answer has whatever it says; for those who answer by themselves. */
  readonly headers: Readonly<Record<string, string>>;
  /** For the audit log. */
  readonly annotations: Map<string, string>;
  readonly audit: RequestAudit;
  /** Given back when the handler ends; a stream gives it back when it has begun. */
  readonly seat: RequestSeat;
  /** Throws Forbidden unless the user may do this too, where a request turns out to be more than it said. */
  readonly demand: (verb: string) => Promise<void>;
  /** Throws if what the request was allowed for is not so any more: the user is gone, or the right. */
  readonly demandStill: () => Promise<void>;
  /** When the request came. */
  readonly nowMs: number;
}

/** As metadata writes it: whole seconds. */
export function timestamp(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}
