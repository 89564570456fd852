// The API server as its flags describe it, ready to be run: on its own, or as a part of `up`.

import { mkdirSync, readFileSync } from "node:fs";
import { hostname, networkInterfaces } from "node:os";
import { join } from "node:path";
import type { OwnMachine } from "../apiserver/join/own-machine.ts";
import { type Credentials, loadCredentials } from "../apiserver/pki/credentials.ts";
import { kubeconfig } from "../apiserver/pki/kubeconfig.ts";
import { writePrivate } from "../apiserver/pki/private-file.ts";
import { serve } from "../apiserver/serve.ts";
import { systemClock } from "../base/clock.ts";
import type { Logger } from "../base/logger.ts";
import type { Metrics } from "../base/metrics.ts";
import { systemRandom } from "../base/random.ts";
import type { Connection } from "../client/kubeconfig.ts";
import { auditOf } from "./audit-flags.ts";
import type { EarlyStore } from "./early-store.ts";
import { type ListenAddress, parseListen, reachable, urlOf } from "./listen-address.ts";
import { MisuseError } from "./misuse-error.ts";
import { adminKubeconfig, type ServerFlags } from "./server-flags.ts";
import { startProblem } from "./start-problem.ts";
import { serverVersion } from "./version.ts";

export interface RunningServer {
  readonly listen: ListenAddress;
  /** As others are told. */
  readonly url: string;
  /** For parts of the same process. Follows renewals of the certificate that is asked for. */
  readonly connectionAs: (who: (credentials: Credentials) => Pair) => Connection;
  readonly localUrl: string;
  readonly credentials: Credentials;
  readonly ownMachine: OwnMachine;
}

type Pair = Credentials["admin"];

export interface PreparedServer {
  /** Runs until the signal aborts. Rejects with what to do about it if it cannot start. */
  run(signal: AbortSignal, onReady: (server: RunningServer) => void): Promise<void>;
}

/** Makes what is missing in the data directory. */
export async function prepareServer(
  flags: ServerFlags,
  of: { readonly store: EarlyStore; readonly logger: Logger; readonly metrics: Metrics },
): Promise<PreparedServer> {
  const { store, logger, metrics } = of;
  const listen = parseListen(flags.listen);
  const compactionIntervalMs = 1000 * seconds(flags.compactionInterval);
  const historyLimit = revisions(flags.configHistory);
  const pkiDirectory = join(flags.dataDir, "pki");
  const hosts = [...new Set([...localHosts(listen), ...flags.advertise])];
  const host = flags.advertise[0] ?? reachable(listen.host);
  const nowMs = systemClock.now();
  let credentials: Credentials;
  try {
    mkdirSync(flags.dataDir, { recursive: true, mode: 0o700 });
    credentials = await loadCredentials({ directory: pkiDirectory, hosts, nowMs });
  } catch (err) {
    throw startProblem(err, flags);
  }
  const audit = auditOf(flags, { clock: systemClock, logger, metrics });
  if (audit !== undefined) process.on("SIGHUP", () => audit.writer.reopen());
  let url = "";
  const save = (): void => saveKubeconfigs(flags, { url, credentials, logger });
  const options = {
    store: store.store,
    runStore: (signal: AbortSignal) => store.run(signal),
    ...listen,
    credentials,
    pkiDirectory,
    hosts,
    advertisedHost: host,
    onRenewed: (renewed: Credentials) => {
      credentials = renewed;
      save();
    },
    tokens: flags.tokenFile === undefined ? "" : readFileSync(flags.tokenFile, "utf8"),
    disabledPlugins: new Set(
      flags.disableAdmissionPlugins.split(",").filter((name) => name !== ""),
    ),
    version: serverVersion(),
    compactionIntervalMs,
    historyLimit,
    isStoreShared: flags.store.startsWith("etcd:"),
    clock: systemClock,
    random: systemRandom,
    logger,
    metrics,
    audit,
    onNextTurn: (callback: () => void) => void setImmediate(callback),
  };
  return {
    async run(signal, onReady) {
      const ready = ({ port, ownMachine }: { port: number; ownMachine: OwnMachine }): void => {
        url = urlOf({ host, port });
        save();
        const localUrl = urlOf({ host: reachable(listen.host), port });
        const connectionAs = (who: (of: Credentials) => Pair): Connection => ({
          server: localUrl,
          isInsecure: false,
          namespace: "default",
          authority: credentials.authority.certificate,
          ...who(credentials),
          followed: {
            authority: () => credentials.authority.certificate,
            certificate: () => who(credentials).certificate,
            key: () => who(credentials).key,
          },
        });
        const at = { host: listen.host, port };
        onReady({ listen: at, url, localUrl, connectionAs, credentials, ownMachine });
      };
      try {
        await serve({ ...options, onReady: ready }, signal);
      } catch (err) {
        throw startProblem(err, flags);
      }
    },
  };
}

/** On a full disk the server still starts, read-only; the file is most likely there from before. */
function saveKubeconfigs(
  flags: ServerFlags,
  of: { readonly url: string; readonly credentials: Credentials; readonly logger: Logger },
): void {
  const { url: server, logger } = of;
  const { authority, admin, controllers } = of.credentials;
  const save = (file: string, user: string, credentials: Pair | undefined): void => {
    if (credentials === undefined) return;
    const text = kubeconfig({ server, authority: authority.certificate, user, credentials });
    try {
      writePrivate(file, text);
    } catch (err) {
      logger.warn("cannot write a kubeconfig", { file, err });
    }
  };
  save(adminKubeconfig(flags), "admin", admin);
  save(join(flags.dataDir, "controllers.kubeconfig"), "controllers", controllers);
}

function seconds(text: string): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value > 0) return value;
  throw new MisuseError(`--compaction-interval ${text}: must be a whole number of seconds`);
}

/** More than anybody looks at, and what a server can hold: all of them are in its memory. */
const MAX_HISTORY = 1000;

function revisions(text: string): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value <= MAX_HISTORY) return value;
  throw new MisuseError(
    `--config-history ${text}: must be a whole number from 0 to ${MAX_HISTORY}`,
  );
}

/** Everything by which this machine calls itself, and the name by which pods call the server. */
function localHosts({ host }: ListenAddress): readonly string[] {
  return [
    "localhost",
    "127.0.0.1",
    "::1",
    hostname(),
    "kubernetes.default.svc",
    ...(isWildcard(host) ? outsideAddresses() : [host]),
  ];
}

export function isWildcard(host: string): boolean {
  return host === "0.0.0.0" || host === "::";
}

/** By which other machines may reach this one. Those that hold on one link only cannot be in a certificate. */
export function outsideAddresses(): readonly string[] {
  return Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .filter(({ internal, address }) => !internal && !/^fe80:/i.test(address))
    .map(({ address }) => address);
}
