// What the programs in containers say that they run with, as far as they use the library. Event driven: a program writes a file into the
// directory that its container has for that (ack-directories.ts), and is heard at once. A container's word counts for itself alone, and only as
// long as the process that gave it is alive: the end of a container is an event; of other processes than its first nobody hears, so those
// are looked at every second, and only those.

import { posix } from "node:path";
import { aborted, isAbort } from "../../base/abort.ts";
import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/logger.ts";
import { DirectoryWatch } from "../../files/directory-watch.ts";
import { identify, isAlive, type ProcessIdentity } from "../../mounts/process-calls.ts";
import type { ContainerStatus, Runtime } from "../../runtime/runtime.ts";
import type { AgentPaths } from "../agent-paths.ts";
import { unlessAborted } from "../pods/unless-aborted.ts";
import { usesOf, type VolumeUse } from "../sub-path/volume-use.ts";
import type { Acknowledgement, Acknowledgements } from "../views/view-sources.ts";
import type { VolumeChange, Volumes } from "../volumes/volumes.ts";
import { type AckDirectories, ackDirectoryOf, MAX_FILES } from "./ack-directories.ts";
import type { ProcessSearch } from "./container-processes.ts";
import { PartVersions, type VolumePart } from "./part-versions.ts";
import { type AckContent, type AckFile, isAckName, readAcks } from "./read-acks.ts";

export interface AckFilesOptions {
  readonly paths: AgentPaths;
  readonly directories: Pick<AckDirectories, "remove" | "sweep">;
  readonly runtime: Pick<Runtime, "list" | "ready" | "onExit">;
  readonly volumes: Pick<Volumes, "onChange">;
  readonly processes: ProcessSearch;
  readonly clock: Clock;
  readonly logger: Logger;
}

interface AckContainer {
  readonly status: ContainerStatus;
  readonly directory: string;
  readonly first: ProcessIdentity;
  readonly uses: readonly VolumeUse[];
  readonly watch: DirectoryWatch;
  /** By name. */
  files: ReadonlyMap<string, AckFile>;
  /** Who has written what is in `files`, by the container's numbers. Those that are not here are not alive, or not found yet. */
  readonly processes: Map<number, ProcessIdentity>;
  /** Numbers to be found, and how often they are still looked for: what was just begun is found by the second look at the machine at the latest. */
  readonly sought: Map<number, number>;
  /** Monotonic times. */
  lastScanMs: number;
  nextSearchMs: number;
  /** The next ones, if they are due. */
  scan: Disposable | undefined;
  search: Disposable | undefined;
}

/** How often a container is read at most, whatever it does. Nothing waits for it that is not older than this. */
const MIN_SCAN_MS = 10;
/** Without file events. */
const DEGRADED_SCAN_MS = 1000;
const ALIVE_CHECK_MS = 1000;
/** A container that names processes that are not there is looked through at most so often … */
const MIN_SEARCH_MS = 1000;
/** … and any other for this part of the time at most, however many processes it has and names. */
const SEARCH_SHARE = 0.05;
const MAX_SEARCHES = 2;

export class AckFiles implements Acknowledgements {
  readonly #options: AckFilesOptions;
  /** Running containers that have a directory, by pod and by id. */
  readonly #pods = new Map<string, Map<string, AckContainer>>();
  readonly #parts = new PartVersions();
  readonly #handlers = new Set<(podUid: string) => void>();
  #aliveCheck: Disposable | undefined;
  #hasComplained = false;

  constructor(options: AckFilesOptions) {
    this.#options = options;
  }

