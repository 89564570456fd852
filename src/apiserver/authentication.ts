// Finds out who asks: a client certificate that our CA signed, a bearer token, or nobody. Whoever may impersonate
// can then ask in the name of somebody else.

import type { TLSSocket } from "node:tls";
import { badRequest, unauthorized } from "../api/status-error.ts";
import type { HttpRequest } from "./http/answer.ts";
import { AUTHENTICATED, anonymous, type UserInfo } from "./user.ts";

/** Knows tokens. Undefined: not one of its own. */
export interface TokenAuthenticator {
  authenticate(token: string): Promise<UserInfo | undefined>;
}

/** The names that a certificate carries, by connection: it is read once, not once per request. */
const known = new WeakMap<object, UserInfo | null>();

export async function authenticate(
  request: HttpRequest,
  tokens: TokenAuthenticator,
): Promise<UserInfo> {
  const { authorization } = request.headers;
  const bearer = authorization === undefined ? null : /^bearer\s+(\S+)\s*$/i.exec(authorization);
  if (bearer?.[1] !== undefined) {
    const user = await tokens.authenticate(bearer[1]);
    if (user === undefined) throw unauthorized();
    return withGroup(user, AUTHENTICATED);
  }
  return certificateUser(request) ?? anonymous;
}

function certificateUser(request: HttpRequest): UserInfo | undefined {
  // With HTTP/2 each request has a socket object of its own; the session is what stays.
  const { stream } = request as { readonly stream?: { readonly session?: object } };
  const connection = stream?.session ?? request.socket;
  const found = known.get(connection);
  if (found !== undefined) return found ?? undefined;
  const user = readCertificate(request.socket as TLSSocket);
  known.set(connection, user ?? null);
  return user;
}

function readCertificate(socket: TLSSocket): UserInfo | undefined {
  if (!socket.authorized) return undefined;
  // The types say that there always is one; without a client certificate it is empty.
  const subject = (socket.getPeerCertificate() as { subject?: Record<string, string | string[]> })
    .subject;
  const name = [subject?.["CN"] ?? []].flat()[0];
  if (name === undefined) return undefined;
  return withGroup({ name, groups: [subject?.["O"] ?? []].flat() }, AUTHENTICATED);
}

/** Whom the request asks to be; undefined if it does not. */
export function impersonated(headers: HttpRequest["headers"]): UserInfo | undefined {
  if (!Object.keys(headers).some((name) => name.startsWith("impersonate-"))) return undefined;
  const name = one(headers["impersonate-user"]);
  const groups = many(headers["impersonate-group"]);
  const uid = one(headers["impersonate-uid"]);
  const extra = extraOf(headers);
  const isAsked = groups.length > 0 || uid !== "" || Object.keys(extra).length > 0;
  if (name === "") {
    if (isAsked) throw withoutName(uid, groups, extra);
    return undefined;
  }
  const user: UserInfo = {
    name,
    groups,
    ...(uid !== "" && { uid }),
    ...(Object.keys(extra).length > 0 && { extra }),
  };
  return name === anonymous.name
    ? { ...user, groups: anonymous.groups }
    : withGroup(user, AUTHENTICATED);
}

function extraOf(headers: HttpRequest["headers"]): Record<string, readonly string[]> {
  const prefix = "impersonate-extra-";
  return Object.fromEntries(
    Object.entries(headers)
      .filter(([name]) => name.startsWith(prefix))
      .map(([name, value]) => [decodeURIComponent(name.slice(prefix.length)), many(value)]),
  );
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

function withGroup(user: UserInfo, group: string): UserInfo {
  return user.groups.includes(group) ? user : { ...user, groups: [...user.groups, group] };
}

function one(value: string | readonly string[] | undefined): string {
  return many(value)[0] ?? "";
}

/** Node joins repeated headers with ", ". */
function many(value: string | readonly string[] | undefined): readonly string[] {
  if (value === undefined) return [];
  return [value].flat().flatMap((text) => text.split(", "));
}
