// Mounts that are only remembered. Nothing is mounted, so what is written at a place stays in its directory.

import { systemError } from "../libc.ts";
import type { MountEntry, Mounts, TmpfsOptions } from "../mounts.ts";

export interface FakeMount extends MountEntry {
  /** What was bound; undefined for a tmpfs. */
  readonly source: string | undefined;
  readonly tmpfs: TmpfsOptions | undefined;
}

export class FakeMounts implements Mounts {
  /** The order in which they were mounted. */
  readonly #mounts: FakeMount[] = [];
  #lastId = 100;
  /** What was asked for, such as "bind /a /b ro", in order. */
  readonly calls: string[] = [];

  tmpfs(directory: string, options: TmpfsOptions): void {
    this.calls.push(`tmpfs ${directory}`);
    this.#add({
      path: directory,
      fsType: "tmpfs",
      isReadOnly: false,
      source: undefined,
      tmpfs: options,
    });
  }

  resizeTmpfs(directory: string, { sizeBytes }: Pick<TmpfsOptions, "sizeBytes">): void {
    this.calls.push(`resize ${directory} ${sizeBytes}`);
    const index = this.#topmost(directory);
    const mount = this.#mounts[index];
    if (mount?.tmpfs === undefined) {
      throw systemError(22, { syscall: "mount", path: directory });
    }
    this.#mounts[index] = { ...mount, tmpfs: { ...mount.tmpfs, sizeBytes } };
  }

  bind(source: string, target: string, { isReadOnly }: { readonly isReadOnly: boolean }): void {
    this.calls.push(`bind ${source} ${target}${isReadOnly ? " ro" : ""}`);
    this.#add({ path: target, fsType: "ext4", isReadOnly, source, tmpfs: undefined });
  }

  unmount(target: string): void {
    this.calls.push(`unmount ${target}`);
    const index = this.#topmost(target);
    if (index >= 0) {
      this.#mounts.splice(index, 1);
    }
  }

  at(path: string): FakeMount | undefined {
    return this.#mounts[this.#topmost(path)];
  }

  below(path: string): readonly FakeMount[] {
    return this.#mounts
      .filter((mount) => mount.path === path || mount.path.startsWith(`${path}/`))
      .toReversed()
      .sort((a, b) => b.path.split("/").length - a.path.split("/").length);
  }

  #topmost(path: string): number {
    return this.#mounts.findLastIndex((mount) => mount.path === path);
  }

  #add(mount: Omit<FakeMount, "id" | "root" | "device">): void {
    const id = ++this.#lastId;
    const root = mount.source ?? "/";
    this.#mounts.push({ ...mount, id, root, device: mount.tmpfs ? `0:${id}` : "8:1" });
  }
}
