// `driftless status --wait`: until the last consumer has what the objects hold, by the server's word and without polling. What is in the way is
// said at once; whether somebody will clear it nobody can know, so the time decides.

import { deadline, isAbort } from "../base/abort.ts";
import type { Consumer } from "./answers/consumers.ts";
import { LivePicture } from "./answers/live-picture.ts";
import { type Look, painted } from "./answers/look.ts";
import type { Picture } from "./answers/picture.ts";
import type { PictureAsked } from "./answers/read-picture.ts";
import { type Scope, type StatusReport, statusReport } from "./answers/status-report.ts";
import { blockedText, lacking, lackText, waitBar, waitText } from "./answers/wait-text.ts";
import { type CliContext, printError } from "./cli-context.ts";

export interface WaitOptions {
  readonly asked: PictureAsked;
  readonly scope: Scope;
  readonly first: Picture;
  readonly look: Look;
  readonly timeoutMs: number;
}

export interface Waited {
  readonly report: StatusReport;
  /** False: the time is over. */
  readonly isDone: boolean;
}

export async function waitForAll(context: CliContext, options: WaitOptions): Promise<Waited> {
  const { asked, scope, first, look, timeoutMs } = options;
  const { clock, signal } = context;
  using limit = deadline({ clock, timeoutMs, signal });
  using teller = new Teller(context, look);
  let report = statusReport(first, scope);
  // Good enough to say what is in the way, not to say that nothing is.
  if (!isThrough(report)) teller.tell(report);
  try {
    for await (const picture of new LivePicture(context, asked, first).pictures(limit.signal)) {
      report = statusReport(picture, scope);
      if (isThrough(report)) return { report, isDone: true };
      teller.tell(report);
    }
  } catch (err) {
    if (signal.aborted || !limit.signal.aborted || !isLate(err, limit.signal)) throw err;
  }
  teller.clear();
  printError(context, lackText(report, timeoutMs));
  return { report, isDone: false };
}

function isThrough(report: StatusReport): boolean {
  return lacking(report).length === 0 && report.rollouts.length === 0;
}

function isLate(err: unknown, signal: AbortSignal): boolean {
  return err === signal.reason || isAbort(err, signal);
}

/** One line that is drawn over itself for people who look, a line for each step for everyone else. */
class Teller implements Disposable {
  readonly #context: CliContext;
  readonly #look: Look;
  readonly #blocked = new Set<string>();
  #last = "";
  #isDrawn = false;

  constructor(context: CliContext, look: Look) {
    this.#context = context;
    this.#look = look;
  }

  tell(report: StatusReport): void {
    for (const consumer of lacking(report)) this.#tellBlocked(consumer);
    const { isWatched } = this.#context.streams;
    const line = isWatched ? waitBar(report, this.#look) : waitText(report, this.#look);
    if (line === this.#last) return;
    this.#last = line;
    if (isWatched) {
      this.#context.streams.stderr.write(`\r\x1b[K${line}`);
      this.#isDrawn = true;
    } else printError(this.#context, line);
  }

  clear(): void {
    if (this.#isDrawn) this.#context.streams.stderr.write("\r\x1b[K");
    this.#isDrawn = false;
    this.#last = "";
  }

  [Symbol.dispose](): void {
    this.clear();
  }

  /** Each matter once. */
  #tellBlocked(consumer: Consumer): void {
    const text = blockedText(consumer);
    if (text === undefined || this.#blocked.has(text)) return;
    this.#blocked.add(text);
    this.clear();
    printError(this.#context, painted(this.#look, "yellow", text));
  }
}
