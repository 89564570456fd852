// Puts tokens into Secrets that ask for one: type kubernetes.io/service-account-token, with the account's name in an annotation. For
// programs that cannot be given a token in another way. A token ends with its Secret and after a year, and is replaced long before;
// the Secret goes when the account does.

import { isNotFound, StatusError } from "../../api/status-error.ts";
import type { TokenRequestSpec } from "../../api/types.ts";
import type { Clock } from "../../base/clock.ts";
import type { Informer } from "../../client/informer.ts";
import { ResourceClient, requestToken } from "../../client/resource-client.ts";
import { Controller } from "../../controller/controller.ts";
import type { ControllerContext, RunnableController } from "../../controller/controller-context.ts";
import { keyOfObject } from "../pods/pod-object.ts";
import {
  SECRET,
  SERVICE_ACCOUNT,
  type SecretObject,
  type ServiceAccountObject,
} from "./account-objects.ts";
import { selectedInformer } from "./selected-informer.ts";
import { accountNameOf, completed, isFor, renewalMs, TOKEN_SECRET } from "./token-secret.ts";

const LIFE_SECONDS = 365 * 24 * 3600;
const BY_ACCOUNT = "account";
/** A token that seems to be over when it has just been made says that a clock is wrong: another one would be no better. */
const MIN_RENEWAL_MS = 60_000;

/** Asks the server for the token of an account. */
export type TokenSource = (
  account: { readonly namespace: string; readonly name: string },
  spec: Partial<TokenRequestSpec>,
  signal: AbortSignal,
) => Promise<string>;

export interface TokenSecretOptions {
  /** PEM. */
  readonly rootCertificates: string;
  /** The server's TokenRequest if missing. */
  readonly tokens?: TokenSource;
}

export class TokenSecretController implements RunnableController {
  readonly name = "serviceaccount-token-controller";
  readonly #loop: Controller;
  readonly #secrets: Informer<SecretObject>;
  readonly #accounts: Informer<ServiceAccountObject>;
  readonly #secretClient: ResourceClient<SecretObject>;
  readonly #accountClient: ResourceClient<ServiceAccountObject>;
  readonly #options: Required<TokenSecretOptions>;
  readonly #clock: Clock;
  /** When we last put a token into a Secret, by its uid; gone with the Secret. */
  readonly #renewedMs = new Map<string, number>();

  constructor(context: ControllerContext, options: TokenSecretOptions) {
    const { client, informers, clock, random, logger } = context;
    const fromServer: TokenSource = async (account, spec, signal) =>
      (await requestToken(client, account, { spec, signal })).status.token;
    this.#options = { tokens: fromServer, ...options };
    this.#clock = clock;
    this.#accounts = informers.of<ServiceAccountObject>(SERVICE_ACCOUNT);
    this.#secrets = selectedInformer<SecretObject>(context, {
      kind: SECRET,
      fieldSelector: `type=${TOKEN_SECRET}`,
      indexers: {
        [BY_ACCOUNT]: (secret) => [`${secret.metadata.namespace}/${accountNameOf(secret)}`],
      },
    });
    this.#secretClient = new ResourceClient(client, SECRET);
    this.#accountClient = new ResourceClient(client, SERVICE_ACCOUNT);
    this.#loop = new Controller({
      name: this.name,
      workers: 1,
      synced: async () => void (await Promise.all([this.#secrets.synced, this.#accounts.synced])),
      sync: (key, signal) => this.#sync(key, signal),
      ...{ clock, random, logger, loops: context.loops },
    });
    this.#secrets.onChange(({ type, object }) => {
      if (type === "deleted") this.#renewedMs.delete(object.metadata.uid ?? "");
      else this.#loop.queue.add(keyOfObject(object));
    });
    this.#accounts.onChange(({ type, object }) => {
      if (type === "updated") return;
      const secrets = this.#secrets.byIndex(BY_ACCOUNT, keyOfObject(object));
      for (const secret of secrets) this.#loop.queue.add(keyOfObject(secret));
    });
  }

  async run(signal: AbortSignal): Promise<void> {
    await Promise.all([this.#secrets.run(signal), this.#loop.run(signal)]);
  }

  async #sync(key: string, signal: AbortSignal): Promise<number | undefined> {
    const secret = this.#secrets.get(key);
    if (secret === undefined || !asksForToken(secret)) return undefined;
    const account = await this.#accountOf(secret, signal);
    if (account === undefined) {
      await this.#remove(secret, signal);
      return undefined;
    }
    const leftMs = this.#leftMs(secret);
    const token = leftMs > 0 ? undefined : await this.#newToken(secret, account, signal);
    const { rootCertificates } = this.#options;
    const wanted = completed(secret, { account, rootCertificates, token });
    if (wanted !== undefined) await this.#secretClient.update(wanted, { signal });
    if (token !== undefined) {
      this.#renewedMs.set(secret.metadata.uid ?? "", this.#clock.monotonicMs());
    }
    return leftMs > 0 && Number.isFinite(leftMs) ? leftMs : undefined;
  }

  /** Until it needs another token. */
  #leftMs(secret: SecretObject): number {
    const leftMs = renewalMs(secret) - this.#clock.now();
    const renewedMs = this.#renewedMs.get(secret.metadata.uid ?? "");
    if (renewedMs === undefined || (secret.data?.["token"] ?? "") === "") return leftMs;
    return Math.max(leftMs, renewedMs + MIN_RENEWAL_MS - this.#clock.monotonicMs());
  }

  /** Our copy may lack it because it is behind, and a Secret that was deleted does not come back. */
  async #accountOf(
    secret: SecretObject,
    signal: AbortSignal,
  ): Promise<ServiceAccountObject | undefined> {
    const { namespace = "" } = secret.metadata;
    const name = accountNameOf(secret);
    const held = this.#accounts.get(`${namespace}/${name}`);
    if (held !== undefined && isFor(secret, held)) return held;
    try {
      const fresh = await this.#accountClient.get({ namespace, name }, { signal });
      return isFor(secret, fresh) ? fresh : undefined;
    } catch (err) {
      if (isNotFound(err)) return undefined;
      throw err;
    }
  }

  async #newToken(
    { metadata }: SecretObject,
    account: ServiceAccountObject,
    signal: AbortSignal,
  ): Promise<string> {
    const { namespace = "", name = "" } = account.metadata;
    const { name: secret, uid } = metadata;
    const boundObjectRef = { kind: "Secret", apiVersion: "v1", name: secret, uid };
    const spec = { audiences: [], expirationSeconds: LIFE_SECONDS, boundObjectRef };
    return this.#options.tokens({ namespace, name }, spec, signal);
  }

  async #remove({ metadata }: SecretObject, signal: AbortSignal): Promise<void> {
    const { namespace, name = "", uid, resourceVersion } = metadata;
    const preconditions = {
      ...(uid !== undefined && { uid }),
      ...(resourceVersion !== undefined && { resourceVersion }),
    };
    try {
      await this.#secretClient.delete({ namespace, name }, { preconditions, signal });
    } catch (err) {
      // Gone, or changed: then it is looked at again.
      if (!(err instanceof StatusError && [404, 409].includes(err.code))) throw err;
    }
  }
}

/** Without a name it is refused when it is made. */
function asksForToken(secret: SecretObject): boolean {
  const { type, metadata } = secret;
  const isOurs = type === TOKEN_SECRET && accountNameOf(secret) !== "";
  return isOurs && metadata.deletionTimestamp == null;
}
