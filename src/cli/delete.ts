// `driftless delete`: by name, by file, by label, or all of a kind; and waits until they are gone.

import { isJsonObject, type JsonValue } from "../api/json.ts";
import type { ApiObject } from "../api/object.ts";
import { isNotFound } from "../api/status-error.ts";
import { deadline } from "../base/abort.ts";
import { type DeleteOptions as Deletion, ResourceClient } from "../client/resource-client.ts";
import type { DryRun } from "./apply.ts";
import { type CliContext, type ExitCode, print, printError } from "./cli-context.ts";
import { CliError, eachReported, misuse } from "./cli-error.ts";
import { readManifests } from "./manifest-files.ts";
import { manifestTarget } from "./manifest-target.ts";
import { Progress } from "./progress.ts";
import { type ObjectsAsked, parseResourceArguments } from "./resource-arguments.ts";
import { kindPrefix, ResourceCatalog } from "./resource-catalog.ts";
import { type GoingObject, waitGone } from "./wait-gone.ts";

export interface DeleteOptions {
  readonly words: readonly string[];
  readonly filenames: readonly string[];
  readonly isRecursive: boolean;
  readonly isAll: boolean;
  readonly isAllNamespaces: boolean;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
  readonly cascade: "background" | "foreground" | "orphan";
  /** Undefined: as long as the object wants. */
  readonly gracePeriodSeconds?: number | undefined;
  /** Also from nodes that do not answer: for grace period 0. */
  readonly isForced: boolean;
  readonly waits: boolean;
  /** Of waiting; undefined for as long as it takes. */
  readonly timeoutMs?: number | undefined;
  readonly ignoresNotFound: boolean;
  readonly dryRun: DryRun;
  readonly isNameOutput: boolean;
}

const POLICIES = {
  background: "Background",
  foreground: "Foreground",
  orphan: "Orphan",
} as const;

export async function deleteObjects(
  context: CliContext,
  options: DeleteOptions,
): Promise<ExitCode> {
  refuse(options);
  const deletion = deletionOf(options);
  if (deletion.gracePeriodSeconds === 0) {
    printError(
      context,
      "Warning: Immediate deletion does not wait for confirmation that the running resource has been terminated. The resource may continue to run on the cluster indefinitely.",
    );
  }
  const catalog = await ResourceCatalog.of(context.client, context.signal);
  const going: GoingObject[] = [];
  let found = 0;
  const code = await eachReported(
    context,
    await targets(context, catalog, options),
    async (one) => {
      for (const target of await one()) {
        const uid = await deleteOne(context, { target, deletion, options });
        if (uid === undefined) continue;
        found++;
        going.push({ ...target, uid: uid === "" ? undefined : uid });
      }
    },
  );
  if (code === 0 && found === 0 && !options.ignoresNotFound) print(context, "No resources found\n");
  if (!options.waits || options.dryRun !== "none") return code;
  return Math.max(code, await waitAll(context, going, options.timeoutMs));
}

function refuse(options: DeleteOptions): void {
  const { words, filenames, isAll, labelSelector, fieldSelector } = options;
  if (words.length === 0 && filenames.length === 0) {
    throw misuse(
      "You must provide one or more resources by argument or filename, such as configmap/NAME or -f FILE",
    );
  }
  if (words.length > 0 && filenames.length > 0) {
    throw misuse(
      "when paths or stdin is provided as input, you may not specify resource arguments as well",
    );
  }
  if (isAll && (labelSelector !== undefined || fieldSelector !== undefined)) {
    throw misuse("cannot set --all and a selector at the same time");
  }
  if (options.isForced && (options.gracePeriodSeconds ?? 0) > 0) {
    throw misuse("--force and --grace-period greater than 0 cannot be specified together");
  }
}

/** 0 means 1 unless it is forced: nobody loses data by a typing error. */
function deletionOf({ cascade, gracePeriodSeconds, isForced, dryRun }: DeleteOptions): Deletion {
  const seconds = isForced ? 0 : gracePeriodSeconds === 0 ? 1 : gracePeriodSeconds;
  return {
    propagationPolicy: POLICIES[cascade],
    ...(seconds !== undefined && { gracePeriodSeconds: seconds }),
    dryRun: dryRun === "server",
  };
}

type Target = Omit<GoingObject, "uid">;

