// `driftless server`: the API server on its own.

import { Command } from "commander";
import { isLoopback } from "../apiserver/http/is-loopback.ts";
import { createLogger } from "../base/logger.ts";
import { createMetrics } from "../base/metrics.ts";
import { processMetrics } from "../base/process-metrics.ts";
import { EarlyStore } from "./early-store.ts";
import type { ListenAddress } from "./listen-address.ts";
import { logDestination } from "./log-destination.ts";
import { logLevelOf, logLevelOption } from "./log-level.ts";
import { adminKubeconfig, type ServerFlags, serverOptions } from "./server-flags.ts";
import { stopSignal } from "./stop-signal.ts";
import { openStore } from "./store-flags.ts";
import { serverVersion } from "./version.ts";

export function serverCommand(): Command {
  return serverOptions(new Command("server"))
    .description("run the API server")
    .addOption(logLevelOption())
    .addHelpText(
      "after",
      `
Examples:
  driftless server
  driftless server --data-dir /var/lib/driftless --listen 0.0.0.0:8443 --advertise config.example.com
  driftless server --store etcd:https://10.0.0.1:2379,https://10.0.0.2:2379 --etcd-ca ca.crt

The first start makes a certificate authority and writes an admin's kubeconfig to DIR/kubeconfig:
  kubectl --kubeconfig ~/.driftless/kubeconfig get configmaps -A

"driftless up" runs controllers and a node beside it.`,
    )
    .action(runServer);
}

async function runServer(flags: ServerFlags & { readonly logLevel: string }): Promise<void> {
  const level = logLevelOf(flags.logLevel);
  const logger = createLogger({ level, destination: logDestination(process.stderr) });
  using store = EarlyStore.begin(await openStore(flags, logger));
  const { prepareServer } = await import("./prepare-server.ts");
  const metrics = createMetrics();
  processMetrics(metrics, serverVersion().gitVersion);
  const server = await prepareServer(flags, { store, logger, metrics });
  await server.run(stopSignal(logger), ({ url, listen }) => {
    const ready = `driftless: ready on ${url}, admin's kubeconfig in ${adminKubeconfig(flags)}\n`;
    process.stdout.write(isLoopback(listen.host) ? ready : ready + openWarning(listen));
  });
}

function openWarning({ host }: ListenAddress): string {
  return `
Listening beyond this machine (${host}): whoever reaches the port can see the server's version and health, and try to
log in. Everything else needs a certificate or a token, and rights. Let only your nodes and clients reach the port.
  driftless user create NAME     for a person: a kubeconfig, without rights until you give some
  driftless token create         for a machine that is to join as a node
`;
}
