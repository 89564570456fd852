// Names on disk. They are the kubelet's, so that every watcher written for Kubernetes works:
//
//   ..2026_08_20_18_59_46.1234567890/   one version: a real directory
//   ..data -> ..2026_08_20_18_59_46.1234567890
//   app.yaml -> ..data/app.yaml         one link per first path segment

export const DATA_LINK = "..data";
/** Exists only between steps 8 and 9 of a write, and after a crash there. */
export const DATA_LINK_TMP = "..data_tmp";
/** The way back while top-level links are being made; gone at the end of the write. */
export const DATA_LINK_PREVIOUS = "..data_prev";
/** A top-level link on its way over something else that stood at its name. */
export const LINK_TMP = "..link_tmp";
/** Inside a version's directory: its VersionRecord. No key can have this name. */
export const VERSION_FILE = "..version";

const VERSION_DIRECTORY = /^\.\.\d{4}_\d{2}_\d{2}_\d{2}_\d{2}_\d{2}\.\d{1,10}$/;

/**
 * `random` is an unsigned 32-bit number. It must be random: watchers tell versions by their name, so
 * a name must not come back with other content within its second.
 */
export function versionDirectoryName(nowMs: number, random: number): string {
  const stamp = new Date(nowMs).toISOString().slice(0, 19).replace(/[-:T]/g, "_");
  return `..${stamp}.${random}`;
}

export function isVersionDirectoryName(name: string): boolean {
  return VERSION_DIRECTORY.test(name);
}

/** A link target that names an entry of the volume itself, as `..data` must. */
export function isPlainName(target: string): boolean {
  return target !== "" && target !== "." && target !== ".." && !target.includes("/");
}
