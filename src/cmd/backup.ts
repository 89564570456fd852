// `driftless backup` and `driftless restore`.

import { Command } from "commander";
import {
  type Backup,
  backupDirectory,
  backupStore,
  restoreDirectory,
  restoreStore,
} from "../storage/backup.ts";
import { readKeyFile } from "../storage/encryption/key-file.ts";
import { keysOfBackup } from "../storage/encryption/survey.ts";
import {
  databaseDirectory,
  defaultDataDir,
  keyFile,
  type StoreFlags,
  storeOptions,
  withRawStore,
} from "./store-flags.ts";

interface BackupFlags extends StoreFlags {
  readonly force?: boolean;
}

export function backupCommand(): Command {
  const command = new Command("backup")
    .description("write everything that is stored into one file, while the server runs")
    .argument("<file>", "the backup; Secrets stay encrypted in it, and only you can read it")
    .option("--data-dir <dir>", "the server's", defaultDataDir)
    .option("--force", "replace the file if it exists");
  return storeOptions(command)
    .addHelpText("after", "\nExample:\n  driftless backup /backups/driftless-$(date +%F).db")
    .action(async (file: string, flags: BackupFlags) => {
      const target = { file, overwrite: flags.force === true };
      const made =
        flags.store === "sqlite"
          ? await backupDirectory(databaseDirectory(flags), target)
          : await withRawStore(flags, (store) => backupStore(store, target));
      const keys = keysOfBackup(file);
      print(`backed up ${told(made, keys)} to ${file}`);
      if (keys.length > 0) {
        print(
          `its Secrets are encrypted with ${keys.join(", ")}: that is not in it, so keep a copy of ${keyFile(flags)} elsewhere`,
        );
      }
    });
}

export function restoreCommand(): Command {
  const command = new Command("restore")
    .description("fill an empty store from a backup; the server must not run")
    .argument("<file>", "the backup")
    .option("--data-dir <dir>", "where the server will keep everything", defaultDataDir);
  return storeOptions(command)
    .addHelpText(
      "after",
      "\nExample:\n  driftless restore /backups/driftless.db --data-dir /var/lib/driftless",
    )
    .action(async (file: string, flags: StoreFlags) => {
      const made =
        flags.store === "sqlite"
          ? await restoreDirectory(file, databaseDirectory(flags))
          : await withRawStore(flags, (store) => restoreStore(file, store));
      const keys = keysOfBackup(file);
      print(`restored ${told(made, keys)} from ${file}`);
      warnOfMissing(keys, keyFile(flags));
    });
}

/** The server would refuse to start; the one who restores is the one who can still do something about it. */
function warnOfMissing(needed: readonly string[], file: string): void {
  const have = needed.length === 0 ? [] : (readKeyFile(file) ?? []).map(({ id }) => id);
  const missing = needed.filter((id) => !have.includes(id));
  if (missing.length === 0) return;
  process.stderr.write(
    `driftless: warning: its Secrets are encrypted with ${missing.join(", ")}, which ${file} does not have: ` +
      "put the key file there before the server starts\n",
  );
}

/** The record of the keys is in the store too, and no object. */
function told({ keys, revision }: Backup, encryptedWith: readonly string[]): string {
  const objects = keys - (encryptedWith.length > 0 ? 1 : 0);
  return `${objects} objects as of resourceVersion ${revision}`;
}

function print(text: string): void {
  process.stdout.write(`driftless: ${text}\n`);
}
