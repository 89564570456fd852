// What is wanted: all sources together, when they have been quiet for a moment. A burst over several sources becomes one change.

import type { Clock } from "../base/clock.ts";
import type { Logger } from "../base/logger.ts";
import type { LiveSource } from "./live-source.ts";
import { type Files, type Settings, settingsOf } from "./settings.ts";
import { variablesOf } from "./variables-of.ts";

export interface WantedSettingsOptions {
  /** Later ones win. */
  readonly environment: readonly LiveSource[];
  readonly directories: readonly { readonly path: string; readonly source: LiveSource }[];
  /** It must have been quiet for so long … */
  readonly minWaitMs: number;
  /** … but no change waits longer than this. */
  readonly maxWaitMs: number;
  readonly onChange: () => void;
  readonly clock: Clock;
  readonly logger: Logger;
}

export class WantedSettings {
  readonly #options: WantedSettingsOptions;
  #current: Settings | undefined;
  #timer: Disposable | undefined;
  #firstMs: number | undefined;
  readonly #skipped = new Map<string, string>();

  constructor(options: WantedSettingsOptions) {
    this.#options = options;
    for (const source of this.#sources()) source.onChange = () => this.#onSource();
  }

  /** Undefined until every source is known. */
  get current(): Settings | undefined {
    return this.#current;
  }

  /** What is the matter with sources. */
  get problems(): readonly string[] {
    return this.#sources().flatMap(({ problem }) => (problem === undefined ? [] : [problem]));
  }

  /** Looks at all sources now: for the start, when there is nothing to wait for. */
  look(): void {
    const before = this.#current?.version;
    this.#settle();
    this.#current = this.#read();
    if (this.#current?.version !== before) this.#options.onChange();
  }

  /** Follows the sources. */
  async run(signal: AbortSignal): Promise<void> {
    await Promise.all(this.#sources().map((source) => this.#follow(source, signal)));
    this.#settle();
  }

  async #follow(source: LiveSource, signal: AbortSignal): Promise<void> {
    try {
      await source.run(signal);
    } catch (err) {
      // What is known of it stays.
      this.#options.logger.error("source failed", { source: source.name, err });
    }
  }

  /** Nothing is waited for. */
  #settle(): void {
    this.#timer?.[Symbol.dispose]();
    this.#firstMs = undefined;
  }

  #sources(): readonly LiveSource[] {
    const { environment, directories } = this.#options;
    return [...environment, ...directories.map(({ source }) => source)];
  }

  #onSource(): void {
    const { clock, minWaitMs, maxWaitMs } = this.#options;
    const { version } = this.#read() ?? {};
    if (version === this.#current?.version) {
      // Nothing new, or it went back to what it was.
      this.#settle();
      return;
    }
    if (this.#current === undefined) {
      // Everything is known for the first time, and somebody waits for it.
      this.look();
      return;
    }
    const nowMs = clock.monotonicMs();
    this.#firstMs ??= nowMs;
    const leftMs = this.#firstMs + maxWaitMs - nowMs;
    this.#timer?.[Symbol.dispose]();
    this.#timer = clock.schedule(Math.max(0, Math.min(minWaitMs, leftMs)), () => this.look());
  }

  #read(): Settings | undefined {
    const { environment, directories } = this.#options;
    const merged = new Map<string, string>();
    const from = new Map<string, Files>();
    for (const { name, path, files } of environment) {
      if (files === undefined) return undefined;
      const { variables, skipped } = variablesOf(files);
      this.#tellSkipped(name, skipped);
      for (const [variable, value] of variables) merged.set(variable, value);
      if (path !== undefined) from.set(path, files);
    }
    const read = new Map<string, Files>();
    for (const { path, source } of directories) {
      if (source.files === undefined) return undefined;
      read.set(path, source.files);
    }
    return settingsOf({ variables: merged, environment: from, directories: read });
  }

  /** Once for the same keys. */
  #tellSkipped(source: string, keys: readonly string[]): void {
    const said = keys.join("\n");
    if ((this.#skipped.get(source) ?? "") === said) return;
    this.#skipped.set(source, said);
    if (keys.length === 0) return;
    this.#options.logger.warn("keys cannot be variables, left out", { source, keys });
  }
}
