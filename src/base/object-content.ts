// What a ConfigMap or Secret holds, as bytes by key, whichever field a key is in: what versions are made of (content-version.ts).

import { contentVersion } from "./content-version.ts";

export type Content = ReadonlyMap<string, Uint8Array>;

type ContentKind = "ConfigMap" | "Secret";
type Values = Readonly<Record<string, string | undefined>> | null | undefined;

/** A value as the object has it. */
interface ValueText {
  readonly text: string;
  readonly encoding: "base64" | "utf8";
}

/** A Secret's `data` is base64, and so is `binaryData` of anything. */
export function objectContent(kind: ContentKind, object: object): ReadonlyMap<string, Buffer> {
  return new Map([...valueTexts(kind, object)].map(([key, value]) => [key, decoded(value)]));
}

function valueTexts(kind: ContentKind, object: object): ReadonlyMap<string, ValueText> {
  const { data, binaryData } = object as { readonly data?: Values; readonly binaryData?: Values };
  const texts = new Map<string, ValueText>();
  add(texts, data, kind === "Secret" ? "base64" : "utf8");
  add(texts, binaryData, "base64");
  return texts;
}

function add(texts: Map<string, ValueText>, values: Values, encoding: ValueText["encoding"]): void {
  for (const [key, text] of Object.entries(values ?? {})) {
    texts.set(key, { text: text ?? "", encoding });
  }
}

function decoded({ text, encoding }: ValueText): Buffer {
  return Buffer.from(text, encoding);
}

/** The version that names what the object holds. */
export function objectVersion(
  kind: ContentKind,
  object: { readonly metadata: { readonly uid?: string | undefined } },
): string {
  return contentVersion({ kind, uid: object.metadata.uid ?? "" }, objectContent(kind, object));
}

/** Which keys differ, each list in order. */
export interface ContentChange {
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly removed: readonly string[];
}

export function contentChange(before: Content, after: Content): ContentChange {
  return keyChange(before, after, (one, other) => Buffer.compare(one, other) === 0);
}

/** Between two states of an object; nothing was before the first one. Only what is written differently is decoded: values may be large. */
export function objectChange(
  kind: ContentKind,
  before: object | undefined,
  after: object,
): ContentChange {
  return keyChange(valueTexts(kind, before ?? {}), valueTexts(kind, after), (one, other) => {
    if (one.text === other.text && one.encoding === other.encoding) return true;
    return decoded(one).equals(decoded(other));
  });
}

function keyChange<T>(
  before: ReadonlyMap<string, T>,
  after: ReadonlyMap<string, T>,
  isSame: (one: T, other: T) => boolean,
): ContentChange {
  const differs = ([key, value]: [string, T]): boolean => {
    const old = before.get(key);
    return old !== undefined && !isSame(old, value);
  };
  return {
    added: [...after.keys()].filter((key) => !before.has(key)).toSorted(),
    changed: [...after]
      .filter(differs)
      .map(([key]) => key)
      .toSorted(),
    removed: [...before.keys()].filter((key) => !after.has(key)).toSorted(),
  };
}
