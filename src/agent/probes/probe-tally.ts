// Answers in a row become a verdict. One answer more or less is no news: the verdict changes when as many in a row say the same as
// the probe wants.

export type ProbeKind = "Startup" | "Readiness" | "Liveness";
export type Verdict = "success" | "failure" | "unknown";

/** Before the first answers: not ready, alive, and started or not, who knows. */
export const INITIAL_VERDICTS: Readonly<Record<ProbeKind, Verdict>> = {
  Startup: "unknown",
  Readiness: "failure",
  Liveness: "success",
};

export interface TallyOptions {
  readonly initial: Verdict;
  readonly successThreshold: number;
  readonly failureThreshold: number;
}

export class ProbeTally {
  readonly #options: TallyOptions;
  #verdict: Verdict;
  #last: "success" | "failure" | undefined;
  /** How many answers in a row were the last one. */
  #run = 0;

  constructor(options: TallyOptions) {
    this.#options = options;
    this.#verdict = options.initial;
  }

  get verdict(): Verdict {
    return this.#verdict;
  }

  /** Returns whether there are enough of them: the verdict is this answer then, if it was not before. */
  take(answer: "success" | "failure"): boolean {
    this.#run = answer === this.#last ? this.#run + 1 : 1;
    this.#last = answer;
    const { successThreshold, failureThreshold } = this.#options;
    if (this.#run < (answer === "success" ? successThreshold : failureThreshold)) return false;
    this.#verdict = answer;
    return true;
  }
}
