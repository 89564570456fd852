// Which image is in an archive, and of which files it is made: an OCI layout, or what `docker save` writes. Everything that is named by
// its digest is checked against it.

import type { ArchiveFiles } from "./archive-files.ts";
import { DigestError, digestOf, hexOf } from "./digest.ts";
import { fullName, parseImageName } from "./image-name.ts";

export interface ArchivedImage {
  /** Of the configuration: what the image is called by its content. */
  readonly id: string;
  /** Of the manifest, by which registries know it; "" if the archive has none. */
  readonly manifestDigest: string;
  readonly config: ConfigDocument;
  /** The lowest first; as many as there are diff ids in the configuration. */
  readonly layers: readonly ArchivedLayer[];
}

export interface ArchivedLayer {
  readonly file: string;
  /** Of the file as it is in the archive, if that is known. */
  readonly digest: string | undefined;
  /** Of the tar archive without its compression. */
  readonly diffId: string;
}

/** The part of an image's configuration that matters here. */
export interface ConfigDocument {
  readonly architecture?: string;
  readonly os?: string;
  readonly config?: {
    readonly Entrypoint?: readonly string[] | null;
    readonly Cmd?: readonly string[] | null;
    readonly Env?: readonly string[] | null;
    readonly User?: string;
    readonly WorkingDir?: string;
    readonly StopSignal?: string;
  } | null;
  readonly rootfs?: { readonly diff_ids?: readonly string[] | null };
}

interface Descriptor {
  readonly mediaType?: string;
  readonly digest: string;
  readonly platform?: { readonly os?: string; readonly architecture?: string };
  readonly annotations?: Readonly<Record<string, string>> | null;
}

interface IndexDocument {
  readonly manifests?: readonly Descriptor[] | null;
}

interface ManifestDocument {
  readonly config?: Descriptor;
  readonly layers?: readonly Descriptor[] | null;
}

interface DockerManifest {
  readonly Config: string;
  readonly RepoTags?: readonly string[] | null;
  readonly Layers?: readonly string[] | null;
}

export interface ImageWanted {
  /** Full. Says which one is meant if there are several. */
  readonly name: string;
  /** As images call it: "amd64". */
  readonly architecture: string;
}

const MAX_INDEX_DEPTH = 4;
const INDEX_TYPE = /\.(image\.index|manifest\.list)\./;
const NAME_ANNOTATIONS = ["io.containerd.image.name", "org.opencontainers.image.ref.name"];

/** Throws if there is none for this machine, or it cannot be told which of several is meant. */
export async function imageInArchive(
  files: ArchiveFiles,
  wanted: ImageWanted,
): Promise<ArchivedImage> {
  const image = await find(files, wanted);
  const { os = "linux", architecture = wanted.architecture } = image.config;
  if (os !== "linux" || architecture !== wanted.architecture) {
    throw new Error(
      `Cannot use the image: it is for ${os}/${architecture}, and this machine is linux/${wanted.architecture}`,
    );
  }
  return image;
}

async function find(files: ArchiveFiles, wanted: ImageWanted): Promise<ArchivedImage> {
  if (files.has("index.json")) {
    const index = (await documentAt(files, "index.json")) as IndexDocument;
    return ociImage(files, await chooseManifest(files, index, { ...wanted, depth: 0 }));
  }
  if (files.has("manifest.json")) return dockerImage(files, wanted);
  throw new Error(
    "Cannot find an image in the archive: it has neither an index.json (OCI layout) nor a manifest.json (docker save)",
  );
}

async function chooseManifest(
  files: ArchiveFiles,
  { manifests }: IndexDocument,
  wanted: ImageWanted & { readonly depth: number },
): Promise<string> {
  const fitting = (manifests ?? []).filter(({ platform }) => isFor(platform, wanted.architecture));
  // Inside an index of its own all are one image; several that fit are for variants of the processor, the most common first.
  const candidates = wanted.depth === 0 ? fitting : fitting.slice(0, 1);
  const chosen = chooseByName(candidates, wanted, (one) =>
    NAME_ANNOTATIONS.flatMap((key) => one.annotations?.[key] ?? []),
  );
  if (chosen === undefined) {
    throw new Error(`Cannot find an image in the archive for linux/${wanted.architecture}`);
  }
  if (!INDEX_TYPE.test(chosen.mediaType ?? "")) return chosen.digest;
  if (wanted.depth === MAX_INDEX_DEPTH)
    throw new Error("Cannot find an image in the archive: its indexes lead in circles");
  const inner = (await blobDocument(files, chosen.digest)) as IndexDocument;
  return chooseManifest(files, inner, { ...wanted, depth: wanted.depth + 1 });
}

