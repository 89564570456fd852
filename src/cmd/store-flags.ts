// Which store, from the flags that all commands share.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { systemClock } from "../base/clock.ts";
import type { Logger } from "../base/logger.ts";
import { systemRandom } from "../base/random.ts";
import { MemoryStore } from "../storage/memory/memory-store.ts";
import { SqliteStore } from "../storage/sqlite/sqlite-store.ts";
import type { Store } from "../storage/store.ts";
import { MisuseError } from "./misuse-error.ts";

export interface StoreFlags {
  readonly dataDir: string;
  readonly store: string;
  readonly etcdCa?: string;
  readonly etcdCert?: string;
  readonly etcdKey?: string;
  readonly etcdUser?: string;
  readonly etcdPasswordFile?: string;
}

export function storeOptions(command: Command): Command {
  return command
    .option("--store <store>", "sqlite, memory, or etcd:URL[,URL…]", "sqlite")
    .option("--etcd-ca <file>", "the authority that signed etcd's certificates")
    .option("--etcd-cert <file>", "the certificate to show to etcd")
    .option("--etcd-key <file>", "its key")
    .option("--etcd-user <name>", "the user to be in etcd")
    .option("--etcd-password-file <file>", "a file with its password");
}

export function databaseDirectory({ dataDir }: StoreFlags): string {
  return join(dataDir, "store");
}

export async function openStore(flags: StoreFlags, logger: Logger): Promise<Store> {
  const { store } = flags;
  if (store === "memory") return new MemoryStore();
  if (store === "sqlite") return new SqliteStore({ directory: databaseDirectory(flags), logger });
  if (store.startsWith("etcd:")) return openEtcd(flags, logger);
  throw new MisuseError(`--store ${store}: must be sqlite, memory, or etcd:URL[,URL…]`);
}

async function openEtcd(flags: StoreFlags, logger: Logger): Promise<Store> {
  const { etcdCa, etcdCert, etcdKey, etcdUser, etcdPasswordFile } = flags;
  const endpoints = flags.store
    .slice("etcd:".length)
    .split(",")
    .filter((url) => url !== "");
  if (endpoints.length === 0) {
    throw new MisuseError(
      "--store etcd: needs at least one URL, such as etcd:http://127.0.0.1:2379",
    );
  }
  if ((etcdUser === undefined) !== (etcdPasswordFile === undefined)) {
    throw new MisuseError("--etcd-user and --etcd-password-file belong together");
  }
  // Loaded only here: who does not use etcd need not wait for it.
  const { EtcdStore } = await import("../storage/etcd/etcd-store.ts");
  return new EtcdStore({
    endpoints,
    clock: systemClock,
    random: systemRandom,
    logger,
    ...((etcdCa ?? etcdCert ?? etcdKey) !== undefined && {
      tls: {
        ...(etcdCa !== undefined && { ca: readFileSync(etcdCa) }),
        ...(etcdCert !== undefined && { cert: readFileSync(etcdCert) }),
        ...(etcdKey !== undefined && { key: readFileSync(etcdKey) }),
      },
    }),
    ...(etcdUser !== undefined &&
      etcdPasswordFile !== undefined && {
        auth: { username: etcdUser, password: readFileSync(etcdPasswordFile, "utf8").trim() },
      }),
  });
}
