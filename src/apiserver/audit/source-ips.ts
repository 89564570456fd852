// Where a request came from, through which proxies. All but the last are what clients say, and may be untrue.

import { isIP } from "node:net";
import type { HttpRequest } from "../http/answer.ts";

/** More proxies than that are made up. */
const MAX_ADDRESSES = 16;

export function sourceIps(request: HttpRequest): readonly string[] {
  const { headers } = request;
  const remote = remoteAddress(request);
  const forwarded = headers["x-forwarded-for"];
  const real = headers["x-real-ip"];
  if (forwarded === undefined && real === undefined) return remote === "" ? [] : [remote];
  const found = [forwarded ?? []]
    .flat()
    .flatMap((list) => list.split(","))
    .map(plain)
    .filter((address) => isIP(address) !== 0)
    .slice(0, MAX_ADDRESSES);
  const [realAddress = ""] = [real ?? []].flat().map(plain);
  if (isIP(realAddress) !== 0 && !found.includes(realAddress)) found.push(realAddress);
  if (remote !== "" && found.at(-1) !== remote) found.push(remote);
  return found;
}

/** Of the connection. "" if it is gone. */
export function remoteAddress(request: HttpRequest): string {
  try {
    return plain(request.socket.remoteAddress ?? "");
  } catch {
    return ""; // The socket of a stream whose session has ended throws at every touch.
  }
}

const MAPPED = "::ffff:";

/** IPv4 in its own form, also where a socket for both kinds shows it as IPv6. */
function plain(address: string): string {
  const trimmed = address.trim();
  return trimmed.startsWith(MAPPED) ? trimmed.slice(MAPPED.length) : trimmed;
}
