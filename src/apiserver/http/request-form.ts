// What the library lets through and HTTP does not allow, or allows in a form that handlers do not know.

import type { HttpRequest } from "./answer.ts";

/** Of HTTP/1.1. Whether it is a request that has one meaning only, for us and for whatever stands in front of us. */
export function isWellFormed(request: HttpRequest): boolean {
  if (request.httpVersionMajor < 1) return false;
  let hosts = 0;
  for (let i = 0; i < request.rawHeaders.length; i += 2) {
    if (request.rawHeaders[i]?.toLowerCase() === "host") hosts++;
  }
  return hosts <= 1;
}

/** The path and query of a target that is a whole URL, as proxies send it. Any other stays as it is. */
export function originForm(url: string): string {
  const [, rest] = /^https?:\/\/[^/?#]*([^#]*)/i.exec(url) ?? [];
  if (rest === undefined) return url;
  return rest.startsWith("/") ? rest : `/${rest}`;
}
