// A mount namespace as a tree: which mount stands on which.

import type { MountInfo } from "./mount-info.ts";

export class MountTable {
  readonly #byId: ReadonlyMap<number, MountInfo>;
  readonly #byPath: ReadonlyMap<string, readonly MountInfo[]>;
  readonly #byParent: ReadonlyMap<number, readonly MountInfo[]>;

  constructor(mounts: readonly MountInfo[]) {
    this.#byId = new Map(mounts.map((mount) => [mount.id, mount]));
    this.#byPath = Map.groupBy(mounts, ({ path }) => path);
    this.#byParent = Map.groupBy(mounts, ({ parentId }) => parentId);
  }

  get(id: number): MountInfo | undefined {
    return this.#byId.get(id);
  }

  /** All that are at exactly this place. */
  at(path: string): readonly MountInfo[] {
    return this.#byPath.get(path) ?? [];
  }

  /** What is mounted on it: at its very place, or somewhere inside. */
  on(id: number): readonly MountInfo[] {
    return this.#byParent.get(id) ?? [];
  }

  /** Whether its path leads elsewhere: something that it does not stand on is mounted at a directory on the way. */
  isHidden(mount: MountInfo): boolean {
    const below = this.#below(mount);
    return directoriesAbove(mount.path).some((directory) =>
      (this.#byPath.get(directory) ?? []).some(({ id }) => !below.has(id)),
    );
  }

  #below(mount: MountInfo): ReadonlySet<number> {
    const ids = new Set<number>();
    let at = this.#byId.get(mount.parentId);
    while (at !== undefined && !ids.has(at.id)) {
      ids.add(at.id);
      at = this.#byId.get(at.parentId);
    }
    return ids;
  }
}

/** "/a/b/c": "/", "/a", "/a/b". */
function directoriesAbove(path: string): readonly string[] {
  const names = path.split("/").slice(1);
  return names.map((_, i) => `/${names.slice(0, i).join("/")}`);
}
