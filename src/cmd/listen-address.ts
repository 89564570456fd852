// HOST:PORT, as flags write it.

import { isIPv6 } from "node:net";
import { MisuseError } from "./misuse-error.ts";

export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

export function parseListen(text: string): ListenAddress {
  const found = /^(?:\[([^\]]+)\]|([^:]*)):(\d{1,5})$/.exec(text);
  const host = found?.[1] ?? found?.[2] ?? "";
  const port = Number(found?.[3]);
  if (found === null || host === "" || port > 65_535) {
    throw new MisuseError(
      `--listen ${text}: must be HOST:PORT, such as 127.0.0.1:8443 or [::1]:8443`,
    );
  }
  return { host, port };
}

/** The address that goes into a kubeconfig. Nobody can connect to "all addresses". */
export function urlOf({ host, port }: ListenAddress): string {
  const reachable = host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "::1" : host;
  return `https://${isIPv6(reachable) ? `[${reachable}]` : reachable}:${port}`;
}
