// A ConfigMap or a Secret as pods use it: keys and bytes, decoded once. Both may hold what nobody should print, so neither prints.

import { inspect } from "node:util";
import type { ConfigMap, ConfigRevision, Secret as SecretObject } from "../../api/types.ts";
import { contentVersion } from "../../base/content-version.ts";

export type ObjectKind = "ConfigMap" | "Secret";

export interface ObjectReference {
  readonly kind: ObjectKind;
  readonly namespace: string;
  readonly name: string;
}

/** Which content somebody has got: for events, logs and views. */
export interface ObjectVersion extends ObjectReference {
  readonly uid: string;
  readonly resourceVersion: string;
  /** Content hash of the keys and their bytes; 64 hex digits. A Secret's is keyed with its uid (content-version.ts). */
  readonly version: string;
}

const MAX_USED_VERSIONS = 32;

/** One key for maps: "ConfigMap/default/app". */
export function referenceKey({ kind, namespace, name }: ObjectReference): string {
  return `${kind}/${namespace}/${name}`;
}

export class ConfigObject implements ObjectReference {
  static {
    Object.defineProperty(ConfigObject.prototype, inspect.custom, {
      value(this: ConfigObject) {
        return this.toString();
      },
    });
  }

  readonly kind: ObjectKind;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly isImmutable: boolean;
  /** By which delivery policies choose it. */
  readonly labels: Readonly<Record<string, string>>;
  /** Of all keys; `data` before `binaryData`, which the API keeps apart. */
  readonly #bytes: ReadonlyMap<string, Uint8Array>;
  /** Keys of a ConfigMap's `binaryData`: no environment has them. */
  readonly #binary: ReadonlySet<string>;
  #version: string | undefined;
  /** A thousand pods of one template ask for the same. */
  readonly #usedVersions = new Map<string, string>();

  private constructor(
    of: ObjectReference,
    object: ConfigMap | SecretObject,
    content: {
      readonly bytes: ReadonlyMap<string, Uint8Array>;
      readonly binary: ReadonlySet<string>;
    },
  ) {
    this.kind = of.kind;
    this.namespace = of.namespace;
    this.name = of.name;
    this.uid = object.metadata.uid ?? "";
    this.resourceVersion = object.metadata.resourceVersion ?? "";
    this.isImmutable = object.immutable === true;
    this.labels = object.metadata.labels ?? {};
    this.#bytes = content.bytes;
    this.#binary = content.binary;
  }

  static fromConfigMap(object: ConfigMap): ConfigObject {
    const { data, binaryData } = object;
    const bytes = new Map<string, Uint8Array>();
    for (const [key, value] of Object.entries(data ?? {})) bytes.set(key, Buffer.from(value));
    const binary = new Set<string>();
    for (const [key, value] of Object.entries(binaryData ?? {})) {
      binary.add(key);
      bytes.set(key, Buffer.from(value, "base64"));
    }
    return new ConfigObject(referenceTo("ConfigMap", object), object, { bytes, binary });
  }

  static fromSecret(object: SecretObject): ConfigObject {
    const bytes = new Map<string, Uint8Array>();
    for (const [key, value] of Object.entries(object.data ?? {})) {
      bytes.set(key, Buffer.from(value, "base64"));
    }
    return new ConfigObject(referenceTo("Secret", object), object, { bytes, binary: new Set() });
  }

  /** What the object held once. As the object was then, but for its labels, which a revision does not keep. */
  static fromRevision(revision: ConfigRevision): ConfigObject {
    const { object, data, binaryData } = revision;
    const { name, uid, resourceVersion } = object;
    const { namespace } = revision.metadata;
    const metadata = { name, namespace, uid, resourceVersion };
    return object.kind === "Secret"
      ? ConfigObject.fromSecret({ metadata, data: binaryData })
      : ConfigObject.fromConfigMap({ metadata, data, binaryData });
  }

  get keys(): readonly string[] {
    return [...this.#bytes.keys()];
  }

  get totalBytes(): number {
    let total = 0;
    for (const value of this.#bytes.values()) total += value.byteLength;
    return total;
  }

  /** Not to be changed. Whoever calls this answers for where they go. */
  bytes(key: string): Uint8Array | undefined {
    return this.#bytes.get(key);
  }

  /** For an environment: only what the API keeps as text, and for Secrets everything. */
  text(key: string): string | undefined {
    const bytes = this.#binary.has(key) ? undefined : this.#bytes.get(key);
    return bytes && Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString();
  }

  /** Keys that `text` knows. */
  get textKeys(): readonly string[] {
    return this.keys.filter((key) => !this.#binary.has(key));
  }

  get version(): string {
    this.#version ??= contentVersion(this, this.#bytes);
    return this.#version;
  }

  /**
   * Of these keys alone, those that are there: what somebody has who uses no others; undefined: of all. With a uid: what it would be if the object
   * had that one.
   */
  versionOf(keys: readonly string[] | undefined, uid: string = this.uid): string {
    if (keys === undefined && uid === this.uid) return this.version;
    const asked = JSON.stringify([uid, keys]);
    const known = this.#usedVersions.get(asked);
    if (known !== undefined) return known;
    const used = keys && new Set(keys);
    const content = [...this.#bytes].filter(([key]) => used === undefined || used.has(key));
    const version = contentVersion({ kind: this.kind, uid }, new Map(content));
    if (this.#usedVersions.size >= MAX_USED_VERSIONS) this.#usedVersions.clear();
    this.#usedVersions.set(asked, version);
    return version;
  }

  get asVersion(): ObjectVersion {
    const { kind, namespace, name, uid, resourceVersion, version } = this;
    return { kind, namespace, name, uid, resourceVersion, version };
  }

  toString(): string {
    return `${this.kind} ${this.namespace}/${this.name} (${this.#bytes.size} keys, ${this.totalBytes} bytes)`;
  }

  toJSON(): string {
    return this.toString();
  }
}

function referenceTo(kind: ObjectKind, object: ConfigMap | SecretObject): ObjectReference {
  const { namespace = "", name = "" } = object.metadata;
  return { kind, namespace, name };
}
