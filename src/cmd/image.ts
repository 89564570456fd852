// `driftless image`: the images of this machine. They are brought by hand: nothing is pulled from a registry.

import { statSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { Command } from "commander";
import { systemClock } from "../base/clock.ts";
import { overlayMarks } from "../mounts/xattr.ts";
import type { ImageConfig } from "../runtime/image.ts";
import { imageArchitecture } from "../runtime/images/image-architecture.ts";
import { InvalidImageNameError, parseImageName } from "../runtime/images/image-name.ts";
import type { ImageRecord } from "../runtime/images/image-record.ts";
import { DEFAULT_LIMITS, ImageStore } from "../runtime/images/image-store.ts";
import { layersInUse } from "../runtime/images/layers-in-use.ts";
import { MisuseError } from "./misuse-error.ts";

interface StoreFlags {
  readonly dataDir: string;
  readonly output?: string;
}

interface ImportFlags extends StoreFlags {
  readonly entrypoint?: readonly string[];
  readonly cmd?: readonly string[];
  readonly env?: readonly string[];
  readonly user?: string;
  readonly workdir?: string;
}

const DIRECTORY_FLAGS = ["entrypoint", "cmd", "env", "user", "workdir"] as const;

export function imageCommand(): Command {
  return new Command("image")
    .description("import, list and remove the images of this machine")
    .addCommand(importCommand())
    .addCommand(listCommand())
    .addCommand(removeCommand());
}

function importCommand(): Command {
  return withStore(new Command("import"))
    .description("make an image of an archive or a directory; what has the name now loses it")
    .argument("<name>", "what pods call it, such as nginx or registry.example/team/app:1.2")
    .argument("<source>", "an OCI layout or docker save archive, compressed or not; or a directory")
    .option(
      "--entrypoint <word>",
      "of a directory: the program; give it again for each word",
      addWord,
    )
    .option("--cmd <word>", "of a directory: an argument; give it again for each word", addWord)
    .option("--env <NAME=value>", "of a directory: a variable; may be given again", addWord)
    .option("--user <user>", "of a directory: who runs it, such as 1000, 1000:1000 or app")
    .option("--workdir <dir>", "of a directory: where it runs")
    .addHelpText(
      "after",
      `
Examples:
  docker save nginx -o nginx.tar && driftless image import nginx nginx.tar
  skopeo copy docker://redis:7 oci-archive:redis.tar && driftless image import redis:7 redis.tar
  driftless image import app:1 ./app --entrypoint /bin/app --cmd --port --cmd 80 --env MODE=live

Pods can use "image: host" without an import: the programs of the machine itself.`,
    )
    .action(importImage);
}

function listCommand(): Command {
  return withStore(new Command("list"))
    .description("list the images of this machine")
    .addHelpText("after", "\nExample:\n  driftless image list -o json")
    .action(listImages);
}

function removeCommand(): Command {
  return withStore(new Command("remove"))
    .description("remove an image; what runs on it keeps its layers until the next removal")
    .argument("<name>", "as it was imported")
    .addHelpText("after", "\nExample:\n  driftless image remove nginx")
    .action(removeImage);
}

function withStore(command: Command): Command {
  return command
    .option("--data-dir <dir>", "the node's", join(homedir(), ".driftless"))
    .option("-o, --output <format>", "json for programs");
}

async function importImage(name: string, source: string, flags: ImportFlags): Promise<void> {
  refuseFormat(flags.output);
  refuseName(name);
  if (process.getuid?.() !== 0) {
    throw new Error(`Cannot import ${name}: only root can give the files of an image their owners`);
  }
  const store = storeOf(flags);
  const isDirectory = statSync(source).isDirectory();
  const given = DIRECTORY_FLAGS.filter((flag) => flags[flag] !== undefined);
  if (!isDirectory && given.length > 0) {
    throw new MisuseError(
      `--${given.join(", --")}: an archive says that itself; only for a directory`,
    );
  }
  const record = isDirectory
    ? await store.importDirectory(name, source, configOf(flags))
    : await store.importArchive(name, source);
  print(
    flags.output === "json"
      ? JSON.stringify(asJson(record))
      : `driftless: imported ${record.name} (${layerCount(record)}, ${sizeText(record.sizeBytes)})`,
  );
}

function listImages(flags: StoreFlags): void {
  refuseFormat(flags.output);
  const images = storeOf(flags).list();
  if (flags.output === "json") {
    print(JSON.stringify(images.map(asJson)));
    return;
  }
  print(
    images.length === 0 ? "There are no images. See driftless image import --help" : table(images),
  );
}

async function removeImage(name: string, flags: StoreFlags): Promise<void> {
  refuseFormat(flags.output);
  refuseName(name);
  const isLayerInUse = layersInUse("/proc");
  const record = await storeOf(flags).remove(name, { isLayerInUse });
  print(
    flags.output === "json" ? JSON.stringify(asJson(record)) : `driftless: removed ${record.name}`,
  );
}

function storeOf({ dataDir }: StoreFlags): ImageStore {
  return new ImageStore({
    root: dataDir,
    clock: systemClock,
    marks: overlayMarks,
    pid: process.pid,
    architecture: imageArchitecture(process.arch),
    limits: DEFAULT_LIMITS,
  });
}

function configOf({ entrypoint, cmd, env, user, workdir }: ImportFlags): Partial<ImageConfig> {
  const wrong = env?.find((one) => !/^[^=]+=/.test(one));
  if (wrong !== undefined) throw new MisuseError(`--env ${wrong}: must be NAME=value`);
  return {
    ...(entrypoint && { entrypoint }),
    ...(cmd && { cmd }),
    ...(env && { env }),
    ...(user !== undefined && { user }),
    ...(workdir !== undefined && { workingDir: workdir }),
  };
}

function refuseFormat(output: string | undefined): void {
  if (output === undefined || output === "json") return;
  throw new MisuseError(`--output ${output}: must be json`);
}

function refuseName(name: string): void {
  try {
    parseImageName(name);
  } catch (err) {
    if (!(err instanceof InvalidImageNameError)) throw err;
    throw new MisuseError(err.message, { cause: err });
  }
}

function addWord(word: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), word];
}