  /** Reads what is there already, then follows it. */
  async run(signal: AbortSignal): Promise<void> {
    const { runtime, volumes, directories } = this.#options;
    try {
      await unlessAborted(runtime.ready, signal);
    } catch (err) {
      if (isAbort(err, signal)) return;
      throw err;
    }
    using _exits = runtime.onExit((status) => this.#ended(status));
    using _changes = volumes.onChange((change) => this.#volumeChanged(change));
    for (const status of runtime.list()) this.started(status);
    // Before anybody listened volumes may have changed.
    for (const container of this.#all())
      for (const { part } of this.#partsOf(container)) this.#parts.look(part);
    directories.sweep(new Set(this.#all().map(({ directory }) => directory)));
    await aborted(signal);
    this.#aliveCheck?.[Symbol.dispose]();
    for (const container of this.#all()) this.#leave(container);
  }

  /** To be called for each container that has started. */
  started(status: ContainerStatus): void {
    const { id, podUid, pid, end, annotations } = status;
    const directory = ackDirectoryOf(status);
    const containers = this.#pods.get(podUid) ?? new Map<string, AckContainer>();
    if (directory === undefined || containers.has(id)) return;
    const first = pid === undefined || end !== undefined ? undefined : identify(pid);
    if (first === undefined) return;
    const container: AckContainer = {
      ...{ status, directory, first, files: new Map() },
      ...{ processes: new Map(), sought: new Map() },
      // The longest first: what is mounted below another volume's place is not that volume's.
      uses: usesOf(annotations).toSorted((a, b) => b.mountPath.length - a.mountPath.length),
      watch: new DirectoryWatch({
        onEvent: () => this.#heard(container),
        ignores: (name) => !isAckName(name),
      }),
      ...{ lastScanMs: -Infinity, nextSearchMs: -Infinity, scan: undefined, search: undefined },
    };
    this.#pods.set(podUid, containers.set(id, container));
    // It may have ended before anybody knew of it.
    const found = this.#options.runtime.list(podUid).find((one) => one.id === id);
    if (found?.end !== undefined) this.#ended(found);
    else this.#scan(container);
  }

  of(podUid: string): readonly Acknowledgement[] {
    return [...(this.#pods.get(podUid)?.values() ?? [])].flatMap((container) =>
      [...container.files.values()].flatMap(({ content }) =>
        content !== undefined && this.#speaks(container, content.pid)
          ? [this.#acknowledgement(container, content)]
          : [],
      ),
    );
  }

  onChange(handler: (podUid: string) => void): Disposable {
    const own = (podUid: string): void => handler(podUid);
    this.#handlers.add(own);
    return { [Symbol.dispose]: () => void this.#handlers.delete(own) };
  }

  #all(): readonly AckContainer[] {
    return [...this.#pods.values()].flatMap((containers) => [...containers.values()]);
  }

  #tell(podUid: string): void {
    for (const handler of this.#handlers) handler(podUid);
  }

  #speaks({ processes }: AckContainer, pid: number): boolean {
    const process = processes.get(pid);
    return process !== undefined && isAlive(process);
  }

  #ended(status: ContainerStatus): void {
    const { podUid, id } = status;
    const containers = this.#pods.get(podUid);
    const container = containers?.get(id);
    const directory = ackDirectoryOf(status);
    if (directory !== undefined) this.#options.directories.remove(directory);
    if (containers === undefined || container === undefined) return;
    this.#leave(container);
    containers.delete(id);
    if (containers.size === 0) this.#pods.delete(podUid);
    for (const use of container.uses) this.#parts.forget(this.#rootOf(container, use));
    if (container.files.size > 0) this.#tell(podUid);
  }

  #leave({ watch, scan, search }: AckContainer): void {
    watch[Symbol.dispose]();
    scan?.[Symbol.dispose]();
    search?.[Symbol.dispose]();
  }

  /** At once if it was quiet; else when it may be read again. */
  #heard(container: AckContainer): void {
    const waitMs = container.lastScanMs + MIN_SCAN_MS - this.#options.clock.monotonicMs();
    if (waitMs <= 0) this.#scan(container);
    else this.#scanIn(container, waitMs);
  }

  #scanIn(container: AckContainer, ms: number): void {
    container.scan?.[Symbol.dispose]();
    container.scan = this.#options.clock.schedule(ms, () => this.#scan(container));
  }

  #scan(container: AckContainer): void {
    const { clock, logger } = this.#options;
    const { directory, status } = container;
    container.scan = undefined;
    container.lastScanMs = clock.monotonicMs();
    // Before the look, so that nothing falls between the two.
    this.#arm(container);
    const before = container.files;
    try {
      container.files = readAcks(directory, before, MAX_FILES);
    } catch (err) {
      logger.warn("cannot read acknowledgements", { path: directory, err });
    }
    if (container.files.size === before.size && isSame(container.files, before)) return;
    this.#seek(container, before);
    this.#findProcesses(container);
    this.#tell(status.podUid);
  }

  #arm(container: AckContainer): void {
    const { logger } = this.#options;
    try {
      container.watch.arm([container.directory]);
    } catch (err) {
      logger[this.#hasComplained ? "debug" : "warn"](
        "cannot watch acknowledgements: they are read every second; raise fs.inotify.max_user_watches",
        { path: container.directory, err },
      );
      this.#hasComplained = true;
      this.#scanIn(container, DEGRADED_SCAN_MS);
    }
  }

  /** A number whose process is known to be gone is looked for again only when it has written something new. */
  #seek(container: AckContainer, before: AckContainer["files"]): void {
    const { files, processes, sought } = container;
    const pids = new Set([...files.values()].flatMap(({ content }) => content?.pid ?? []));
    for (const pid of processes.keys()) if (!pids.has(pid)) processes.delete(pid);
    for (const pid of sought.keys()) if (!pids.has(pid)) sought.delete(pid);
    for (const [name, { content, stamp }] of files) {
      if (content === undefined || stamp === before.get(name)?.stamp) continue;
      if (!this.#speaks(container, content.pid)) sought.set(content.pid, MAX_SEARCHES);
    }
  }

  #findProcesses(container: AckContainer): void {
    const { processes, sought, first } = container;
    const { clock, processes: all } = this.#options;
    const beganMs = clock.monotonicMs();
    if (sought.size > 0 && beganMs >= container.nextSearchMs) {
      const found = all.find(first, new Set(sought.keys()));
      const endedMs = clock.monotonicMs();
      for (const [pid, searches] of sought) {
        const process = found.get(pid);
        if (process !== undefined) processes.set(pid, process);
        if (process !== undefined || searches === 1) sought.delete(pid);
        else sought.set(pid, searches - 1);
      }
      const restMs = (endedMs - beganMs) / SEARCH_SHARE;
      container.nextSearchMs = endedMs + Math.max(restMs, sought.size > 0 ? MIN_SEARCH_MS : 0);
      this.#checkAlive();
    }
    if (sought.size > 0) this.#searchIn(container, container.nextSearchMs - clock.monotonicMs());
  }

  #searchIn(container: AckContainer, ms: number): void {
    container.search ??= this.#options.clock.schedule(ms, () => {
      container.search = undefined;
      this.#findProcesses(container);
      this.#tell(container.status.podUid);
    });
  }

  /** Only while there are processes whose end nobody tells. */
  #checkAlive(): void {
    if (this.#aliveCheck !== undefined) return;
    const others = this.#all().filter(({ processes, first }) =>
      [...processes.values()].some((one) => one.pid !== first.pid),
    );
    if (others.length === 0) return;
    this.#aliveCheck = this.#options.clock.schedule(ALIVE_CHECK_MS, () => {
      this.#aliveCheck = undefined;
      for (const { processes, status } of others) {
        const gone = [...processes].filter(([, one]) => !isAlive(one));
        for (const [pid] of gone) processes.delete(pid);
        if (gone.length > 0) this.#tell(status.podUid);
      }
      this.#checkAlive();
    });
  }

  #volumeChanged({ pod, volume }: VolumeChange): void {
    const podUid = pod.metadata.uid ?? "";
    const parts = [...(this.#pods.get(podUid)?.values() ?? [])]
      .flatMap((container) => this.#partsOf(container))
      .filter(({ use }) => use.volume === volume);
    for (const { part } of parts) this.#parts.look(part);
    if (parts.length > 0) this.#tell(podUid);
  }

  /** Of volumes, that the container's processes speak of. */
  #partsOf(
    container: AckContainer,
  ): readonly { readonly use: VolumeUse; readonly part: VolumePart }[] {
    return [...container.files.values()].flatMap(({ content }) => {
      const { use, part } = (content && this.#seen(container, content.path)) ?? {};
      return use === undefined || part === undefined ? [] : [{ use, part }];
    });
  }

  #acknowledgement(container: AckContainer, content: AckContent): Acknowledgement {
    const { path, pid, noticed, applied, rejected } = content;
    const seen = this.#seen(container, path);
    const part = seen?.part;
    const whole = (version: string): string =>
      part === undefined ? version : (this.#parts.wholeOf(part, version) ?? version);
    const marked = (mark: AckContent["noticed"]): Acknowledgement["noticed"] =>
      mark && { version: whole(mark.version), atMs: this.#past(mark.atMs) };
    return {
      ...{ container: container.status.name, path, pid },
      noticed: marked(noticed),
      applied: marked(applied),
      rejected: rejected && {
        version: rejected.version === undefined ? undefined : whole(rejected.version),
        reason: mayTell(seen?.use)
          ? rejected.reason
          : `refused at the stage "${rejected.stage}"; why is not shown, because it may quote a Secret`,
        atMs: this.#past(rejected.atMs),
      },
    };
  }

  /** Nobody has applied anything in the future. */
  #past(atMs: number): number {
    return Math.min(atMs, this.#options.clock.now());
  }

  /** Which mount shows this path; `part` is undefined if it is the whole volume. */
  #seen(
    container: AckContainer,
    path: string,
  ): { readonly use: VolumeUse; readonly part: VolumePart | undefined } | undefined {
    const use = container.uses.find(({ mountPath }) => `${path}/`.startsWith(`${mountPath}/`));
    if (use === undefined) return undefined;
    const below = path.slice(use.mountPath.length + 1).replace(/^\.\.[^/]*(\/|$)/, "");
    const inner = posix
      .join("/", use.subPath ?? "", below)
      .slice(1)
      .replace(/\/$/, "");
    const root = this.#rootOf(container, use);
    return { use, part: inner === "" ? undefined : { root, inner, seenAt: path } };
  }

  #rootOf({ status: { podUid } }: AckContainer, { volume, plugin }: VolumeUse): string {
    return this.#options.paths.volume({ podUid, plugin, volume });
  }
}

/** What validators say of a value may have it in it. A projected volume may have Secrets in it. */
function mayTell(use: VolumeUse | undefined): boolean {
  return use?.plugin === "kubernetes.io/configmap";
}

function isSame(some: ReadonlyMap<string, AckFile>, others: ReadonlyMap<string, AckFile>): boolean {
  return [...some].every(([name, { stamp }]) => others.get(name)?.stamp === stamp);
}
