// HOST:PORT, as flags write it.

import { isIPv6 } from "node:net";
import { MisuseError } from "./misuse-error.ts";

export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

export function parseListen(text: string, flag = "--listen"): ListenAddress {
  const found = /^(?:\[([^\]]+)\]|([^:]*)):(\d{1,5})$/.exec(text);
  const host = found?.[1] ?? found?.[2] ?? "";
  const port = Number(found?.[3]);
  if (found === null || host === "" || port > 65_535) {
    throw new MisuseError(
      `${flag} ${text}: must be HOST:PORT, such as 127.0.0.1:8443 or [::1]:8443`,
    );
  }
  return { host, port };
}

/** Nobody can connect to "all addresses". */
export function reachable(host: string): string {
  if (host === "0.0.0.0") return "127.0.0.1";
  return host === "::" ? "::1" : host;
}

/** As it goes into a kubeconfig. */
export function urlOf({ host, port }: ListenAddress): string {
  return `https://${isIPv6(host) ? `[${host}]` : host}:${port}`;
}
