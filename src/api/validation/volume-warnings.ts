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
      overlaps(paths).map(
        (told) => `volume ${goQuote(volume.name)} (${what}): overlapping paths: ${told}`,
      );
    return [
      ...of(`ConfigMap ${goQuote(text(configMap?.name))}`, placedItems(configMap?.items)),
      ...of(`Secret ${goQuote(text(secret?.secretName))}`, placedItems(secret?.items)),
      ...of("DownwardAPI", placedItems(downwardAPI?.items)),
      ...emptySources(volume),
      ...of("Projected", list(projected?.sources).flatMap(placedIn)),
    ];
  });
}

function emptySources({ name, projected }: Volume): string[] {
  return list(projected?.sources)
    .filter((source) => Object.values(source).every(isAbsent))
    .map(() => `volume ${goQuote(name)} (Projected) has no sources provided`);
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

function overlaps(paths: readonly Placed[]): string[] {
  const placed = paths.map(({ path, source }) => ({ path: path.replace(/\/+$/, ""), source }));
  return placed.flatMap((one, i) =>
    placed
      .slice(0, i)
      .filter((other) => isIn(one.path, other.path) || isIn(other.path, one.path))
      .map((other) => `${shown(one)} with ${shown(other)}`),
  );
}

function isIn(path: string, directory: string): boolean {
  return path !== "" && directory !== "" && `${path}/`.startsWith(`${directory}/`);
}

function shown({ path, source }: Placed): string {
  return source === "" ? goQuote(path) : `${goQuote(path)} (${source})`;
}
