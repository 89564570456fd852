// What a ConfigMap or Secret holds, as bytes by key, whichever field a key is in: what versions are made of (content-version.ts).

import { contentVersion } from "./content-version.ts";

export type Content = ReadonlyMap<string, Uint8Array>;

type ContentKind = "ConfigMap" | "Secret";
type Values = Readonly<Record<string, string | undefined>> | null | undefined;

/** A Secret's `data` is base64, and so is `binaryData` of anything. */
export function objectContent(kind: ContentKind, object: object): ReadonlyMap<string, Buffer> {
  const { data, binaryData } = object as { readonly data?: Values; readonly binaryData?: Values };
  const content = new Map<string, Buffer>();
  const encoding = kind === "Secret" ? "base64" : "utf8";
  add(content, data, encoding);
  add(content, binaryData, "base64");
  return content;
}

function add(content: Map<string, Buffer>, values: Values, encoding: "base64" | "utf8"): void {
  for (const [key, value] of Object.entries(values ?? {})) {
    content.set(key, Buffer.from(value ?? "", encoding));
  }
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
  const differs = (key: string): boolean => {
    const [one, other] = [before.get(key), after.get(key)];
    return one !== undefined && other !== undefined && Buffer.compare(one, other) !== 0;
  };
  return {
    added: [...after.keys()].filter((key) => !before.has(key)).toSorted(),
    changed: [...after.keys()].filter(differs).toSorted(),
    removed: [...before.keys()].filter((key) => !after.has(key)).toSorted(),
  };
}
