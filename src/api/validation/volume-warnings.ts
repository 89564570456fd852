// Files of a volume that would be in each other's place: the same path twice, or one path inside another.

import type { KeyToPath, PodCertificateProjection, Volume, VolumeProjection } from "../types.ts";
import { isAbsent, list, text } from "./absent.ts";
import { goQuote } from "./go-text.ts";

interface Placed {
  readonly path: string;
  /** "" within a volume of one source. */
  readonly source: string;
}

export function overlapWarnings(volumes: readonly Volume[]): string[] {
  return volumes.flatMap((volume) => {
    const { configMap, secret, downwardAPI, projected } = volume;
    const of = (what: string, paths: readonly Placed[]) =>
      paths.flatMap((one, i) => clashes(one, paths.slice(0, i), { volume: volume.name, what }));
    return [
      ...of(`ConfigMap ${goQuote(text(configMap?.name))}`, placedItems(configMap?.items)),
      ...of(`Secret ${goQuote(text(secret?.secretName))}`, placedItems(secret?.items)),
      ...of("DownwardAPI", placedItems(downwardAPI?.items)),
      ...projectedWarnings(volume.name, list(projected?.sources)),
    ];
  });
}

function projectedWarnings(volume: string, sources: readonly VolumeProjection[]): string[] {
  const placed: Placed[] = [];
  return sources.flatMap((source) => {
    if (Object.values(source).every(isAbsent)) {
      return [`volume ${goQuote(volume)} (Projected) has no sources provided`];
    }
    return placedIn(source).flatMap((one) => {
      const told = clashes(one, placed, { volume, what: "Projected" });
      placed.push(one);
      return told;
    });
  });
}

function placedItems(
  items: readonly Pick<KeyToPath, "path">[] | null | undefined,
  source = "",
): Placed[] {
  return list(items).map(({ path }) => ({ path, source }));
}

function placedIn(source: VolumeProjection): Placed[] {
  const { configMap, secret, downwardAPI, serviceAccountToken, clusterTrustBundle } = source;
  if (!isAbsent(configMap?.items)) {
    return placedItems(configMap.items, `ConfigMap ${goQuote(text(configMap.name))}`);
  }
  if (!isAbsent(secret?.items)) {
    return placedItems(secret.items, `Secret ${goQuote(text(secret.name))}`);
  }
  if (!isAbsent(downwardAPI?.items)) return placedItems(downwardAPI.items, "DownwardAPI");
  if (!isAbsent(serviceAccountToken)) {
    return [{ path: serviceAccountToken.path, source: "ServiceAccountToken" }];
  }
  if (!isAbsent(clusterTrustBundle)) {
    const name = text(clusterTrustBundle.name ?? clusterTrustBundle.signerName);
    return [{ path: clusterTrustBundle.path, source: `ClusterTrustBundle ${goQuote(name)}` }];
  }
  return placedCertificate(source.podCertificate);
}

function placedCertificate(certificate: PodCertificateProjection | undefined): Placed[] {
  return [
    { path: text(certificate?.certificateChainPath), source: "PodCertificate chain" },
    { path: text(certificate?.keyPath), source: "PodCertificate key" },
    { path: text(certificate?.credentialBundlePath), source: "PodCertificate credential bundle" },
  ].filter(({ path }) => path !== "");
}

function clashes(
  one: Placed,
  others: readonly Placed[],
  { volume, what }: { readonly volume: string; readonly what: string },
): string[] {
  return others
    .filter((other) => isIn(bare(one), bare(other)) || isIn(bare(other), bare(one)))
    .map((other) => {
      const told = `${shown(one)} with ${shown(other)}`;
      return `volume ${goQuote(volume)} (${what}): overlapping paths: ${told}`;
    });
}

function bare({ path }: Placed): string {
  let end = path.length;
  while (path[end - 1] === "/") end--;
  return path.slice(0, end);
}

function isIn(path: string, directory: string): boolean {
  return path !== "" && directory !== "" && `${path}/`.startsWith(`${directory}/`);
}

function shown(placed: Placed): string {
  const path = goQuote(bare(placed));
  return placed.source === "" ? path : `${path} (${placed.source})`;
}
