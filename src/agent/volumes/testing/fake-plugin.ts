// A plugin that shows what its objects say, in memory and if asked to in real directories; it can be told to fail and to hang, and
// remembers what it was asked to do and whether it was asked twice at a time.

import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Pod, Volume } from "../../../api/types.ts";
import type { AgentPaths, VolumePlace } from "../../agent-paths.ts";
import { type ObjectReference, referenceKey } from "../../objects/config-object.ts";
import { volumeKey } from "../desired-state.ts";
import type { VolumeContent, VolumePlugin, VolumeToMount } from "../volume-plugin.ts";

export type FakeSort = "configmap" | "projected" | "empty-dir";

/** Before it reads its objects, after that, or before it is removed. */
export type HangingAt = "read" | "write" | "removal";

export interface FakePluginOptions {
  readonly sort: FakeSort;
  /** What an object says now; throws if there is none. */
  readonly read: (of: ObjectReference) => string;
  /** Real directories are made there. */
  readonly paths?: AgentPaths;
}

export class FakePlugin implements VolumePlugin {
  readonly name: string;
  readonly requiresRemount: boolean;
  readonly #options: FakePluginOptions;
  /** "setUp pod-1/data", "tearDown pod-1/data", in order. */
  readonly calls: string[] = [];
  /** By key: what is visible. */
  readonly shown: Map<string, string> = new Map();
  /** How often one volume had two operations at a time. */
  overlaps: number = 0;
  /** The most operations that there were at a time. */
  mostRunning: number = 0;
  refreshAfterMs: number | undefined;
  readonly #running = new Set<string>();
  readonly #failures = new Map<string, unknown>();
  /** Of volumes that hang: who waits to be let go. */
  readonly #hangs = new Map<string, PromiseWithResolvers<void> & { readonly at: HangingAt }>();

  constructor(options: FakePluginOptions) {
    this.#options = options;
    this.name = `kubernetes.io/${options.sort}`;
    this.requiresRemount = options.sort !== "empty-dir";
  }

  /** From now on every operation on volumes of this name (of all pods) throws this. */
  fail(volume: string, err: unknown): void {
    this.#failures.set(volume, err);
  }

  heal(volume: string): void {
    this.#failures.delete(volume);
  }

  /** From now on volumes of this name wait there. Call the result to let all go. */
  hang(volume: string, at: HangingAt): () => void {
    const hang = { ...Promise.withResolvers<void>(), at };
    this.#hangs.set(volume, hang);
    return () => {
      if (this.#hangs.get(volume) === hang) this.#hangs.delete(volume);
      hang.resolve();
    };
  }

  supports(volume: Volume): boolean {
    const { sort } = this.#options;
    if (sort === "empty-dir") return volume.emptyDir !== undefined;
    return (sort === "projected" ? volume.projected : volume.configMap) !== undefined;
  }

  references({ configMap, projected }: Volume, { metadata }: Pod): readonly ObjectReference[] {
    const names = projected?.sources?.map((source) => source.configMap?.name) ?? [configMap?.name];
    const { namespace = "" } = metadata;
    return names.flatMap((name) => (name ? [{ kind: "ConfigMap" as const, namespace, name }] : []));
  }

  async setUp(volume: VolumeToMount, signal: AbortSignal): Promise<VolumeContent> {
    const key = volumeKey(volume);
    using _running = this.#begin("setUp", volume);
    const hang = this.#hangs.get(volume.volume);
    if (hang?.at === "read") await settled(hang.promise, signal);
    const { metadata } = volume.pod;
    const objects = this.references(volume.spec, volume.pod).map((each) => this.#read(each));
    const text = [...objects, metadata.labels?.["app"] ?? ""].join(" ");
    if (hang?.at === "write") await settled(hang.promise, signal);
    this.#throwIfFailing(volume.volume);
    const hasChanged = this.shown.get(key) !== text;
    this.shown.set(key, text);
    const path = this.#write(volume, text);
    const { refreshAfterMs } = this;
    return { path, isReadOnly: true, hasChanged, versions: [], version: text, refreshAfterMs };
  }

  async tearDown(place: VolumePlace): Promise<void> {
    using _running = this.#begin("tearDown", place);
    const hang = this.#hangs.get(place.volume);
    if (hang?.at === "removal") await hang.promise;
    this.#throwIfFailing(place.volume);
    this.shown.delete(volumeKey(place));
    const { paths } = this.#options;
    if (paths) rmSync(paths.volume(place), { recursive: true, force: true });
  }

  #read(of: ObjectReference): string {
    return `${referenceKey(of)}=${this.#options.read(of)}`;
  }

  #write(place: VolumePlace, text: string): string {
    const { paths } = this.#options;
    if (!paths) return `/volumes/${volumeKey(place)}`;
    const directory = paths.volume(place);
    mkdirSync(directory, { recursive: true });
    writeFileSync(join(directory, "text"), text);
    return directory;
  }

  #begin(what: string, place: VolumePlace): Disposable {
    const key = volumeKey(place);
    this.calls.push(`${what} ${place.podUid}/${place.volume}`);
    if (this.#running.has(key)) this.overlaps++;
    this.#running.add(key);
    this.mostRunning = Math.max(this.mostRunning, this.#running.size);
    return { [Symbol.dispose]: () => void this.#running.delete(key) };
  }

  #throwIfFailing(volume: string): void {
    if (this.#failures.has(volume)) throw this.#failures.get(volume);
  }
}

/** As a client's call: it ends when it is told to, and when it is cancelled. */
async function settled(promise: Promise<void>, signal: AbortSignal): Promise<void> {
  const { promise: gone, reject } = Promise.withResolvers<never>();
  const onAbort = (): void => reject(signal.reason);
  if (signal.aborted) onAbort();
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    await Promise.race([promise, gone]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}
