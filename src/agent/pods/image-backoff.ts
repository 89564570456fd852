// How often an image that is not there is looked for. Per pod and image, 10 s doubling to 30 s.

import { imageTag } from "../../api/defaults/image-tag.ts";
import type { Clock } from "../../base/clock.ts";

const BASE_MS = 10_000;
/** The kubelet waits for up to 5 min, to spare registries. Here it is a look at this machine, and somebody may have just imported it. */
const MAX_MS = 30_000;

interface Failure {
  readonly delayMs: number;
  /** Monotonic: the wall clock may be set back by hours. */
  readonly untilMs: number;
  /** Why it failed the last time: "ErrImagePull: no such image". */
  readonly text: string;
}

export class ImageBackoff {
  readonly #clock: Clock;
  /** By image. Those that were found are not in it. */
  readonly #failures = new Map<string, Failure>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Set while it is too early to look again; until when is by the wall clock as it is now. */
  waiting(image: string): { readonly untilMs: number; readonly text: string } | undefined {
    const failure = this.#failures.get(image);
    if (failure === undefined) return undefined;
    const leftMs = failure.untilMs - this.#clock.monotonicMs();
    return leftMs > 0 ? { untilMs: this.#clock.now() + leftMs, text: failure.text } : undefined;
  }

  /** Returns when to look again, by the wall clock. */
  failed(image: string, text: string): number {
    const nowMs = this.#clock.monotonicMs();
    const before = this.#failures.get(image);
    const isLongAgo = before !== undefined && nowMs - before.untilMs > 2 * MAX_MS;
    const delayMs =
      before === undefined || isLongAgo ? BASE_MS : Math.min(MAX_MS, 2 * before.delayMs);
    const failure = { delayMs, untilMs: nowMs + delayMs, text };
    this.#failures.set(image, failure);
    return this.#clock.now() + delayMs;
  }

  found(image: string): void {
    this.#failures.delete(image);
  }
}

const DIGEST = /@[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}$/;

/** Says whether it can be the name of an image at all. */
export function isImageName(image: string): boolean {
  return imageTag(image.replace(DIGEST, "")) !== undefined;
}
