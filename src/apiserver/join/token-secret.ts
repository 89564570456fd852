// A join token as it is kept: a Secret in kube-system, with the type, name and keys of Kubernetes' bootstrap tokens.
// Ours hold a salted hash of the token's secret half, so that whoever reads Secrets, or a backup, cannot join; those that
// others made hold the half itself under token-secret, and count as well.

import { createHash, timingSafeEqual } from "node:crypto";
import { apiTime } from "../../api/api-time.ts";
import { base64OfText, textOfBase64 } from "../../api/defaults/base64-text.ts";
import type { ApiObject } from "../../api/object.ts";
import type { Secret } from "../../api/types.ts";
import type { Random } from "../../base/random.ts";
import type { KeyHash } from "../pki/key-hash.ts";

export const TOKEN_NAMESPACE = "kube-system";
export const TOKEN_TYPE = "bootstrap.kubernetes.io/token";
export const TOKEN_PREFIX = "bootstrap-token-";

const MAX_EXTRA_GROUPS = 32;

/** The two halves of "ID.SECRET". */
export interface TokenText {
  readonly id: string;
  readonly secret: string;
}

/** A machine that has used a token. */
export interface Machine {
  readonly key: KeyHash;
  readonly nodeName: string;
}

export interface JoinToken {
  readonly id: string;
  /** Infinity if it never ends. */
  readonly expiresMs: number;
  readonly description: string;
  /** The only node that it is for; "" for any. */
  readonly nodeName: string;
  readonly extraGroups: readonly string[];
  /** The first that used it, and the only one that may. */
  readonly machine: Machine | undefined;
}

const CHARACTERS = "abcdefghijklmnopqrstuvwxyz0123456789";

/** A new one. Cannot be guessed if the chance cannot. */
export function newToken(random: Random): TokenText {
  const text = (length: number): string =>
    Array.from({ length }, () => CHARACTERS[random.uint32() % CHARACTERS.length]).join("");
  return { id: text(6), secret: text(16) };
}

/** Undefined if the text has another form: it may be somebody else's token. */
export function parseToken(text: string): TokenText | undefined {
  const [, id, secret] = /^([a-z0-9]{6})\.([a-z0-9]{16})$/.exec(text) ?? [];
  return id === undefined || secret === undefined ? undefined : { id, secret };
}

export interface TokenSecretOptions extends TokenText {
  /** Bytes of chance, in hexadecimal. */
  readonly salt: string;
  readonly expiresMs: number;
  /** "" for any. */
  readonly nodeName: string;
  readonly description: string;
}

/** The Secret that makes a token count. */
export function tokenSecret(options: TokenSecretOptions): ApiObject {
  const { id, secret, salt, expiresMs, nodeName, description } = options;
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: TOKEN_PREFIX + id, namespace: TOKEN_NAMESPACE },
    type: TOKEN_TYPE,
    stringData: {
      "token-id": id,
      "token-secret-hash": `${salt}:${hashOf(salt, secret)}`,
      "usage-bootstrap-authentication": "true",
      expiration: apiTime(expiresMs),
      ...(nodeName !== "" && { "node-name": nodeName }),
      ...(description !== "" && { description }),
    },
  };
}

/** Undefined if it is no token with which one can authenticate, whatever is wrong with it. */
export function readToken(object: ApiObject): JoinToken | undefined {
  const { metadata, type } = object as ApiObject & Secret;
  const field = fieldsOf(object);
  const id = field("token-id");
  const isToken = type === TOKEN_TYPE && metadata.name === TOKEN_PREFIX + id;
  const isLeaving = (metadata.deletionTimestamp ?? null) !== null;
  if (!isToken || isLeaving || field("usage-bootstrap-authentication") !== "true") return undefined;
  const expiration = field("expiration");
  const expiresMs = expiration === "" ? Number.POSITIVE_INFINITY : Date.parse(expiration);
  const extraGroups = groupsOf(field("auth-extra-groups"));
  // A date that cannot be read is no promise that the token is still meant to be good.
  if (Number.isNaN(expiresMs) || extraGroups === undefined) return undefined;
  return {
    id,
    expiresMs,
    extraGroups,
    description: field("description"),
    nodeName: field("node-name"),
    machine: machineOf(field("machine-key"), field("machine-name")),
  };
}

/** In constant time: how long it takes says nothing about how close a guess was. */
export function isSecretOf(object: ApiObject, secret: string): boolean {
  const field = fieldsOf(object);
  const hash = field("token-secret-hash");
  if (hash !== "") {
    const [salt = "", expected = ""] = hash.split(":");
    return isSame(expected, hashOf(salt, secret));
  }
  const plain = field("token-secret");
  return plain !== "" && isSame(hashOf("", plain), hashOf("", secret));
}

/** The same Secret, used by a machine. */
export function withMachine(object: ApiObject, { key, nodeName }: Machine): ApiObject {
  const { data = {} } = object as ApiObject & Secret;
  const used = {
    ...data,
    "machine-key": base64OfText(key),
    "machine-name": base64OfText(nodeName),
  };
  // In the order in which the API writes maps.
  const sorted = Object.entries(used).sort(([a], [b]) => (a < b ? -1 : 1));
  return { ...object, metadata: { ...object.metadata }, data: Object.fromEntries(sorted) };
}

function fieldsOf(object: ApiObject): (key: string) => string {
  const { data } = object as ApiObject & Secret;
  return (key) => textOfBase64(data?.[key] ?? "");
}

function machineOf(key: string, nodeName: string): Machine | undefined {
  return key === "" ? undefined : { key: key as KeyHash, nodeName };
}

/** Undefined if one of them is none that a token may give. */
function groupsOf(text: string): readonly string[] | undefined {
  const groups = [...new Set(text.split(",").filter((group) => group !== ""))].sort();
  const areGood = groups.every((group) =>
    /^system:bootstrappers:[a-z0-9:-]{0,255}[a-z0-9]$/.test(group),
  );
  return areGood && groups.length <= MAX_EXTRA_GROUPS ? groups : undefined;
}

/** The secret half has 82 bits of chance: nobody tries them all, so that one round is enough. */
function hashOf(salt: string, secret: string): string {
  return createHash("sha256").update(`${salt}:${secret}`).digest("hex");
}

function isSame(expected: string, given: string): boolean {
  const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(expected), digest(given));
}
