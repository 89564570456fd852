// Which store, from the flags that all commands share.

import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import type { Command } from "commander";
import { systemClock } from "../base/clock.ts";
import { createLogger, type Logger } from "../base/logger.ts";
import { systemRandom } from "../base/random.ts";
import { EncryptedStore } from "../storage/encryption/encrypted-store.ts";
import { SEALED_PREFIXES } from "../storage/encryption/sealed-prefixes.ts";
import { MemoryStore } from "../storage/memory/memory-store.ts";
import { SqliteStore } from "../storage/sqlite/sqlite-store.ts";
import type { Store } from "../storage/store.ts";
import { MisuseError } from "./misuse-error.ts";

export interface StoreFlags {
  readonly dataDir: string;
  readonly store: string;
  readonly encryptionKey?: string;
  readonly etcdCa?: string;
  readonly etcdCert?: string;
  readonly etcdKey?: string;
  readonly etcdUser?: string;
  readonly etcdPasswordFile?: string;
}

export const defaultDataDir: string = join(homedir(), ".driftless");

export function storeOptions(command: Command): Command {
  return keyOption(command)
    .option("--store <store>", "sqlite, memory, or etcd:URL[,URL…]", "sqlite")
    .option("--etcd-ca <file>", "the authority that signed etcd's certificates")
    .option("--etcd-cert <file>", "the certificate to show to etcd")
    .option("--etcd-key <file>", "its key")
    .option("--etcd-user <name>", "the user to be in etcd")
    .option("--etcd-password-file <file>", "a file with its password");
}

export function keyOption(command: Command): Command {
  return command.option(
    "--encryption-key <file>",
    "the keys of what is encrypted in the store; all servers of one etcd need the same (default: DIR/encryption.key)",
  );
}

export function databaseDirectory({ dataDir }: Pick<StoreFlags, "dataDir">): string {
  return join(dataDir, "store");
}

export function keyFile({
  dataDir,
  encryptionKey,
}: Pick<StoreFlags, "dataDir" | "encryptionKey">): string {
  return encryptionKey ?? join(dataDir, "encryption.key");
}

/** For servers: Secrets are encrypted in it, unless it is gone with the process anyway. */
export async function openStore(flags: StoreFlags, logger: Logger): Promise<Store> {
  const store = await openRawStore(flags, logger);
  if (flags.store === "memory") return store;
  return new EncryptedStore({
    store,
    prefixes: SEALED_PREFIXES,
    keyFile: keyFile(flags),
    clock: systemClock,
    logger,
  });
}

/** Runs a store of several servers for a while, with everything in it as it is stored: encrypted values too. */
export async function withRawStore<T>(
  flags: StoreFlags,
  work: (store: Store) => Promise<T>,
): Promise<T> {
  if (flags.store === "memory") {
    throw new MisuseError("--store memory: there is nothing of it outside the server");
  }
  const logger = createLogger({ level: "error", destination: process.stderr });
  const store = await openRawStore(flags, logger);
  const stop = new AbortController();
  const running = store.run(stop.signal);
  try {
    await Promise.race([store.ready(), running]);
    return await work(store);
  } finally {
    stop.abort();
    await running;
  }
}

async function openRawStore(flags: StoreFlags, logger: Logger): Promise<Store> {
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
