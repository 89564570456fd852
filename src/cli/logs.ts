// `driftless logs`: what containers have written. Several at once are merged line by line; nothing is asked for again after the connection
// was lost, because lines would come twice.

import { StatusError } from "../api/status-error.ts";
import type { Pod } from "../api/types.ts";
import { deadline, isAbort } from "../base/abort.ts";
import { type Query, resourcePath } from "../client/resource-path.ts";
import { type CliContext, type ExitCode, printError } from "./cli-context.ts";
import { CliError, misuse, reportError } from "./cli-error.ts";
import { chooseContainer, containersOf } from "./container-choice.ts";
import { LineWriter } from "./line-writer.ts";
import { byLogging } from "./pod-order.ts";
import { PODS, podsOf, podsWith } from "./pod-target.ts";

export interface LogsOptions {
  /** A pod's name, or KIND/NAME. */
  readonly word?: string | undefined;
  readonly labelSelector?: string | undefined;
  readonly container?: string | undefined;
  readonly isAllContainers: boolean;
  /** Of a Deployment or its like: not only the one that is most interesting. */
  readonly isAllPods: boolean;
  readonly follows: boolean;
  readonly tailLines?: number | undefined;
  readonly sinceSeconds?: number | undefined;
  readonly sinceTime?: string | undefined;
  readonly limitBytes?: number | undefined;
  readonly isPrevious: boolean;
  readonly hasTimestamps: boolean;
  readonly hasPrefix: boolean;
  readonly maxRequests: number;
  /** For a pod that is about to be there, and a container that is about to start. */
  readonly timeoutMs: number;
}

/** With a selector, unless somebody says how many. As kubectl. */
const SELECTOR_TAIL = 10;
/** While a container starts; with kubectl as well. */
const AGAIN_MS = 500;

interface Source {
  readonly pod: Pod;
  readonly container: string;
}

export async function logs(context: CliContext, options: LogsOptions): Promise<ExitCode> {
  refuse(options);
  const pods = await chosenPods(context, options);
  if (pods.length === 0) {
    printError(context, `No resources found in ${context.namespace} namespace.`);
    return 0;
  }
  const sources = pods.flatMap((pod) => sourcesOf(context, pod, options));
  if (options.follows && sources.length > options.maxRequests) {
    throw new CliError(
      `you are attempting to follow ${sources.length} log streams, but maximum allowed concurrency is ${options.maxRequests}, use --max-log-requests to increase the limit`,
    );
  }
  if (options.follows) return together(context, sources, options);
  for (const source of sources) await copy(context, source, options);
  return 0;
}

function refuse(options: LogsOptions): void {
  const { word, labelSelector, container, sinceSeconds, sinceTime } = options;
  if (word === undefined && labelSelector === undefined) {
    throw misuse("expected 'logs POD', 'logs KIND/NAME' or 'logs -l SELECTOR'");
  }
  if (word !== undefined && labelSelector !== undefined) {
    throw misuse("only a selector (-l) or a POD name is allowed");
  }
  if (sinceSeconds !== undefined && sinceTime !== undefined) {
    throw misuse("at most one of --since-time and --since may be specified");
  }
  if (options.isAllContainers && container !== undefined) {
    throw misuse(`--all-containers should not be specified with container name ${container}`);
  }
}

async function chosenPods(context: CliContext, options: LogsOptions): Promise<readonly Pod[]> {
  const { word, labelSelector, timeoutMs, isAllPods } = options;
  if (labelSelector !== undefined) return podsWith(context, labelSelector);
  const pods = byLogging(await podsOf(context, { word: word ?? "", timeoutMs }));
  const [first] = pods;
  if (isAllPods || pods.length === 1 || first === undefined) return pods;
  printError(context, `Found ${pods.length} pods, using pod/${first.metadata.name ?? ""}`);
  return [first];
}

function sourcesOf(context: CliContext, pod: Pod, options: LogsOptions): readonly Source[] {
  if (options.isAllContainers) return containersOf(pod).map((container) => ({ pod, container }));
  const { container, note } = chooseContainer(pod, options.container);
  if (note !== undefined && !options.isAllPods) printError(context, note);
  return [{ pod, container }];
}

/** The first that fails ends them all. */
async function together(
  context: CliContext,
  sources: readonly Source[],
  options: LogsOptions,
): Promise<ExitCode> {
  const failed = new AbortController();
  const signal = AbortSignal.any([context.signal, failed.signal]);
  const copies = sources.map(async (source): Promise<ExitCode> => {
    try {
      await copy({ ...context, signal }, source, options);
      return 0;
    } catch (err) {
      if (signal.aborted && isAbort(err, signal)) return 0;
      failed.abort();
      return reportError(context, err);
    }
  });
  return Math.max(0, ...(await Promise.all(copies)));
}

async function copy(context: CliContext, source: Source, options: LogsOptions): Promise<void> {
  const { pod, container } = source;
  const prefix = options.hasPrefix ? `[pod/${pod.metadata.name ?? ""}/${container}] ` : "";
  const writer = new LineWriter(context.streams.stdout, prefix);
  try {
    for await (const chunk of await opened(context, source, options)) await writer.write(chunk);
  } finally {
    await writer.end();
  }
}

/** Follows a container that has not begun yet, if it begins soon. */
async function opened(
  context: CliContext,
  { pod, container }: Source,
  options: LogsOptions,
): Promise<AsyncIterable<Uint8Array>> {
  const { client, clock, signal } = context;
  const { namespace, name = "" } = pod.metadata;
  const place = { namespace, name, subresource: "log" };
  const path = resourcePath(PODS, place, queryOf(container, options));
  using limit = deadline({ clock, timeoutMs: options.timeoutMs, signal });
  for (;;) {
    try {
      return await client.stream({ method: "GET", path, signal, accept: "*/*" });
    } catch (err) {
      if (!options.follows || !isStarting(err) || limit.signal.aborted) throw err;
      await clock.sleep(AGAIN_MS, signal);
    }
  }
}

function isStarting(err: unknown): boolean {
  return (
    err instanceof StatusError &&
    err.reason === "BadRequest" &&
    /waiting to start|does not have a host assigned/.test(err.message)
  );
}

function queryOf(container: string, options: LogsOptions): Query {
  const { labelSelector, tailLines, sinceSeconds, sinceTime, limitBytes } = options;
  return {
    container,
    ...(options.follows && { follow: true }),
    ...(options.isPrevious && { previous: true }),
    ...(options.hasTimestamps && { timestamps: true }),
    sinceSeconds,
    sinceTime,
    limitBytes,
    tailLines: tailLines ?? (labelSelector === undefined ? undefined : SELECTOR_TAIL),
  };
}
