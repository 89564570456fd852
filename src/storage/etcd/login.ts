// Who we are to etcd: what goes with every call, and the token for it. A token runs out when it is not used
// for some minutes, and a member that was restarted does not know it any more: then there is a new one.

import { Metadata } from "@grpc/grpc-js";
import type { Secret } from "../../base/secret.ts";
import type { Endpoint } from "./endpoint.ts";
import { isAuthOff } from "./etcd-errors.ts";
import { authenticateRpc, encodeAuthenticate } from "./messages.ts";

export interface EtcdUser {
  readonly name: string;
  readonly password: Secret;
}

const timeoutMs = 1500;

export class Login {
  readonly #user: EtcdUser | undefined;
  /** Replaced, never changed: whoever was refused can tell whether it is new. */
  #metadata = metadataWith(undefined);
  #isDone: boolean;
  /** The others wait for the same. */
  #underWay: Promise<void> | undefined;

  constructor(user: EtcdUser | undefined) {
    this.#user = user;
    this.#isDone = user === undefined;
  }

  /** For every call. */
  get metadata(): Metadata {
    return this.#metadata;
  }

  /** Nothing is missing, as far as we know. */
  get isDone(): boolean {
    return this.#isDone;
  }

  /** Gets a token if there is none. Rejects with gRPC's error. */
  async ensure(endpoint: Endpoint): Promise<void> {
    if (!this.#isDone) await this.#once(endpoint);
  }

  /** The token in `refused` is no good. Gets another, unless there is one by now. */
  async renew(endpoint: Endpoint, refused: Metadata): Promise<void> {
    if (this.#metadata === refused && this.#user !== undefined) await this.#once(endpoint);
  }

  /** The token was refused; the next ensure() gets another. */
  forget(): void {
    this.#isDone = this.#user === undefined;
  }

  async #once(endpoint: Endpoint): Promise<void> {
    this.#underWay ??= this.#authenticate(endpoint).finally(() => {
      this.#underWay = undefined;
    });
    await this.#underWay;
  }

  async #authenticate(endpoint: Endpoint): Promise<void> {
    if (this.#user === undefined) return;
    const { name, password } = this.#user;
    const request = encodeAuthenticate(name, Buffer.from(password.reveal()).toString());
    const options = { metadata: metadataWith(undefined), timeoutMs };
    try {
      this.#metadata = metadataWith(await endpoint.unary(authenticateRpc, request, options));
    } catch (err) {
      if (!isAuthOff(err)) throw err;
      // As etcd's own clients do: a user is not needed, and does not hurt.
      this.#metadata = metadataWith(undefined);
    }
    this.#isDone = true;
  }
}

/** A member that is cut off from the others refuses such calls at once, and ends such streams. */
function metadataWith(token: string | undefined): Metadata {
  const metadata = new Metadata();
  metadata.set("hasleader", "true");
  if (token !== undefined) {
    metadata.set("token", token);
  }
  return metadata;
}
