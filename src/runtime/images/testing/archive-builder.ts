// Archives of images for tests, made from a few words.

import { gzipSync, zstdCompressSync } from "node:zlib";
import { digestOf } from "../digest.ts";
import type { TarHeader } from "../tar-format.ts";
import { type TarSource, writeTar } from "../tar-writer.ts";

export function entry(given: Partial<TarHeader> & { readonly name: string }, text = ""): TarSource {
  const type = given.type ?? (given.name.endsWith("/") ? "directory" : "file");
  const content = Buffer.from(text, "latin1");
  return {
    linkName: "",
    mode: type === "directory" ? 0o755 : 0o644,
    uid: 0,
    gid: 0,
    mtimeMs: 1_700_000_000_000,
    major: 0,
    minor: 0,
    attributes: new Map(),
    ...given,
    type,
    sizeBytes: content.length,
    content: content.length === 0 ? [] : [content],
  };
}

/** Files by name; a name that ends with a slash is a directory. */
export function layerOf(files: Readonly<Record<string, string>>): Promise<Buffer> {
  return tarOf(Object.entries(files).map(([name, text]) => entry({ name }, text)));
}

export async function tarOf(entries: readonly TarSource[]): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const part of writeTar(entries)) parts.push(part);
  return Buffer.concat(parts);
}

export interface ArchiveSpec {
  /** Tar archives, the lowest first. */
  readonly layers: readonly Buffer[];
  readonly compression?: "gzip" | "zstd" | "none";
  readonly config?: object;
  readonly architecture?: string;
  readonly names?: readonly string[];
}

export type BlobFiles = Map<string, Buffer>;

interface Built {
  readonly blobs: BlobFiles;
  readonly manifest: Descriptor;
}

interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
}

/** The parts of an OCI image: its blobs, and the descriptor of its manifest. */
export function ociImage({
  layers,
  compression = "gzip",
  config,
  architecture = "amd64",
}: ArchiveSpec): Built {
  const blobs: BlobFiles = new Map();
  const add = (mediaType: string, bytes: Buffer): Descriptor => {
    const digest = digestOf(bytes);
    blobs.set(`blobs/sha256/${digest.slice(7)}`, bytes);
    return { mediaType, digest, size: bytes.length };
  };
  const described = add(
    "application/vnd.oci.image.config.v1+json",
    configOf(layers, architecture, config),
  );
  const layerType = "application/vnd.oci.image.layer.v1.tar";
  const blobsOfLayers = layers.map((layer) => add(layerType, compressed(layer, compression)));
  const manifest = { schemaVersion: 2, config: described, layers: blobsOfLayers };
  return { blobs, manifest: add("application/vnd.oci.image.manifest.v1+json", json(manifest)) };
}

export function ociArchive(spec: ArchiveSpec): Promise<Buffer> {
  const { blobs, manifest } = ociImage(spec);
  return ociLayout(blobs, [manifest]);
}

export function ociLayout(blobs: BlobFiles, manifests: readonly object[]): Promise<Buffer> {
  return archiveOf(
    new Map([
      ["oci-layout", json({ imageLayoutVersion: "1.0.0" })],
      ...blobs,
      ["index.json", json({ schemaVersion: 2, manifests })],
    ]),
  );
}

/** As `docker save` wrote it before it knew OCI layouts. */
export function dockerArchive({
  layers,
  config,
  architecture = "amd64",
  names = ["app:1"],
}: ArchiveSpec): Promise<Buffer> {
  const document = configOf(layers, architecture, config);
  const configFile = `${digestOf(document).slice(7)}.json`;
  const layerFiles = layers.map((layer, i) => [`${i}abc/layer.tar`, layer] as const);
  const manifest = [
    { Config: configFile, RepoTags: names, Layers: layerFiles.map(([name]) => name) },
  ];
  return archiveOf(
    new Map([[configFile, document], ...layerFiles, ["manifest.json", json(manifest)]]),
  );
}

export function archiveOf(files: ReadonlyMap<string, Buffer>): Promise<Buffer> {
  return tarOf([...files].map(([name, bytes]) => entry({ name }, bytes.toString("latin1"))));
}

export function json(value: object): Buffer {
  return Buffer.from(JSON.stringify(value));
}

function configOf(layers: readonly Buffer[], architecture: string, config: object = {}): Buffer {
  return json({
    os: "linux",
    architecture,
    config,
    rootfs: { type: "layers", diff_ids: layers.map((layer) => digestOf(layer)) },
  });
}

function compressed(bytes: Buffer, compression: "gzip" | "zstd" | "none"): Buffer {
  if (compression === "none") return bytes;
  return compression === "gzip" ? gzipSync(bytes) : zstdCompressSync(bytes);
}
