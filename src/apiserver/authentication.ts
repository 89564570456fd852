// Finds out who asks: a client certificate that our CA signed, a bearer token, or nobody. Whoever may impersonate
// can then ask in the name of somebody else.

import { badRequest, unauthorized } from "../api/status-error.ts";
import type { HttpRequest } from "./http/answer.ts";
import { clientCertificate } from "./pki/client-certificate.ts";
import { serviceAccountGroups, serviceAccountOf } from "./service-account-user.ts";
import { API_AUDIENCES } from "./tokens/service-account-tokens.ts";
import { AUTHENTICATED, anonymous, type UserInfo } from "./user.ts";

export interface Authenticated {
  readonly user: UserInfo;
  /** Those of the wanted ones for which the token is good. */
  readonly audiences: readonly string[];
}

/** Knows tokens. Undefined: not one of its own, or good for none of the audiences. */
export interface TokenAuthenticator {
  authenticate(token: string, audiences: readonly string[]): Promise<Authenticated | undefined>;
}

export interface AuthenticateOptions {
  readonly tokens: TokenAuthenticator;
  readonly nowMs: number;
}

/**
 * Who shows a token is who the token says, also if the connection has a certificate: it was given for this request.
 * What is not good is an error, never nobody.
 */
export async function authenticate(
  request: HttpRequest,
  { tokens, nowMs }: AuthenticateOptions,
): Promise<UserInfo> {
  const { authorization } = request.headers;
  const bearer = authorization === undefined ? null : /^bearer\s+(\S+)\s*$/i.exec(authorization);
  if (bearer?.[1] !== undefined) {
    const found = await tokens.authenticate(bearer[1], API_AUDIENCES);
    if (found === undefined) throw unauthorized();
    return withGroup(found.user, AUTHENTICATED);
  }
  const shown = clientCertificate(request, nowMs);
  if (shown === undefined) return anonymous;
  if (shown.user === undefined) throw unauthorized();
  return withGroup(shown.user, AUTHENTICATED);
}

interface Impersonation {
  /** What the request names: each part needs the right to be it. */
  readonly asked: UserInfo;
  /** With the groups that such a user always has. */
  readonly user: UserInfo;
}

/** Whom the request asks to be; undefined if it does not. */
export function impersonated(
  request: Pick<HttpRequest, "headers" | "rawHeaders">,
): Impersonation | undefined {
  if (!Object.keys(request.headers).some((name) => name.startsWith(PREFIX))) return undefined;
  const asked = impersonation(request.rawHeaders);
  const name = first(asked, "user");
  const groups = asked.get("group") ?? [];
  const uid = first(asked, "uid");
  const extra = extraOf(asked);
  const hasExtra = Object.keys(extra).length > 0;
  if (name === "") {
    if (groups.length > 0 || uid !== "" || hasExtra) throw withoutName(uid, groups, extra);
    return undefined;
  }
  const named: UserInfo = {
    name,
    groups,
    ...(uid !== "" && { uid }),
    ...(hasExtra && { extra }),
  };
  return { asked: named, user: withOwnGroups(named) };
}

function withOwnGroups(user: UserInfo): UserInfo {
  if (user.name === anonymous.name) return { ...user, groups: anonymous.groups };
  const account = serviceAccountOf(user.name);
  const isBare = account !== undefined && user.groups.length === 0;
  const groups = isBare ? serviceAccountGroups(account.namespace) : user.groups;
  return withGroup({ ...user, groups }, AUTHENTICATED);
}

const PREFIX = "impersonate-";
const EXTRA = "extra-";

/** As they were sent: Node joins repeated headers with a comma, which a name may have in it. */
function impersonation(raw: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const name = (raw[i] ?? "").toLowerCase();
    if (!name.startsWith(PREFIX)) continue;
    const rest = name.slice(PREFIX.length);
    found.set(rest, [...(found.get(rest) ?? []), raw[i + 1] ?? ""]);
  }
  return found;
}

function first(asked: ReadonlyMap<string, readonly string[]>, name: string): string {
  return asked.get(name)?.[0] ?? "";
}

function extraOf(
  asked: ReadonlyMap<string, readonly string[]>,
): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(
    [...asked]
      .filter(([name]) => name.startsWith(EXTRA))
      .map(([name, values]) => [unescaped(name.slice(EXTRA.length)), values]),
  );
}

/** A key that is no proper escape means itself. */
function unescaped(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}

/** The original prints its own structure, and clients may show it. */
function withoutName(
  uid: string,
  groups: readonly string[],
  extra: Readonly<Record<string, readonly string[]>>,
): Error {
  const strings = (list: readonly string[]): string =>
    `[]string{${list.map((text) => JSON.stringify(text)).join(", ")}}`;
  const listed = Object.entries(extra).map(
    ([key, list]) => `${JSON.stringify(key)}:${strings(list)}`,
  );
  const groupText = groups.length === 0 ? "[]string(nil)" : strings(groups);
  const extraText =
    listed.length === 0 ? "map[string][]string(nil)" : `map[string][]string{${listed.join(", ")}}`;
  return badRequest(
    `requested &user.DefaultInfo{Name:"", UID:${JSON.stringify(uid)}, Groups:${groupText}, Extra:${extraText}} without impersonating a user name`,
  );
}

/** The same user again for the same user: a connection asks many times, and others keep things by it. */
const known = new WeakMap<UserInfo, UserInfo>();

function withGroup(user: UserInfo, group: typeof AUTHENTICATED): UserInfo {
  if (user.groups.includes(group)) return user;
  const found = known.get(user) ?? { ...user, groups: [...user.groups, group] };
  known.set(user, found);
  return found;
}