/** What to look for, one by one, so that each can fail alone. */
async function targets(
  context: CliContext,
  catalog: ResourceCatalog,
  options: DeleteOptions,
): Promise<readonly (() => Promise<readonly Target[]>)[]> {
  const { words, filenames, isRecursive } = options;
  if (filenames.length > 0) {
    const { stdin } = context.streams;
    const manifests = await readManifests({ filenames, isRecursive, stdin });
    return manifests.map((manifest) => async () => [manifestTarget(manifest, catalog, context)]);
  }
  const asked = parseResourceArguments(words, catalog);
  refuseTogether(asked, options);
  return asked.map((one) => async () => targetsOf(context, one, options));
}

function refuseTogether(asked: readonly ObjectsAsked[], options: DeleteOptions): void {
  const hasSelector = options.labelSelector !== undefined || options.fieldSelector !== undefined;
  const hasName = asked.some(({ name }) => name !== undefined);
  if (hasName && (hasSelector || options.isAll)) {
    throw misuse("name cannot be provided when a selector is specified");
  }
  if (hasName && options.isAllNamespaces) {
    throw misuse("a resource cannot be retrieved by name across all namespaces");
  }
  if (!hasName && !hasSelector && !options.isAll) {
    throw misuse(
      "resource(s) were provided, but no name was specified: name some, or say -l or --all",
    );
  }
}

async function targetsOf(
  context: CliContext,
  { resource, name }: ObjectsAsked,
  options: DeleteOptions,
): Promise<readonly Target[]> {
  const namespace = resource.namespaced ? context.namespace : undefined;
  if (name !== undefined) return [{ resource, namespace, name }];
  const { labelSelector, fieldSelector, isAllNamespaces } = options;
  const objects = new ResourceClient<ApiObject>(context.client, resource);
  const found: Target[] = [];
  const asked = {
    namespace: isAllNamespaces ? undefined : namespace,
    signal: context.signal,
    ...(labelSelector !== undefined && { labelSelector }),
    ...(fieldSelector !== undefined && { fieldSelector }),
  };
  for await (const { metadata } of objects.all(asked)) {
    found.push({ resource, namespace: metadata.namespace, name: metadata.name ?? "" });
  }
  return found;
}

/** Its uid, or "" if the server does not say. Undefined if there was none, and that is no failure. */
async function deleteOne(
  context: CliContext,
  what: { readonly target: Target; readonly deletion: Deletion; readonly options: DeleteOptions },
): Promise<string | undefined> {
  const { target, deletion, options } = what;
  const { resource, namespace, name } = target;
  const objects = new ResourceClient<ApiObject>(context.client, resource);
  const call = { ...deletion, signal: context.signal };
  try {
    const answer =
      options.dryRun === "client"
        ? await objects.get({ namespace, name }, { signal: context.signal })
        : await objects.delete({ namespace, name }, call);
    print(context, `${deletedText(target, deletion, options)}\n`);
    return uidOf(answer);
  } catch (err) {
    // What a selector found may be gone by now.
    const isListed = options.isAll || options.labelSelector !== undefined;
    if (isNotFound(err) && (options.ignoresNotFound || isListed)) return undefined;
    throw err;
  }
}

function deletedText(target: Target, deletion: Deletion, options: DeleteOptions): string {
  const { resource, namespace, name } = target;
  const prefix = kindPrefix(resource);
  if (options.isNameOutput) return `${prefix}/${name}`;
  const dryRun = { none: "", client: " (dry run)", server: " (server dry run)" }[options.dryRun];
  const done = deletion.gracePeriodSeconds === 0 ? "force deleted" : "deleted";
  const where = namespace === undefined ? "" : ` from ${namespace} namespace`;
  return `${prefix} "${name}" ${done}${where}${dryRun}`;
}

function uidOf(answer: JsonValue): string {
  if (!isJsonObject(answer)) return "";
  const { details, metadata } = answer as {
    readonly details?: { readonly uid?: string };
    readonly metadata?: { readonly uid?: string };
  };
  return details?.uid ?? metadata?.uid ?? "";
}

async function waitAll(
  context: CliContext,
  going: readonly GoingObject[],
  timeoutMs: number | undefined,
): Promise<ExitCode> {
  const { clock, signal } = context;
  using limit = timeoutMs === undefined ? undefined : deadline({ clock, timeoutMs, signal });
  using progress = new Progress(context);
  return await eachReported(context, going, async (one) => {
    const what = `${kindPrefix(one.resource)} "${one.name}"`;
    using _shown = progress.show(`waiting until ${what} is gone`);
    try {
      await waitGone(context, one, limit?.signal ?? signal);
    } catch (err) {
      const isLate = limit?.signal.aborted === true && !signal.aborted;
      if (!isLate) throw err;
      const { resource, name } = one;
      throw new CliError(`timed out waiting for the condition on ${resource.resource}/${name}`, {
        cause: err,
      });
    }
  });
}
