// A ConfigMap or a Secret as pods use it: keys and bytes, decoded once. Both may hold what nobody should print, so neither prints.

import { inspect } from "node:util";
import type { ConfigMap, Secret as SecretObject } from "../../api/types.ts";
import { compareUtf8, versionOf } from "../../files/version.ts";

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
  /** Content hash of the keys and their bytes, and of nothing else; 64 hex digits. */
  readonly version: string;
}

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
  /** Of all keys; `data` before `binaryData`, which the API keeps apart. */
  readonly #bytes: ReadonlyMap<string, Uint8Array>;
  /** Keys of a ConfigMap's `binaryData`: no environment has them. */
  readonly #binary: ReadonlySet<string>;
  #version: string | undefined;

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
    this.#version ??= contentVersion(this.#bytes);
    return this.#version;
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

function contentVersion(bytes: ReadonlyMap<string, Uint8Array>): string {
  const sorted = [...bytes].toSorted(([a], [b]) => compareUtf8(a, b));
  return versionOf(sorted.map(([path, data]) => ({ path, data })));
}

function referenceTo(kind: ObjectKind, object: ConfigMap | SecretObject): ObjectReference {
  const { namespace = "", name = "" } = object.metadata;
  return { kind, namespace, name };
}
