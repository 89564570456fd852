// Failures of the network in the words that people know from the original's events.

import { isIPv6 } from "node:net";

const texts: ReadonlyMap<string, string> = new Map([
  ["ECONNREFUSED", "connect: connection refused"],
  ["ETIMEDOUT", "connect: connection timed out"],
  ["EHOSTUNREACH", "connect: no route to host"],
  ["ENETUNREACH", "connect: network is unreachable"],
  ["EADDRNOTAVAIL", "connect: cannot assign requested address"],
  ["EACCES", "connect: permission denied"],
  ["ECONNRESET", "connect: connection reset by peer"],
]);

export function hostAndPort(host: string, port: number): string {
  return isIPv6(host) ? `[${host}]:${port}` : `${host}:${port}`;
}

/** Why no connection came about: "dial tcp 10.0.0.1:80: connect: connection refused". */
export function dialFailure(err: unknown, host: string, port: number): string {
  const one = firstOf(err);
  const {
    code = "",
    address = host,
    syscall,
  } = one as NodeJS.ErrnoException & {
    readonly address?: string;
  };
  if (syscall === "getaddrinfo") {
    const why = code === "ENOTFOUND" ? "no such host" : "Temporary failure in name resolution";
    return `dial tcp: lookup ${host}: ${why}`;
  }
  return `dial tcp ${hostAndPort(address, port)}: ${texts.get(code) ?? one.message}`;
}

export function dialTimeout(host: string, port: number): string {
  return `dial tcp ${hostAndPort(host, port)}: i/o timeout`;
}

/** A name with several addresses fails with as many errors; the first is as good as any. */
function firstOf(err: unknown): Error {
  const one: unknown = err instanceof AggregateError ? err.errors[0] : err;
  return one instanceof Error ? one : new Error(String(one));
}
