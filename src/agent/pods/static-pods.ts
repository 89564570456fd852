// Pods from a directory of manifests, one per file. The directory is watched, and read again now and then in case the watch
// missed something. What cannot be read or understood takes nothing away: the last good version of a file stays until there is a
// better one, or until the file is gone.

import { type FSWatcher, watch } from "node:fs";
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Pod } from "../../api/types.ts";
import { aborted } from "../../base/abort.ts";
import type { Clock } from "../../base/clock.ts";
import { isErrno } from "../../base/errors.ts";
import type { Logger } from "../../base/logger.ts";
import { Mutex } from "../../base/mutex.ts";
import type { Change, ChangeHandler } from "../../client/informer.ts";
import { staticPodOf } from "./static-pod.ts";

export interface StaticPodsOptions {
  readonly directory: string;
  readonly nodeName: string;
  readonly clock: Clock;
  readonly logger: Logger;
}

interface Manifest {
  readonly text: string;
  /** Of the last text that was good. */
  readonly pod: Pod | undefined;
}

const RESCAN_MS = 20_000;
/** Editors truncate a file before they write it: half a manifest may be a whole pod. */
const SETTLE_MS = 100;
const MAX_BYTES = 10 * 1024 * 1024;

export class StaticPods {
  readonly #options: StaticPodsOptions;
  readonly #handlers = new Set<ChangeHandler<Pod>>();
  /** By file name. */
  #manifests: ReadonlyMap<string, Manifest> = new Map();
  readonly #synced = Promise.withResolvers<void>();
  readonly #scanning = new Mutex();
  #watched: { readonly watcher: FSWatcher; readonly inode: number } | undefined;
  /** The complaint that is in the log already, by file name. */
  readonly #complaints = new Map<string, string>();

  constructor(options: StaticPodsOptions) {
    this.#options = options;
  }

  /** Settles when the directory was read once, or is known to be missing. */
  get synced(): Promise<void> {
    return this.#synced.promise;
  }

  list(): readonly Pod[] {
    return [...podsOf(this.#manifests).values()];
  }

  has(podUid: string): boolean {
    return podsOf(this.#manifests).has(podUid);
  }

  /** It hears at once of what is there, as added. Another text is another pod: nothing is ever updated. */
  onChange(handler: ChangeHandler<Pod>): Disposable {
    this.#handlers.add(handler);
    for (const object of this.list()) handler({ type: "added", object });
    return { [Symbol.dispose]: () => this.#handlers.delete(handler) };
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    let timer: Disposable | undefined;
    const scanAfter = (ms: number): void => {
      timer?.[Symbol.dispose]();
      timer = clock.schedule(ms, () => void scan());
    };
    const scan = async (): Promise<void> => {
      await this.#watch(() => scanAfter(SETTLE_MS));
      await this.scan();
      if (!signal.aborted) scanAfter(RESCAN_MS);
    };
    await scan();
    await aborted(signal);
    timer?.[Symbol.dispose]();
    this.#watched?.watcher.close();
    this.#watched = undefined;
    // A scan that is under way ends before this does.
    using _idle = await this.#scanning.lock();
    timer?.[Symbol.dispose]();
  }

  /** Reads the directory and tells what is new. Never rejects. */
  async scan(): Promise<void> {
    using _scanning = await this.#scanning.lock();
    const names = await this.#names();
    if (names === undefined) {
      this.#synced.resolve();
      return;
    }
    const manifests = new Map<string, Manifest>();
    for (const name of names) {
      const manifest = await this.#read(name);
      if (manifest !== undefined) manifests.set(name, manifest);
      else this.#complaints.delete(name);
    }
    this.#replace(manifests);
    this.#synced.resolve();
  }

  /** Undefined: nobody knows, so nothing changes. */
  async #names(): Promise<readonly string[] | undefined> {
    const { directory } = this.#options;
    try {
      const entries = await readdir(directory, { withFileTypes: true });
      const files = entries.filter((one) => !one.name.startsWith(".") && !one.isDirectory());
      return files.map(({ name }) => name).sort();
    } catch (err) {
      this.#complain("", "directory of static pods cannot be read", err);
      return undefined;
    }
  }

  /** Undefined: there is no such file. */
  async #read(name: string): Promise<Manifest | undefined> {
    const { directory, nodeName } = this.#options;
    const old = this.#manifests.get(name);
    let text = old?.text ?? "";
    try {
      const path = join(directory, name);
      const { size } = await stat(path);
      if (size > MAX_BYTES) throw new Error(`it has ${size} bytes, at most ${MAX_BYTES} are read`);
      text = await readFile(path, "utf8");
      if (text === old?.text) return old;
      const pod = staticPodOf(text, nodeName);
      this.#complaints.delete(name);
      return { text, pod };
    } catch (err) {
      if (isErrno(err, "ENOENT")) return undefined;
      this.#complain(name, "static pod cannot be read: its last good version stays", err);
      return { text, pod: old?.pod };
    }
  }

  #replace(manifests: ReadonlyMap<string, Manifest>): void {
    const before = podsOf(this.#manifests);
    const after = podsOf(manifests);
    this.#manifests = manifests;
    for (const [uid, object] of before) {
      if (after.has(uid)) continue;
      this.#tell({ type: "deleted", object, isFinalStateUnknown: false });
    }
    for (const [uid, object] of after) {
      if (!before.has(uid)) this.#tell({ type: "added", object });
    }
  }

  #tell(change: Change<Pod>): void {
    const { namespace, name } = change.object.metadata;
    for (const handler of this.#handlers) {
      try {
        handler(change);
      } catch (err) {
        this.#options.logger.error("handler failed", { err, type: change.type, namespace, name });
      }
    }
  }

  /** Also after the directory was replaced by another one of its name. */
  async #watch(onEvent: () => void): Promise<void> {
    const { directory } = this.#options;
    try {
      const { ino: inode } = await stat(directory);
      if (this.#watched?.inode === inode) return;
      this.#watched?.watcher.close();
      this.#watched = undefined;
      const watcher = watch(directory, { persistent: false }, onEvent);
      watcher.on("error", () => {
        watcher.close();
        this.#watched = undefined;
      });
      this.#watched = { watcher, inode };
    } catch {
      // Reading it says what is wrong; until it is there, it is looked for now and then.
      this.#watched?.watcher.close();
      this.#watched = undefined;
    }
  }

  /** Once for each thing that is wrong. */
  #complain(file: string, message: string, err: unknown): void {
    const { directory, logger } = this.#options;
    const text = err instanceof Error ? err.message : "";
    if (this.#complaints.get(file) === text) return;
    this.#complaints.set(file, text);
    logger.warn(message, { err, directory, ...(file !== "" && { file }) });
  }
}

/** By uid. Two files with the same text are one pod. */
function podsOf(manifests: ReadonlyMap<string, Manifest>): ReadonlyMap<string, Pod> {
  const pods = [...manifests.values()].flatMap(({ pod }) => pod ?? []);
  return new Map(pods.map((pod) => [pod.metadata.uid ?? "", pod]));
}