/** The only one, or the one of this name. */
function chooseByName<T>(
  all: readonly T[],
  { name }: ImageWanted,
  namesOf: (one: T) => readonly string[],
): T | undefined {
  if (all.length <= 1) return all[0];
  const named = all.filter((one) => namesOf(one).some((given) => isSameName(given, name)));
  if (named.length === 1) return named[0];
  const names = all.flatMap(namesOf).join(", ");
  throw new Error(
    `Cannot tell which image of the archive is meant: there are ${all.length}${names && ` (${names})`}, and not one of them is ${name}`,
  );
}

function isSameName(given: string, name: string): boolean {
  try {
    return fullName(parseImageName(given)) === name;
  } catch {
    // A label that is no name is a name of nothing.
    return false;
  }
}

/** No platform: the configuration will say it. */
function isFor(platform: Descriptor["platform"], architecture: string): boolean {
  if (platform?.architecture === undefined) return true;
  return (platform.os ?? "linux") === "linux" && platform.architecture === architecture;
}

async function ociImage(files: ArchiveFiles, manifestDigest: string): Promise<ArchivedImage> {
  const manifest = (await blobDocument(files, manifestDigest)) as ManifestDocument;
  const { config: described, layers = [] } = manifest;
  if (described === undefined)
    throw new Error("Cannot use the image: its manifest names no configuration");
  const config = (await blobDocument(files, described.digest)) as ConfigDocument;
  const blobs = (layers ?? []).map(({ digest }) => ({ file: blobFile(digest), digest }));
  return { id: described.digest, manifestDigest, config, layers: layersOf(config, blobs) };
}

async function dockerImage(files: ArchiveFiles, wanted: ImageWanted): Promise<ArchivedImage> {
  const manifests = (await documentAt(files, "manifest.json")) as readonly DockerManifest[];
  const chosen = chooseByName(manifests, wanted, (one) => one.RepoTags ?? []);
  if (chosen === undefined)
    throw new Error("Cannot find an image in the archive: its manifest.json is empty");
  const bytes = await files.bytes(chosen.Config);
  const id = digestOf(bytes);
  const [, hex] = /(?:^|\/)([0-9a-f]{64})(?:\.json)?$/.exec(chosen.Config) ?? [];
  if (hex !== undefined && id !== `sha256:${hex}`)
    throw new DigestError(`The configuration ${chosen.Config} is damaged`);
  const config = JSON.parse(bytes.toString()) as ConfigDocument;
  const blobs = (chosen.Layers ?? []).map((file) => ({ file, digest: undefined }));
  return { id, manifestDigest: "", config, layers: layersOf(config, blobs) };
}

function layersOf(
  { rootfs }: ConfigDocument,
  blobs: readonly Omit<ArchivedLayer, "diffId">[],
): readonly ArchivedLayer[] {
  const diffIds = rootfs?.diff_ids ?? [];
  if (diffIds.length !== blobs.length || blobs.length === 0) {
    throw new Error(
      `Cannot use the image: it has ${blobs.length} layers, and its configuration says ${diffIds.length}`,
    );
  }
  return blobs.map((blob, i) => ({ ...blob, diffId: diffIds[i] ?? "" }));
}

async function blobDocument(files: ArchiveFiles, digest: string): Promise<unknown> {
  const bytes = await files.bytes(blobFile(digest));
  if (digestOf(bytes) !== digest)
    throw new DigestError(`The blob ${digest} of the archive is damaged`);
  return JSON.parse(bytes.toString()) as unknown;
}

async function documentAt(files: ArchiveFiles, name: string): Promise<unknown> {
  return JSON.parse((await files.bytes(name)).toString()) as unknown;
}

function blobFile(digest: string): string {
  return `blobs/sha256/${hexOf(digest)}`;
}
