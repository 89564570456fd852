// `driftless encryption`: the keys of what is encrypted in the store. Commands change the key file only, and look at
// the store only; a running server sees the changed file and does the rest.

import { Command } from "commander";
import { EncryptionKey } from "../storage/encryption/encryption-key.ts";
import { changeKeyFile, type Keys, readKeyFile } from "../storage/encryption/key-file.ts";
import { SEALED_PREFIXES } from "../storage/encryption/sealed-prefixes.ts";
import { type KeyUse, surveyDirectory, surveyStore } from "../storage/encryption/survey.ts";
import { MisuseError } from "./misuse-error.ts";
import {
  databaseDirectory,
  defaultDataDir,
  keyFile,
  keyOption,
  type StoreFlags,
  storeOptions,
  withRawStore,
} from "./store-flags.ts";

interface RotateFlags extends Pick<StoreFlags, "dataDir" | "encryptionKey"> {
  readonly stage?: boolean;
  readonly use?: string;
}

export function encryptionCommand(): Command {
  return new Command("encryption")
    .description("look after the keys with which Secrets are encrypted in the store")
    .addCommand(rotateCommand())
    .addCommand(statusCommand())
    .addCommand(pruneCommand());
}

function rotateCommand(): Command {
  const command = new Command("rotate")
    .description("make a new key, with which a running server encrypts everything again")
    .option("--data-dir <dir>", "the server's", defaultDataDir)
    .option("--stage", "only let servers read with it; --use lets them write")
    .option("--use <id>", "make no key, but write with this one of the file");
  return keyOption(command)
    .addHelpText(
      "after",
      `
With one server:
  driftless encryption rotate
  driftless encryption status     until the old key is needed no more
  driftless encryption prune

With several servers on one etcd, none may meet a key that it does not have:
  driftless encryption rotate --stage      then copy the key file to all servers, and wait 5 seconds
  driftless encryption rotate --use ID     then copy it again`,
    )
    .action(rotate);
}

function statusCommand(): Command {
  const command = new Command("status")
    .description("show how many values are encrypted with which key, while the server runs")
    .option("--data-dir <dir>", "the server's", defaultDataDir);
  return storeOptions(command).action(async (flags: StoreFlags) => {
    const keys = readKeyFile(keyFile(flags)) ?? [];
    for (const line of statusLines(await survey(flags), keys)) process.stdout.write(`${line}\n`);
  });
}

function pruneCommand(): Command {
  const command = new Command("prune")
    .description("remove the keys from the key file that nothing in the store needs any more")
    .option("--data-dir <dir>", "the server's", defaultDataDir);
  return storeOptions(command)
    .addHelpText(
      "after",
      "\nBackups from before need the removed keys: keep a copy with them in mind.",
    )
    .action(async (flags: StoreFlags) => {
      const { record, byKey } = await survey(flags);
      const retired = (record?.retired ?? []).filter((id) => !byKey.has(id));
      const removed: string[] = [];
      changeKeyFile(keyFile(flags), (keys) => {
        const [first, ...others] = keys.filter(({ id }) => !retired.includes(id));
        if (first === undefined)
          throw new Error("Cannot prune: the store needs none of these keys");
        removed.push(...keys.map(({ id }) => id).filter((id) => retired.includes(id)));
        return [first, ...others];
      });
      print(removed.length === 0 ? "there is no key to remove" : `removed ${removed.join(", ")}`);
    });
}

function rotate(flags: RotateFlags): void {
  const { stage = false, use } = flags;
  if (stage && use !== undefined) throw new MisuseError("--stage and --use exclude each other");
  const file = keyFile(flags);
  if (stage) {
    const added = EncryptionKey.generate();
    changeKeyFile(file, ([first, ...others]) => [first, ...others, added]);
    print(`added ${added.id} to ${file}; servers read with it, and none writes with it yet`);
    return;
  }
  const change = use === undefined ? withNew : (keys: Keys): Keys => withFirst(keys, use, file);
  const [{ id }] = changeKeyFile(file, change);
  print(`${id} is the first key in ${file}; a running server encrypts everything with it`);
}

function withNew(keys: Keys): Keys {
  return [EncryptionKey.generate(), ...keys];
}

function withFirst(keys: Keys, id: string, file: string): Keys {
  const found = keys.find((key) => key.id === id);
  if (found === undefined) throw new MisuseError(`--use ${id}: there is no such key in ${file}`);
  return [found, ...keys.filter((key) => key !== found)];
}

function survey(flags: StoreFlags): Promise<KeyUse> {
  return flags.store === "sqlite"
    ? surveyDirectory(databaseDirectory(flags), SEALED_PREFIXES)
    : withRawStore(flags, (store) => surveyStore(store, SEALED_PREFIXES));
}

/** A line for each key that the store or the file knows. */
function statusLines(use: KeyUse, inFile: readonly EncryptionKey[]): readonly string[] {
  const { record, byKey, inClear, damaged } = use;
  const have = inFile.map(({ id }) => id);
  const ids = new Set([...(record?.keys ?? []), ...byKey.keys(), ...have]);
  const lines = [...ids].map((id) => {
    const missing = have.includes(id) ? "" : ", missing in the key file";
    return row(id, byKey.get(id) ?? 0, roleOf(use, id) + missing);
  });
  const isSealed = SEALED_PREFIXES.every((prefix) => record?.sealed.includes(prefix) === true);
  if (!isSealed) lines.push(row("in clear", inClear, "also in the past, until that is compacted"));
  if (damaged > 0) lines.push(row("damaged", damaged, "neither encrypted nor an object"));
  return [row("KEY", "VALUES", "ROLE"), ...lines];
}

function roleOf({ record }: KeyUse, id: string): string {
  if (record?.keys[0] === id) return "writes";
  if (record?.keys.includes(id) === true) return "reads, still needed";
  if (record?.retired.includes(id) === true) return "needed no more, can be pruned";
  return "not used yet";
}

function row(key: string, values: number | string, role: string): string {
  return `${key.padEnd(18)}${String(values).padStart(8)}  ${role}`;
}

function print(text: string): void {
  process.stdout.write(`driftless: ${text}\n`);
}
