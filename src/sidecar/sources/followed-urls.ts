// The addresses that keys of objects name. Each is followed as long as its key is there; a key that changes keeps its last content until the new address has answered.

import { aborted } from "../../base/abort.ts";
import type { Clock } from "../../base/clock.ts";
import type { Random } from "../../base/random.ts";
import type { ObjectUrlsSpec } from "../compose-model.ts";
import { FollowedUrl } from "./followed-url.ts";

export interface KeyUrl {
  /** Of the key. */
  readonly id: string;
  readonly address: string;
  /** Of the object: another one is a reason to ask again. */
  readonly resourceVersion: string;
}

export interface UrlContent {
  readonly data: Uint8Array | undefined;
  readonly problem: string | undefined;
  readonly hasTried: boolean;
}

export interface FollowedUrlsOptions {
  readonly spec: ObjectUrlsSpec | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly onTry: () => void;
}

interface Entry {
  readonly url: KeyUrl;
  readonly followed: FollowedUrl;
  readonly stop: AbortController;
  /** What the key had before. */
  readonly earlier: Uint8Array | undefined;
}

const DEFAULTS: ObjectUrlsSpec = {
  ...{ auth: undefined, timeoutMs: 10_000, intervalMs: undefined },
  ...{ skipsTlsVerify: false, takesServerErrors: false },
};
const MAX_BYTES = 10 * 1024 * 1024;

export class FollowedUrls {
  readonly #options: FollowedUrlsOptions;
  readonly #entries = new Map<string, Entry>();
  readonly #running = new Set<Promise<void>>();
  #signal: AbortSignal | undefined;

  constructor(options: FollowedUrlsOptions) {
    this.#options = options;
  }

  async run(signal: AbortSignal): Promise<void> {
    this.#signal = signal;
    for (const entry of this.#entries.values()) this.#start(entry);
    await aborted(signal);
    for (const { stop } of this.#entries.values()) stop.abort();
    await Promise.all(this.#running);
  }

  /** Exactly these from now on. */
  follow(urls: readonly KeyUrl[]): void {
    const wanted = new Map(urls.map((url) => [url.id, url]));
    for (const [id, { stop }] of this.#entries) {
      if (wanted.has(id)) continue;
      stop.abort();
      this.#entries.delete(id);
    }
    for (const url of wanted.values()) this.#keep(url);
  }

  get(id: string): UrlContent | undefined {
    const entry = this.#entries.get(id);
    if (entry === undefined) return undefined;
    const { data, problem, hasTried } = entry.followed;
    if (!isHttp(entry.url.address)) {
      return { data: entry.earlier, problem: "its .url key holds no http address", hasTried: true };
    }
    return { data: data ?? entry.earlier, problem, hasTried };
  }

  #keep(url: KeyUrl): void {
    const { clock, random, onTry, spec = DEFAULTS } = this.#options;
    const before = this.#entries.get(url.id);
    const isFresh =
      spec.intervalMs !== undefined || before?.url.resourceVersion === url.resourceVersion;
    if (before?.url.address === url.address && isFresh) return;
    before?.stop.abort();
    const request = {
      ...{ url: url.address, headers: new Map<string, string>(), auth: spec.auth },
      ...{ caFile: undefined, maxBytes: MAX_BYTES, timeoutMs: spec.timeoutMs },
      ...{ skipsTlsVerify: spec.skipsTlsVerify, takesServerErrors: spec.takesServerErrors },
    };
    const { intervalMs } = spec;
    const followed = new FollowedUrl({ request, intervalMs, clock, random, onTry });
    const earlier = before?.followed.data ?? before?.earlier;
    const entry = { url, followed, stop: new AbortController(), earlier };
    this.#entries.set(url.id, entry);
    this.#start(entry);
  }

  #start({ url, followed, stop }: Entry): void {
    if (this.#signal === undefined || this.#signal.aborted || !isHttp(url.address)) return;
    const running = followed.run(stop.signal).finally(() => this.#running.delete(running));
    this.#running.add(running);
  }
}

function isHttp(address: string): boolean {
  return /^https?:\/\//.test(address) && URL.canParse(address);
}
