// explain(): how a path gets its content, from the file tree and the mount table. What matters most
// is the subPath mount: it binds one version's own file or directory, so no swap ever reaches it,
// unless the node replaces the mount itself, and says so in the environment.

import { statSync } from "node:fs";
import { resolve } from "node:path";
import { systemEnvironment } from "./environment.js";
import { follow } from "./links.js";
import { mountOf } from "./mountinfo.js";
import { locate } from "./volume.js";

/** @import { Explanation } from "./index.d.ts" */
/** @import { Mount } from "./mountinfo.js" */

// The name of a version's directory: a UTC time, then a random part.
const versionDirectory = /^\.\.\d{4}(?:_\d\d){5}\../;

/** @type {typeof import("./index.d.ts").explain} */
export const explain = (path) =>
  explainWith(path, systemEnvironment.mountinfo(), systemEnvironment.liveSubPaths());

/**
 * @param {string} path
 * @param {string} mountinfo
 * @param {readonly string[]} [liveSubPaths] Where mounts are that are replaced with every version.
 * @returns {Explanation}
 */
export function explainWith(path, mountinfo, liveSubPaths = []) {
  const absolute = resolve(path);
  const { real } = follow(absolute);
  const volume = locate(absolute)?.root;
  const mount = mountOf(mountinfo, real ?? absolute);
  const kind = kindOf({ real, volume, mount });
  const stale = mount?.deleted ?? false;
  return {
    path: absolute,
    kind,
    stale,
    filesystem: mount?.filesystem,
    mountPoint: mount?.mountPoint,
    volume,
    ...(kind === "subPath" && isLive(mount, liveSubPaths)
      ? liveVerdict(absolute)
      : verdict(kind, { path: absolute, volume, mount, stale })),
  };
}

/**
 * A mount path may lead through links of the image; the mount table has the place itself.
 * @param {Mount | undefined} mount
 * @param {readonly string[]} liveSubPaths
 */
function isLive(mount, liveSubPaths) {
  return liveSubPaths.some((path) => [path, follow(path).real].includes(mount?.mountPoint));
}

/**
 * @param {string} path
 * @returns {Pick<Explanation, "updates" | "summary" | "fix">}
 */
function liveVerdict(path) {
  return {
    updates: "live",
    summary: `"${path}" is a subPath mount that is replaced with every version of its volume`,
    fix: "",
  };
}

/**
 * @param {{ real: string | undefined, volume: string | undefined, mount: Mount | undefined }} facts
 * @returns {Explanation["kind"]}
 */
function kindOf({ real, volume, mount }) {
  // Before `missing`: below a directory subPath whose version was removed, everything is missing.
  if (mount?.root.split("/").some((segment) => versionDirectory.test(segment))) return "subPath";
  const stats = real === undefined ? undefined : statSync(real, { throwIfNoEntry: false });
  if (stats === undefined) return "missing";
  if (stats.isFile() && mount?.mountPoint === real) return "bindFile";
  if (volume !== undefined) return "volume";
  return stats.isDirectory() ? "directory" : "file";
}

/**
 * @param {Explanation["kind"]} kind
 * @param {Pick<Explanation, "path" | "volume" | "stale"> & { mount: Mount | undefined }} facts
 * @returns {Pick<Explanation, "updates" | "summary" | "fix">}
 */
function verdict(kind, { path, volume, mount, stale }) {
  const where = mount === undefined ? "" : ` on ${mount.filesystem}`;
  switch (kind) {
    case "subPath": {
      const state = stale ? ", which was removed since: what is read here is old" : "";
      return {
        updates: "frozen",
        summary: `"${path}" is a subPath mount of one version of a volume${state}; it will never change`,
        fix:
          "Mount the whole volume as a directory, without subPath, and point the app at the file " +
          "inside it.",
      };
    }
    case "missing":
      return {
        updates: "unknown",
        summary: `"${path}" does not exist`,
        fix: "Create it, or correct the path.",
      };
    case "bindFile":
      return {
        updates: stale ? "frozen" : "inPlace",
        summary: stale
          ? `"${path}" is a bind mount of a file that was replaced or removed; it will never change again`
          : `"${path}" is a bind mount of one file: writes into it are seen, a new file in its place is not`,
        fix: "Mount its directory instead of the file: most editors save by rename.",
      };
    case "volume":
      return {
        updates: "live",
        summary: `"${path}" follows every swap of the volume "${volume}"${where}`,
        fix: "",
      };
    case "file":
    case "directory":
      return plainVerdict(`"${path}" is a plain ${kind}${where}`, mount);
  }
}

/**
 * @param {string} what
 * @param {Mount | undefined} mount
 * @returns {Pick<Explanation, "updates" | "summary" | "fix">}
 */
function plainVerdict(what, mount) {
  if (mount === undefined) {
    return { updates: "unknown", summary: `${what}; the mount table cannot be read`, fix: "" };
  }
  if (!mount.deleted) return { updates: "live", summary: what, fix: "" };
  return {
    updates: "frozen",
    summary: `${what}, below a bind mount whose source was removed; it will never change again`,
    fix: "Mount the new source: restart the container.",
  };
}
