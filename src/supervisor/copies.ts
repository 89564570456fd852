// The copies of the watched files that the program reads. What could not be written, on a full disk, is tried again.

import type { Alarm } from "./alarm.ts";
import type { Announcer } from "./announcer.ts";
import type { Program } from "./program.ts";
import type { Refusals } from "./refusals.ts";
import type { Settings } from "./settings.ts";

export interface CopiesOptions {
  readonly program: Pick<Program, "publish">;
  readonly refusals: Refusals;
  readonly announcer: Announcer;
  readonly alarm: Alarm;
}

export class Copies {
  readonly #options: CopiesOptions;
  #areWrong = false;

  constructor(options: CopiesOptions) {
    this.#options = options;
  }

  /** They are not what the program should read, and could not be written. */
  get areWrong(): boolean {
    return this.#areWrong;
  }

  /** Says whether it worked; if not, it is worth another try when the alarm rings. */
  publish(settings: Settings): boolean {
    try {
      this.#options.program.publish(settings);
      this.#areWrong = false;
      return true;
    } catch (err) {
      this.postpone(settings, err);
      return false;
    }
  }

  /** Back to what the program that stays was started with. */
  restore(settings: Settings | undefined): void {
    this.#areWrong = settings !== undefined && !this.publish(settings);
  }

  postpone({ version }: Settings, err: unknown): void {
    const { refusals, announcer, alarm } = this.#options;
    const delayMs = refusals.postpone(version);
    announcer.cannotCopy(err, delayMs);
    alarm.after(delayMs, () => refusals.resume(version));
  }
}
