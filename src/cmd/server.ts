// `driftless server`: the API server on its own.

import { mkdirSync, readFileSync } from "node:fs";
import { homedir, hostname } from "node:os";
import { join } from "node:path";
import { Command } from "commander";
import { isLoopback } from "../apiserver/http/is-loopback.ts";
import { type Credentials, loadCredentials } from "../apiserver/pki/credentials.ts";
import { kubeconfig } from "../apiserver/pki/kubeconfig.ts";
import { writePrivate } from "../apiserver/pki/private-file.ts";
import { serve } from "../apiserver/serve.ts";
import { systemClock } from "../base/clock.ts";
import { createLogger, type Logger, type LogLevel } from "../base/logger.ts";
import { createMetrics } from "../base/metrics.ts";
import { systemRandom } from "../base/random.ts";
import { type AuditFlags, auditOf, auditOptions } from "./audit-flags.ts";
import { type ListenAddress, parseListen, reachable, urlOf } from "./listen-address.ts";
import { MisuseError } from "./misuse-error.ts";
import { stopSignal } from "./stop-signal.ts";
import { openStore, type StoreFlags, storeOptions } from "./store-flags.ts";
import { serverVersion } from "./version.ts";

interface ServerFlags extends StoreFlags, AuditFlags {
  readonly listen: string;
  readonly advertise: readonly string[];
  readonly tokenFile?: string;
  readonly disableAdmissionPlugins: string;
  readonly logLevel: string;
  readonly compactionInterval: string;
}

const levels: readonly string[] = ["debug", "info", "warn", "error"];

export function serverCommand(): Command {
  const command = new Command("server")
    .description("run the API server")
    .option("--data-dir <dir>", "where everything is kept", join(homedir(), ".driftless"))
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
    .option("--log-level <level>", `one of ${levels.join(", ")}`, "info");
  return auditOptions(storeOptions(command))
    .addHelpText(
      "after",
      `
Examples:
  driftless server
  driftless server --data-dir /var/lib/driftless --listen 0.0.0.0:8443 --advertise config.example.com
  driftless server --store etcd:https://10.0.0.1:2379,https://10.0.0.2:2379 --etcd-ca ca.crt

The first start makes a certificate authority and writes an admin's kubeconfig to DIR/kubeconfig:
  kubectl --kubeconfig ~/.driftless/kubeconfig get configmaps -A`,
    )
    .action(runServer);
}

async function runServer(flags: ServerFlags): Promise<void> {
  if (!levels.includes(flags.logLevel)) {
    throw new MisuseError(`--log-level ${flags.logLevel}: must be one of ${levels.join(", ")}`);
  }
  const listen = parseListen(flags.listen);
  const logger = createLogger({ level: flags.logLevel as LogLevel, destination: process.stderr });
  mkdirSync(flags.dataDir, { recursive: true, mode: 0o700 });
  const pkiDirectory = join(flags.dataDir, "pki");
  const hosts = [...new Set([...localHosts(listen), ...flags.advertise])];
  const host = flags.advertise[0] ?? reachable(listen.host);
  const nowMs = systemClock.now();
  const credentials = await loadCredentials({ directory: pkiDirectory, hosts, nowMs });
  const file = join(flags.dataDir, "kubeconfig");
  let server = "";
  const save = ({ authority, admin }: Credentials): void => {
    const { certificate } = authority;
    saveKubeconfig(
      file,
      kubeconfig({ server, authority: certificate, user: "admin", credentials: admin }),
      logger,
    );
  };
  const metrics = createMetrics();
  const audit = auditOf(flags, { clock: systemClock, logger, metrics });
  if (audit !== undefined) process.on("SIGHUP", () => audit.writer.reopen());
  await serve(
    {
      store: await openStore(flags, logger),
      ...listen,
      credentials,
      pkiDirectory,
      hosts,
      advertisedHost: host,
      onRenewed: save,
      tokens: flags.tokenFile === undefined ? "" : readFileSync(flags.tokenFile, "utf8"),
      disabledPlugins: new Set(
        flags.disableAdmissionPlugins.split(",").filter((name) => name !== ""),
      ),
      version: serverVersion(),
      compactionIntervalMs: 1000 * seconds(flags.compactionInterval),
      clock: systemClock,
      random: systemRandom,
      logger,
      metrics,
      audit,
      onNextTurn: (callback) => void setImmediate(callback),
      onReady: ({ port }) => {
        server = urlOf({ host, port });
        save(credentials);
        const ready = `driftless: ready on ${server}, admin's kubeconfig in ${file}\n`;
        process.stdout.write(isLoopback(listen.host) ? ready : ready + openWarning(listen));
      },
    },
    stopSignal(logger),
  );
}

/** On a full disk the server still starts, read-only; the file is most likely there from before. */
function saveKubeconfig(file: string, text: string, logger: Logger): void {
  try {
    writePrivate(file, text);
  } catch (err) {
    logger.warn("cannot write the admin's kubeconfig", { file, err });
  }
}

function seconds(text: string): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value > 0) return value;
  throw new MisuseError(`--compaction-interval ${text}: must be a whole number of seconds`);
}

/** Everything by which this machine calls itself, and the name by which pods call the server. */
function localHosts({ host }: ListenAddress): readonly string[] {
  const isWildcard = host === "0.0.0.0" || host === "::";
  return [
    "localhost",
    "127.0.0.1",
    "::1",
    hostname(),
    "kubernetes.default.svc",
    ...(isWildcard ? [] : [host]),
  ];
}

function openWarning({ host }: ListenAddress): string {
  return `
Listening beyond this machine (${host}): whoever reaches the port can see the server's version and health, and try to
log in. Everything else needs a certificate or a token, and rights. Let only your nodes and clients reach the port.
  driftless user create NAME     for a person: a kubeconfig, without rights until you give some
  driftless token create         for a machine that is to join as a node
`;
}
