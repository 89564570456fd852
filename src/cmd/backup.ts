// `driftless backup` and `driftless restore`.

import { homedir } from "node:os";
import { join } from "node:path";
import { Command } from "commander";
import { createLogger } from "../base/logger.ts";
import {
  type Backup,
  backupDirectory,
  backupStore,
  restoreDirectory,
  restoreStore,
} from "../storage/backup.ts";
import type { Store } from "../storage/store.ts";
import { MisuseError } from "./misuse-error.ts";
import { databaseDirectory, openStore, type StoreFlags, storeOptions } from "./store-flags.ts";

interface BackupFlags extends StoreFlags {
  readonly force?: boolean;
}

const dataDir = join(homedir(), ".driftless");

export function backupCommand(): Command {
  const command = new Command("backup")
    .description("write everything that is stored into one file, while the server runs")
    .argument("<file>", "the backup; it holds secrets, and only you can read it")
    .option("--data-dir <dir>", "the server's", dataDir)
    .option("--force", "replace the file if it exists");
  return storeOptions(command)
    .addHelpText("after", "\nExample:\n  driftless backup /backups/driftless-$(date +%F).db")
    .action(async (file: string, flags: BackupFlags) => {
      const target = { file, overwrite: flags.force === true };
      const made =
        flags.store === "sqlite"
          ? await backupDirectory(databaseDirectory(flags), target)
          : await withStore(flags, (store) => backupStore(store, target));
      print(`backed up ${told(made)} to ${file}`);
    });
}

export function restoreCommand(): Command {
  const command = new Command("restore")
    .description("fill an empty store from a backup; the server must not run")
    .argument("<file>", "the backup")
    .option("--data-dir <dir>", "where the server will keep everything", dataDir);
  return storeOptions(command)
    .addHelpText(
      "after",
      "\nExample:\n  driftless restore /backups/driftless.db --data-dir /var/lib/driftless",
    )
    .action(async (file: string, flags: StoreFlags) => {
      const made =
        flags.store === "sqlite"
          ? await restoreDirectory(file, databaseDirectory(flags))
          : await withStore(flags, (store) => restoreStore(file, store));
      print(`restored ${told(made)} from ${file}`);
    });
}

async function withStore(
  flags: StoreFlags,
  work: (store: Store) => Promise<Backup>,
): Promise<Backup> {
  if (flags.store === "memory") {
    throw new MisuseError("--store memory: there is nothing of it outside the server");
  }
  const logger = createLogger({ level: "error", destination: process.stderr });
  const store = await openStore(flags, logger);
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

function told({ keys, revision }: Backup): string {
  return `${keys} objects as of resourceVersion ${revision}`;
}

function print(text: string): void {
  process.stdout.write(`driftless: ${text}\n`);
}
