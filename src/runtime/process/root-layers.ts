// Overlays: what is written goes to a directory of the container's own, what is below stays as it is.

import { mkdirSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { isErrno } from "../../base/errors.ts";
import { isInUserNamespace } from "../../mounts/kernel-support.ts";
import { openNoLinks } from "../../mounts/safe-path.ts";
import {
  AT_FDCWD,
  MS_NODEV,
  MS_NOSUID,
  mount,
  O_PATH,
  type OpenFile,
  openat2,
  pathOf,
} from "../../mounts/system-calls.ts";

/** The source of all overlays of a container, by which its processes are known: they see them, whatever they do. */
export function overlaySource(directory: string): string {
  return `overlay-${basename(dirname(directory))}`;
}

/** Makes overlays for one container, each with layers of its own below `directory`. */
export class RootLayers {
  readonly #directory: string;
  readonly #extraOptions: string;
  #count = 0;

  constructor(directory: string) {
    this.#directory = directory;
    // Without rights over the machine, overlay keeps its notes in attributes that anybody may write.
    this.#extraOptions = isInUserNamespace(readFileSync("/proc/self/uid_map", "utf8"))
      ? ",userxattr"
      : "";
  }

  /** Mounts `lower`, the upmost first, at the place, with a new writable layer on top. */
  overlay(lower: readonly string[], place: OpenFile): void {
    const layer = join(this.#directory, String(this.#count++));
    mkdirSync(layer, { recursive: true });
    using stack = new DisposableStack();
    const lowerFiles = lower.map((path) => stack.use(openDirectory(path)));
    try {
      this.#mount(lowerFiles, layer, place);
    } catch (err) {
      if (!isErrno(err, "EINVAL", "EOPNOTSUPP")) {
        throw err;
      }
      // The runtime's directory is on a file system that cannot be a writable layer, such as another overlay.
      mount({ source: "tmpfs", target: layer, type: "tmpfs", flags: MS_NOSUID | MS_NODEV });
      this.#mount(lowerFiles, layer, place);
    }
  }

  #mount(lower: readonly OpenFile[], layer: string, place: OpenFile): void {
    const upperPath = join(layer, "upper");
    const workPath = join(layer, "work");
    mkdirSync(upperPath, { recursive: true, mode: 0o755 });
    mkdirSync(workPath, { recursive: true, mode: 0o700 });
    using upper = openNoLinks(upperPath);
    using work = openNoLinks(workPath);
    // By descriptor: short enough for hundreds of layers, and no comma or colon needs an escape.
    const data = `lowerdir=${lower.map(pathOf).join(":")},upperdir=${pathOf(upper)},workdir=${pathOf(work)}${this.#extraOptions}`;
    // A device in an image opens nothing: whoever made the image would choose which of the machine's it is, and for whom.
    const source = overlaySource(this.#directory);
    const overlay = { source, target: pathOf(place), type: "overlay", flags: MS_NODEV };
    try {
      // Volatile: the layer goes with the container, so nothing has to reach the disk when the container ends.
      mount({ ...overlay, data: `${data},volatile` });
    } catch (err) {
      if (!isErrno(err, "EINVAL")) {
        throw err;
      }
      mount({ ...overlay, data });
    }
  }
}

function openDirectory(path: string): OpenFile {
  return openat2({ dir: AT_FDCWD, path, flags: O_PATH, resolve: 0 });
}
