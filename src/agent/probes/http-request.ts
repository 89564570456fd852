// Where an HTTP probe goes and what it says, as the original does it: paths are sent as they are written, not tidied up.

import type { Container, HTTPGetAction, HTTPHeader } from "../../api/types.ts";
import { containerPort } from "./container-port.ts";
import { hostAndPort } from "./network-error.ts";

export interface HttpPlace {
  readonly scheme: "http" | "https";
  readonly host: string;
  readonly port: number;
  /** Host and port as they are sent. */
  readonly authority: string;
  /** With the query; as it is sent. */
  readonly path: string;
  /** For people, and to resolve what is relative to it. */
  readonly url: string;
}

/** By name, spelled as Go spells them; more than one value is more than one line. */
export type HttpHeaders = Readonly<Record<string, readonly string[]>>;

/** Throws if the port has no number. `address` is the pod's. */
export function httpPlace(
  action: HTTPGetAction,
  container: Pick<Container, "ports">,
  address: string,
): HttpPlace {
  const scheme = action.scheme?.toLowerCase() === "https" ? "https" : "http";
  const host = action.host === undefined || action.host === "" ? address : action.host;
  const port = containerPort(action.port, container);
  const path = requestPath(action.path ?? "");
  const authority = hostAndPort(host, port);
  const url = `${scheme}://${authority}${path}`;
  const sent = path.startsWith("/") ? path : `/${path}`;
  return { scheme, host, port, authority, path: sent, url };
}

/** Where a redirect leads; undefined if that is no place to go. */
export function redirectPlace(from: HttpPlace, location: string): HttpPlace | undefined {
  const url = URL.parse(location, from.url);
  if (url === null || (url.protocol !== "http:" && url.protocol !== "https:")) return undefined;
  const scheme = url.protocol === "https:" ? "https" : "http";
  const port = url.port === "" ? { http: 80, https: 443 }[scheme] : Number(url.port);
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
  const path = `${url.pathname}${url.search}`;
  const authority = url.host;
  return { scheme, host, port, authority, path, url: `${scheme}://${authority}${path}` };
}

/** What is sent with every request, besides the host. An empty Accept or User-Agent means: do not send it. */
export function httpHeaders(
  list: readonly HTTPHeader[] | undefined,
  userAgent: string,
): HttpHeaders {
  const headers: Record<string, string[]> = {};
  for (const { name, value } of list ?? []) {
    const key = canonical(name);
    headers[key] = [...(headers[key] ?? []), value];
  }
  headers["User-Agent"] ??= [userAgent];
  headers["Accept"] ??= ["*/*"];
  for (const name of ["User-Agent", "Accept"]) {
    if (headers[name]?.[0] === "") delete headers[name];
  }
  return headers;
}

/** "FOO-bAR" is "Foo-Bar". */
function canonical(name: string): string {
  return name.toLowerCase().replace(/(^|-)[a-z]/g, (letter) => letter.toUpperCase());
}

const PERCENT_WITHOUT_CODE = /%(?![0-9a-f]{2})/i;

/** A path may be a whole URL, whose host then counts for nothing. One that is broken is taken literally, all of it. */
function requestPath(text: string): string {
  const withoutHost = text.replace(/^([a-z][a-z0-9+.-]*:)?\/\/[^/?#]*/i, "");
  const [beforeFragment = ""] = withoutHost.split("#", 1);
  const at = beforeFragment.indexOf("?");
  const path = at === -1 ? beforeFragment : beforeFragment.slice(0, at);
  const query = at === -1 ? "" : beforeFragment.slice(at);
  if (PERCENT_WITHOUT_CODE.test(path) || hasControl(text)) return slashed(escapeAll(text));
  return `${slashed(escaped(path))}${escaped(query)}`;
}

function slashed(path: string): string {
  return path === "" || path.startsWith("/") ? path : `/${path}`;
}

function hasControl(text: string): boolean {
  return Buffer.from(text).some((byte) => byte < 0x20 || byte === 0x7f);
}

function escapeAll(text: string): string {
  return escaped(text.replaceAll("%", "%25")).replaceAll("?", "%3F");
}

function escaped(text: string): string {
  return text.toWellFormed().replace(/[^\w.~!$&'()*+,;=:@/[\]%?-]+/g, encodeURIComponent);
}
