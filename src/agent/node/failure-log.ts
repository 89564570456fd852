// Tells of something that is tried again and again: when it begins to fail, when it fails otherwise, and when it works again.

import { describe } from "../../base/errors.ts";
import type { Fields, Logger } from "../../base/logger.ts";

export class FailureLog {
  readonly #logger: Logger;
  readonly #what: string;
  #last: string | undefined;

  /** `what` as in "cannot renew the lease of this node". */
  constructor(logger: Logger, what: string) {
    this.#logger = logger;
    this.#what = what;
  }

  failed(err: unknown, fields: Fields = {}): void {
    const text = describe(err);
    if (text === this.#last) return;
    this.#last = text;
    this.#logger.warn(this.#what, { ...fields, err });
  }

  worked(): void {
    if (this.#last === undefined) return;
    this.#last = undefined;
    this.#logger.info("works again", { was: this.#what });
  }
}
