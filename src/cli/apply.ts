// `driftless apply`: makes the server's objects as files say, by server-side apply. What the file does not say stays as others have it,
// and what it no longer says goes.

import type { ApiObject } from "../api/object.ts";
import { jsonEqual } from "../api/patch/json-equal.ts";
import { isNotFound, StatusError } from "../api/status-error.ts";
import { ResourceClient } from "../client/resource-client.ts";
import { LAST_APPLIED, takeOverPatch, withLastApplied } from "./applied-before.ts";
import { type CliContext, type ExitCode, print, printError } from "./cli-context.ts";
import { CliError, eachReported, misuse } from "./cli-error.ts";
import { readManifests } from "./manifest-files.ts";
import { type ManifestTarget, manifestTarget } from "./manifest-target.ts";
import { type OutputFormat, withoutManagedFields } from "./output-format.ts";
import { kindPrefix, ResourceCatalog } from "./resource-catalog.ts";
import { SET_MANAGER } from "./set.ts";

export type DryRun = "none" | "client" | "server";

export interface ApplyOptions {
  readonly filenames: readonly string[];
  readonly isRecursive: boolean;
  readonly forcesConflicts: boolean;
  readonly fieldManager: string;
  readonly dryRun: DryRun;
  readonly format: OutputFormat;
}

/** Goes on after a failure. */
export async function apply(context: CliContext, options: ApplyOptions): Promise<ExitCode> {
  const { filenames, isRecursive } = options;
  if (filenames.length === 0)
    throw misuse("must specify one of -f: a file, a directory, or - for the standard input");
  const { stdin } = context.streams;
  const manifests = await readManifests({ filenames, isRecursive, stdin });
  if (manifests.length === 0) throw new CliError("no objects passed to apply");
  const catalog = await ResourceCatalog.of(context.client, context.signal);
  const applier = new Applier(context, options);
  return eachReported(context, manifests, async (manifest) => {
    await applier.apply(manifestTarget(manifest, catalog, context));
  });
}

const DRY_RUN: Readonly<Record<DryRun, string>> = {
  none: "",
  client: " (dry run)",
  server: " (server dry run)",
};

interface Applied {
  readonly object: ApiObject;
  readonly outcome: "created" | "configured" | "unchanged";
}

class Applier {
  readonly #context: CliContext;
  readonly #options: ApplyOptions;
  #separator = "";

  constructor(context: CliContext, options: ApplyOptions) {
    this.#context = context;
    this.#options = options;
  }

  async apply(target: ManifestTarget): Promise<void> {
    const { format, dryRun } = this.#options;
    const { object, outcome } = await this.#applied(target);
    const name = `${kindPrefix(target.resource)}/${target.name}`;
    if (format.type === "table") print(this.#context, `${name} ${outcome}${DRY_RUN[dryRun]}\n`);
    else if (format.type === "name") print(this.#context, `${name}\n`);
    else {
      print(this.#context, this.#separator + format.print(withoutManagedFields(object)));
      this.#separator = format.separator;
    }
  }

  async #applied(target: ManifestTarget): Promise<Applied> {
    const { client, signal } = this.#context;
    const { dryRun, fieldManager } = this.#options;
    const objects = new ResourceClient<ApiObject>(client, target.resource);
    const { namespace, name } = target;
    const live = await foundOrNone(() => objects.get({ namespace, name }, { signal }));
    if (dryRun === "client") {
      return { object: target.object, outcome: live === undefined ? "created" : "configured" };
    }
    const takeOver = live === undefined ? undefined : takeOverPatch(live, fieldManager);
    if (takeOver !== undefined && dryRun === "none") {
      const options = { type: "json", fieldManager, signal } as const;
      await objects.patch({ namespace, name }, takeOver, options);
    }
    // Nothing was handed over in a rehearsal, so that it would meet conflicts that there will not be.
    const force = takeOver !== undefined && dryRun === "server";
    const object = await this.#send(objects, target, { live, force });
    return { object, outcome: outcomeOf(live, object, dryRun) };
  }

  async #send(
    objects: ResourceClient<ApiObject>,
    target: ManifestTarget,
    { live, force }: { readonly live: ApiObject | undefined; readonly force: boolean },
  ): Promise<ApiObject> {
    const { signal } = this.#context;
    const { fieldManager, dryRun, forcesConflicts } = this.#options;
    const object = withLastApplied(target.object, live);
    const send = (isForced: boolean): Promise<ApiObject> =>
      objects.apply(object, {
        fieldManager,
        force: isForced,
        dryRun: dryRun === "server",
        fieldValidation: "Strict",
        signal,
      });
    try {
      return await send(forcesConflicts || force);
    } catch (err) {
      const fields = ownConflicts(err);
      if (fields.length === 0) throw told(err, target);
      const name = `${kindPrefix(target.resource)}/${target.name}`;
      printError(
        this.#context,
        `Warning: ${name}: ${fields.join(", ")} had a value of "driftless set", which the file's replaces`,
      );
      return send(true);
    }
  }
}

async function foundOrNone<T>(look: () => Promise<T>): Promise<T | undefined> {
  try {
    return await look();
  } catch (err) {
    if (isNotFound(err)) return undefined;
    throw err;
  }
}

function outcomeOf(
  live: ApiObject | undefined,
  now: ApiObject,
  dryRun: DryRun,
): Applied["outcome"] {
  if (live === undefined) return "created";
  const isSame =
    dryRun === "server"
      ? jsonEqual(content(live), content(now))
      : live.metadata.resourceVersion === now.metadata.resourceVersion;
  return isSame ? "unchanged" : "configured";
}

/** What a rehearsal changes for certain, if it changes anything. */
function content(object: ApiObject): ApiObject {
  const {
    resourceVersion: _,
    generation: __,
    annotations,
    ...metadata
  } = withoutManagedFields(object).metadata;
  const { [LAST_APPLIED]: ___, ...others } = annotations ?? {};
  return { ...object, metadata: { ...metadata, annotations: others } };
}

/** The fields, if every conflict is with a value that the same program has set on the command line. */
function ownConflicts(err: unknown): readonly string[] {
  if (!(err instanceof StatusError) || err.reason !== "Conflict") return [];
  const causes = err.details?.causes ?? [];
  const isOwn = causes.every(({ reason, message = "" }) => {
    return (
      reason === "FieldManagerConflict" && message.startsWith(`conflict with "${SET_MANAGER}"`)
    );
  });
  return isOwn ? causes.map(({ field = "" }) => field) : [];
}

function told(err: unknown, { source }: ManifestTarget): unknown {
  if (!(err instanceof StatusError) || err.reason === "Invalid") return err;
  const { code, reason, details, message } = err;
  if (
    reason === "Conflict" &&
    details?.causes?.some((one) => one.reason === "FieldManagerConflict")
  ) {
    return new CliError(`${message}\n${CONFLICT_HELP}`, { cause: err });
  }
  return new StatusError({
    code,
    reason,
    message: `error when applying ${JSON.stringify(source)}: ${message}`,
    ...(details && { details }),
    cause: err,
  });
}

const CONFLICT_HELP = `These fields belong to others, who want other values. Nothing of this object was changed. What to do:
* To have your values, and the fields for yourself from now on: run it again with --force-conflicts.
* To leave the fields to the others: take them out of the file.
* To share them: put the values into the file that they have now.`;