function asJson({
  name,
  id,
  manifestDigest,
  diffIds,
  config,
  sizeBytes,
  importedAt,
}: ImageRecord): object {
  return { name, id, manifestDigest, layers: diffIds, config, sizeBytes, importedAt };
}

/** The name takes the room that the terminal has left, and is cut in the middle if that is too little. */
function table(images: readonly ImageRecord[]): string {
  const rows = [
    ["NAME", "ID", "LAYERS", "SIZE", "IMPORTED"],
    ...images.map(({ name, id, diffIds, sizeBytes, importedAt }) => [
      name,
      id.replace(/^sha256:/, "").slice(0, 12),
      String(diffIds.length),
      sizeText(sizeBytes),
      importedAt.replace(/\.\d+Z$/, "Z"),
    ]),
  ];
  const widths = [0, 1, 2, 3, 4].map((i) => Math.max(...rows.map((row) => row[i]?.length ?? 0)));
  const others = widths.slice(1).reduce((sum, width) => sum + width + 3, 0);
  const room = Math.max(20, (process.stdout.columns ?? Number.POSITIVE_INFINITY) - others);
  const nameWidth = Math.min(widths[0] ?? 0, room);
  return rows
    .map(([name = "", ...rest]) => [
      shortened(name, nameWidth).padEnd(nameWidth),
      ...rest.map((cell, i) => cell.padEnd(widths[i + 1] ?? 0)),
    ])
    .map((cells) => cells.join("   ").trimEnd())
    .join("\n");
}

/** Both ends matter: the registry and the tag. */
function shortened(text: string, width: number): string {
  if (text.length <= width) return text;
  const end = Math.floor((width - 1) * 0.6);
  return `${text.slice(0, width - 1 - end)}…${text.slice(-end)}`;
}

function layerCount({ diffIds }: ImageRecord): string {
  return diffIds.length === 1 ? "1 layer" : `${diffIds.length} layers`;
}

function sizeText(bytes: number): string {
  const units = ["B", "KiB", "MiB", "GiB"] as const;
  const power = Math.min(units.length - 1, Math.floor(Math.log2(Math.max(1, bytes)) / 10));
  const value = bytes / 1024 ** power;
  return `${power === 0 ? value : value.toFixed(1)} ${units[power]}`;
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
