// Tokens with which machines join: short-lived, and each for one machine, the first that uses it. They are Secrets, so
// that kubectl can list and delete them; what is deleted or over counts no longer, from that moment on.

import type { ApiObject } from "../../api/object.ts";
import { isAbort } from "../../base/abort.ts";
import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/logger.ts";
import type { Authenticated, TokenAuthenticator } from "../authentication.ts";
import type { Change, ObjectStore } from "../registry/object-store.ts";
import type { Resource } from "../registry/resource.ts";
import { API_AUDIENCES } from "../tokens/service-account-tokens.ts";
import { refused } from "./refused.ts";
import {
  isSecretOf,
  type JoinToken,
  type Machine,
  parseToken,
  readToken,
  TOKEN_NAMESPACE,
  TOKEN_PREFIX,
  withMachine,
} from "./token-secret.ts";

export interface JoinTokensOptions {
  readonly objects: ObjectStore;
  readonly secrets: Resource;
  readonly clock: Clock;
  readonly logger: Logger;
}

export const BOOTSTRAPPERS = "system:bootstrappers";
const USER_PREFIX = "system:bootstrap:";
/** In the extras of a user whose token names a node. */
const NODE_EXTRA = "driftless.dev/node-name";
const SWEEP_EVERY_MS = 60_000;

export class JoinTokens implements TokenAuthenticator {
  readonly #options: JoinTokensOptions;

  constructor(options: JoinTokensOptions) {
    this.#options = options;
  }

  async authenticate(text: string, wanted: readonly string[]): Promise<Authenticated | undefined> {
    const { objects, secrets } = this.#options;
    const audiences = wanted.filter((audience) => API_AUDIENCES.includes(audience));
    const given = parseToken(text);
    if (given === undefined || audiences.length === 0) return undefined;
    const found = await objects.get(secrets, keyOf(given.id));
    if (found === undefined || !isSecretOf(found.object, given.secret)) return undefined;
    const token = readToken(found.object);
    if (token === undefined || this.#isOver(token)) return undefined;
    return {
      user: {
        name: USER_PREFIX + token.id,
        groups: [BOOTSTRAPPERS, ...token.extraGroups],
        ...(token.nodeName !== "" && { extra: { [NODE_EXTRA]: [token.nodeName] } }),
      },
      audiences,
    };
  }

  /** The token of a user that authenticated with one. Throws Forbidden if there is none, or none any more. */
  async tokenOf(userName: string): Promise<JoinToken> {
    const { objects, secrets } = this.#options;
    const id = userName.startsWith(USER_PREFIX) ? userName.slice(USER_PREFIX.length) : "";
    const found = await objects.get(secrets, keyOf(id));
    return this.#good(found?.object, id);
  }

  /** Makes the token this machine's. The same machine may come again; throws Forbidden for any other. */
  async bind(id: string, machine: Machine): Promise<void> {
    const { objects, secrets } = this.#options;
    await objects.change(secrets, keyOf(id), (current): Change => {
      const token = this.#good(current?.object, id);
      refuseOther(token, machine);
      if (current === undefined || token.machine !== undefined) return { do: "nothing" };
      return { do: "write", object: withMachine(current.object, machine) };
    });
  }

  /** Removes those that are over, for the eyes of people; they counted no longer before. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, logger } = this.#options;
    while (!signal.aborted) {
      try {
        await clock.sleep(SWEEP_EVERY_MS, signal);
        await this.#sweep();
      } catch (err) {
        if (isAbort(err, signal)) return;
        logger.warn("cannot remove old join tokens", { err }); // The next round tries again.
      }
    }
  }

  async #sweep(): Promise<void> {
    const { objects, secrets, logger } = this.#options;
    for (const { key, object } of [...secrets.cache.list(`${TOKEN_NAMESPACE}/`)]) {
      if (!this.#isRemovable(object)) continue;
      const { was } = await objects.change(secrets, key, (current) =>
        current !== undefined && this.#isRemovable(current.object)
          ? { do: "delete" }
          : { do: "nothing" },
      );
      if (was === "deleted") logger.info("removed a join token that is over", { key });
    }
  }

  #isRemovable(object: ApiObject): boolean {
    const token = readToken(object);
    const isHeld = (object.metadata.finalizers ?? []).length > 0;
    return token !== undefined && this.#isOver(token) && !isHeld;
  }

  #isOver({ expiresMs }: JoinToken): boolean {
    return this.#options.clock.now() >= expiresMs;
  }

  #good(object: ApiObject | undefined, id: string): JoinToken {
    const token = object && readToken(object);
    if (token === undefined || this.#isOver(token)) {
      throw refused(
        `the join token ${JSON.stringify(id)} is over or was deleted: make a new one with "driftless token create"`,
      );
    }
    return token;
  }
}

function keyOf(id: string): string {
  return `${TOKEN_NAMESPACE}/${TOKEN_PREFIX}${id}`;
}

function refuseOther(
  { id, nodeName, machine }: JoinToken,
  { key, nodeName: asked }: Machine,
): void {
  if (nodeName !== "" && nodeName !== asked) {
    throw refused(
      `the join token ${JSON.stringify(id)} is for the node ${JSON.stringify(nodeName)}, not for ${JSON.stringify(asked)}`,
    );
  }
  if (machine === undefined || (machine.key === key && machine.nodeName === asked)) return;
  const isOtherName = machine.key === key;
  throw refused(
    isOtherName
      ? `the join token ${JSON.stringify(id)} was used by this machine for the node ${JSON.stringify(machine.nodeName)}: a token is good for one node`
      : `the join token ${JSON.stringify(id)} was used by another machine, for the node ${JSON.stringify(machine.nodeName)}: a token is good for one machine, make another with "driftless token create"`,
  );
}
