// What the volumes of a pod have to show according to the server, worked out without any of the agent's code, and what they show.

import { lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import type {
  ConfigMap,
  DownwardAPIVolumeFile,
  KeyToPath,
  Pod,
  Secret,
  Volume,
  VolumeProjection,
} from "../../src/api/types.ts";
import type { DriftlessNode } from "../support/driftless-node.ts";
import type { Cluster } from "./cluster.ts";

/** By path, in hexadecimal: everything that is compared here is bytes. */
type Files = Record<string, string>;

export interface Objects {
  readonly configMaps: ReadonlyMap<string, ConfigMap>;
  readonly secrets: ReadonlyMap<string, Secret>;
}

export async function objectsOf(cluster: Cluster): Promise<Objects> {
  const core = "/api/v1/namespaces/default";
  const [configMaps, secrets] = await Promise.all([
    cluster.ask<{ readonly items: readonly ConfigMap[] }>("GET", `${core}/configmaps`),
    cluster.ask<{ readonly items: readonly Secret[] }>("GET", `${core}/secrets`),
  ]);
  return {
    configMaps: new Map(configMaps.items.map((one) => [one.metadata.name ?? "", one])),
    secrets: new Map(secrets.items.map((one) => [one.metadata.name ?? "", one])),
  };
}

/** In words, what is not as it should be; empty if everything is. Also if a volume is untidy: half of a write is left. */
export function differences(node: DriftlessNode, pod: Pod, objects: Objects): readonly string[] {
  return (pod.spec.volumes ?? []).flatMap((volume) => {
    const plugin = pluginOf(volume);
    if (plugin === undefined) return [];
    const path = node.volumePath(pod, plugin, volume.name);
    return [...wrongContent(path, expectedFiles(volume, pod, objects)), ...untidiness(path)];
  });
}

function wrongContent(volume: string, expected: Files): readonly string[] {
  const shown = shownFiles(join(volume, "..data"));
  const names = [...new Set([...Object.keys(expected), ...Object.keys(shown)])];
  const wrong = names.filter((name) => expected[name] !== shown[name]);
  const links = readdirSync(volume).filter((name) => !name.startsWith(".."));
  const missing = Object.keys(expected).filter((name) => !links.includes(name));
  const dangling = links.filter((name) => !(name in expected));
  return [
    ...wrong.map(
      (name) => `${volume}/${name} shows ${text(shown[name])}, not ${text(expected[name])}`,
    ),
    ...missing.map((name) => `${volume}/${name} has no link`),
    ...dangling.map((name) => `${volume}/${name} is a link to nothing`),
  ];
}

/** Beside the current version nothing may be left. */
function untidiness(volume: string): readonly string[] {
  const current = readlinkSync(join(volume, "..data"));
  return readdirSync(volume)
    .filter((name) => name.startsWith("..") && name !== "..data" && name !== current)
    .map((name) => `${volume}/${name} is left over`);
}

function text(hex: string | undefined): string {
  return hex === undefined
    ? "nothing"
    : JSON.stringify(Buffer.from(hex, "hex").toString().slice(0, 40));
}

export function shownFiles(directory: string): Files {
  const names = readdirSync(directory, { recursive: true, encoding: "utf8" });
  const files = names.filter(
    (name) => name !== "..version" && lstatSync(join(directory, name)).isFile(),
  );
  return Object.fromEntries(
    files.map((name) => [name, readFileSync(join(directory, name)).toString("hex")]),
  );
}

function pluginOf(volume: Volume): string | undefined {
  if (volume.configMap) return "configmap";
  if (volume.secret) return "secret";
  if (volume.projected) return "projected";
  return volume.downwardAPI ? "downward-api" : undefined;
}

function expectedFiles(volume: Volume, pod: Pod, objects: Objects): Files {
  const { configMap, secret, projected, downwardAPI } = volume;
  if (configMap) return projection({ configMap }, pod, objects);
  if (secret) {
    const { secretName: name = "", items } = secret;
    return projection({ secret: { name, ...(items && { items }) } }, pod, objects);
  }
  if (downwardAPI) return projection({ downwardAPI }, pod, objects);
  const sources = projected?.sources ?? [];
  return Object.assign({}, ...sources.map((one) => projection(one, pod, objects))) as Files;
}

function projection(source: VolumeProjection, pod: Pod, objects: Objects): Files {
  if (source.configMap) {
    const { name = "", items } = source.configMap;
    const { data = {}, binaryData = {} } = objects.configMaps.get(name) ?? {};
    const texts = Object.entries(data).map(([key, value]) => [key, hexOf(value, "utf8")]);
    const bytes = Object.entries(binaryData).map(([key, value]) => [key, hexOf(value, "base64")]);
    return picked(Object.fromEntries([...texts, ...bytes]) as Files, items);
  }
  if (source.secret) {
    const { name = "", items } = source.secret;
    const data = Object.entries(objects.secrets.get(name)?.data ?? {});
    const files = data.map(([key, value]) => [key, hexOf(String(value), "base64")]);
    return picked(Object.fromEntries(files) as Files, items);
  }
  const items = source.downwardAPI?.items ?? [];
  return Object.fromEntries(items.map((item) => [item.path, fieldText(item, pod)]));
}

function picked(files: Files, items: readonly KeyToPath[] | undefined): Files {
  if (items === undefined) return files;
  return Object.fromEntries(items.map(({ key, path }) => [path, files[key] ?? ""]));
}

function fieldText({ fieldRef }: DownwardAPIVolumeFile, { metadata }: Pod): string {
  if (fieldRef?.fieldPath === "metadata.name") return hexOf(metadata.name ?? "", "utf8");
  const lines = Object.entries(metadata.labels ?? {}).map(([key, value]) => `${key}="${value}"`);
  return hexOf(lines.toSorted().join("\n"), "utf8");
}

function hexOf(value: string, encoding: BufferEncoding): string {
  return Buffer.from(value, encoding).toString("hex");
}
