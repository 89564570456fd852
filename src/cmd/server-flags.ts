// The flags of the API server, which `server` and `up` share.

import { join } from "node:path";
import type { Command } from "commander";
import { type AuditFlags, auditOptions } from "./audit-flags.ts";
import { defaultDataDir, type StoreFlags, storeOptions } from "./store-flags.ts";

export interface ServerFlags extends StoreFlags, AuditFlags {
  readonly listen: string;
  readonly advertise: readonly string[];
  readonly tokenFile?: string;
  readonly disableAdmissionPlugins: string;
  readonly compactionInterval: string;
  readonly configHistory: string;
}

export function serverOptions(command: Command): Command {
  const own = command
    .option("--data-dir <dir>", "where everything is kept", defaultDataDir)
    .option("--listen <host:port>", "where to listen; port 0 takes a free one", "127.0.0.1:8443")
    .option(
      "--advertise <host>",
      "a further name or address by which clients reach the server (repeat it for more)",
      (host: string, all: readonly string[]) => [...all, host],
      [] as readonly string[],
    )
    .option("--token-file <file>", 'bearer tokens, a line each: token,user,uid,"group1,group2"')
    .option(
      "--disable-admission-plugins <names>",
      "admission plug-ins to do without, by their names in Kubernetes: ServiceAccount,PodSecurity,…",
      "",
    )
    .option(
      "--compaction-interval <seconds>",
      "how often the past is forgotten; between one and two of these are kept",
      "300", // As in the original.
    )
    .option(
      "--config-history <number>",
      "how many revisions are kept of each ConfigMap and Secret; 0 keeps none",
      "20",
    );
  return auditOptions(storeOptions(own));
}

/** Where an admin's kubeconfig is. */
export function adminKubeconfig({ dataDir }: Pick<ServerFlags, "dataDir">): string {
  return join(dataDir, "kubeconfig");
}
