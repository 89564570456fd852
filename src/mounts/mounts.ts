// Mounts of this process's own mount namespace. All of it is synchronous: each is one system call or a few, of microseconds.

export interface Mounts {
  /** Over a directory that exists. No device on it works. Contents do not go to swap where the kernel can do that. */
  tmpfs(directory: string, options: TmpfsOptions): void;
  /** Changes the size of a tmpfs that is mounted. */
  resizeTmpfs(directory: string, options: Pick<TmpfsOptions, "sizeBytes" | "isExecutable">): void;
  /** Shows `source`, a directory or a file, at `target`, which is of the same sort and exists. No symbolic link in either is followed. */
  bind(source: string, target: string, options: { readonly isReadOnly: boolean }): void;
  /** The topmost mount at this place, also while it is in use: who uses it keeps it. Does nothing if there is none. */
  unmount(target: string): void;
  /** What is mounted at exactly this place, the topmost, or nothing. */
  at(path: string): MountEntry | undefined;
  /** At this place and below it, the deepest first: the order in which to unmount. */
  below(path: string): readonly MountEntry[];
}

export interface TmpfsOptions {
  /** Undefined: what the kernel gives, half of the memory. */
  readonly sizeBytes: number | undefined;
  /** Of its root. */
  readonly mode: number;
  /** How many files and directories, its root among them; not limited if it is missing. */
  readonly maxInodes?: number;
  /** What is on it may be run as a program; not if it is missing. */
  readonly isExecutable?: boolean;
}

export interface MountEntry {
  readonly id: number;
  readonly path: string;
  /** Which part of its file system is shown: "/" for all. */
  readonly root: string;
  readonly fsType: string;
  /** "8:1" */
  readonly device: string;
  readonly isReadOnly: boolean;
}
