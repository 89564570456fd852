// One look at what the sources say, for --dry-run and --explain: they run until each of them knows something, and end.

import { deadline, isAbort } from "../base/abort.ts";
import type { Clock } from "../base/clock.ts";
import type { Source, SourceState } from "./source.ts";

/** What they know at the end; some may still be waiting when the time is over. */
export async function lookAtSources(
  sources: readonly Source[],
  { clock, timeoutMs, signal }: { clock: Clock; timeoutMs: number; signal: AbortSignal },
): Promise<ReadonlyMap<string, SourceState>> {
  const end = new AbortController();
  using limit = deadline({ clock, timeoutMs, signal });
  const known = Promise.withResolvers<void>();
  const look = (): void => {
    if (sources.every((source) => source.current().state === "known")) known.resolve();
  };
  using subscriptions = new DisposableStack();
  for (const source of sources) subscriptions.use(source.onChange(look));
  limit.signal.addEventListener("abort", () => known.resolve(), { once: true });
  const running = sources.map(async (source) => {
    try {
      await source.run(end.signal);
    } catch (err) {
      if (!isAbort(err, end.signal)) throw err;
    }
  });
  look();
  await Promise.race([known.promise, Promise.all(running)]);
  const states = new Map(sources.map((source) => [source.name, source.current()]));
  end.abort();
  await Promise.allSettled(running);
  signal.throwIfAborted();
  return states;
}
