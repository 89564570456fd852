// Which keys of which objects a mount of a volume shows, also where it shows only a part of it. The layout is the kubelet's: a file per key,
// by the key's name or where the volume's items put it.

import type { KeyToPath, Volume } from "../types.ts";
import { isAbsent, list, text } from "../validation/absent.ts";
import type { ConfigKind } from "./pod-uses.ts";

export interface VolumeKeys {
  readonly kind: ConfigKind;
  readonly name: string;
  readonly optional: boolean;
  /** Undefined: every key, by its own name. */
  readonly items: readonly KeyToPath[] | undefined;
}

/** What a mount shows. */
export type ShownPart =
  | "all"
  /** Some part: which one is known where the container starts. */
  | "unknown"
  /** Relative to the volume, without "." or empty segments; never empty. */
  | readonly string[];

/** The ConfigMaps and Secrets of a volume, in the order of its sources; empty for volumes of other kinds. */
export function volumeKeys(volume: Volume): readonly VolumeKeys[] {
  const { configMap, secret, projected } = volume;
  return [
    source("ConfigMap", configMap?.name, configMap),
    source("Secret", secret?.secretName, secret),
    ...list(projected?.sources).flatMap((from) => [
      source("ConfigMap", from?.configMap?.name, from?.configMap),
      source("Secret", from?.secret?.name, from?.secret),
    ]),
  ].filter((one) => one !== undefined);
}

/** The keys that the part shows: undefined for all that there are, empty if nothing of the object can be seen there. */
export function keysOfPart(
  { items }: Pick<VolumeKeys, "items">,
  part: ShownPart,
): readonly string[] | undefined {
  const below = part === "all" || part === "unknown" ? [] : part;
  if (items) {
    const shown = items.filter((item) => isBelow(segmentsOf(text(item?.path)), below));
    return [...new Set(shown.map(({ key }) => key))];
  }
  // A key is a file in the volume's root.
  const [name] = below;
  if (name === undefined) return undefined;
  return below.length === 1 ? [name] : [];
}

/** "a//./b" → a, b. What leads up has been refused before anybody asks. */
export function segmentsOf(path: string): readonly string[] {
  return path.split("/").filter((segment) => segment !== "" && segment !== ".");
}

/** The part by its path as the mount writes it. The link that the kubelet swaps leads to the same files. */
export function partAt(subPath: string): ShownPart {
  const segments = segmentsOf(subPath);
  const below = segments[0] === "..data" ? segments.slice(1) : segments;
  return below.length === 0 ? "all" : below;
}

function isBelow(path: readonly string[], directory: readonly string[]): boolean {
  return (
    path.length >= directory.length && directory.every((segment, index) => segment === path[index])
  );
}

function source(
  kind: ConfigKind,
  given: string | null | undefined,
  of:
    | {
        readonly items?: readonly KeyToPath[] | null | undefined;
        readonly optional?: boolean | undefined;
      }
    | null
    | undefined,
): VolumeKeys | undefined {
  const name = text(given);
  if (isAbsent(of) || name === "") return undefined;
  const items = list(of.items);
  return {
    kind,
    name,
    optional: of.optional === true,
    items: items.length > 0 ? items : undefined,
  };
}
