// `driftless set`: changes single keys of a ConfigMap or Secret, and leaves the others alone whatever happens to them meanwhile.

import type { ApiObject } from "../api/object.ts";
import { isNotFound, StatusError } from "../api/status-error.ts";
import { ResourceClient } from "../client/resource-client.ts";
import { type CliContext, type ExitCode, print } from "./cli-context.ts";
import { CliError, misuse } from "./cli-error.ts";
import { type KeyDifference, keyDifferences, keyPatch } from "./config-keys.ts";
import type { KeyChange } from "./key-changes.ts";
import { keyDiffText } from "./key-diff.ts";
import { parseResourceArguments } from "./resource-arguments.ts";
import { kindPrefix, ResourceCatalog } from "./resource-catalog.ts";

/** Its fields can be told from those that files have. */
export const SET_MANAGER = "driftless-set";

export interface SetOptions {
  /** KIND/NAME */
  readonly target: string;
  readonly changes: readonly KeyChange[];
  readonly creates: boolean;
  readonly isDryRun: boolean;
}

/** Of writes by others in between. More in a row is not chance. */
const MAX_TRIES = 10;

export async function set(context: CliContext, options: SetOptions): Promise<ExitCode> {
  if (options.changes.length === 0) throw misuse("say what to set: key=value, key=@file or key-");
  if (!options.target.includes("/")) {
    throw misuse(`say what to change as KIND/NAME, such as configmap/${options.target}`);
  }
  const catalog = await ResourceCatalog.of(context.client, context.signal);
  const [asked] = parseResourceArguments([options.target], catalog);
  if (asked?.name === undefined) throw misuse("say what to change as KIND/NAME");
  const { resource, name } = asked;
  const kind = resource.group === "" ? resource.kind : "";
  if (kind !== "ConfigMap" && kind !== "Secret") {
    throw new CliError(
      `Cannot set keys of ${kindPrefix(resource)}/${name}: only ConfigMaps and Secrets have some`,
    );
  }
  const objects = new ResourceClient<ApiObject>(context.client, resource);
  const setter = new Setter({ context, options, objects, kind, name });
  await setter.run();
  return 0;
}

interface SetterParts {
  readonly context: CliContext;
  readonly options: SetOptions;
  readonly objects: ResourceClient<ApiObject>;
  readonly kind: "ConfigMap" | "Secret";
  readonly name: string;
}

class Setter {
  readonly #parts: SetterParts;

  constructor(parts: SetterParts) {
    this.#parts = parts;
  }

  async run(): Promise<void> {
    for (let tries = 1; ; tries++) {
      try {
        await this.#attempt();
        return;
      } catch (err) {
        if (!isOvertaken(err) || tries === MAX_TRIES) throw err;
      }
    }
  }

  async #attempt(): Promise<void> {
    const { kind, options } = this.#parts;
    const live = await this.#live();
    const object: ApiObject = live ?? { metadata: {} };
    if (object["immutable"] === true) throw this.#immutable();
    const differences = keyDifferences(object, kind, options.changes);
    if (live === undefined) await this.#create(differences);
    else if (differences.length > 0) await this.#patch(live, differences);
    const changed = differences.length === 0 ? "unchanged" : "configured";
    this.#tell(live === undefined ? "created" : changed, differences);
  }

  async #live(): Promise<ApiObject | undefined> {
    const { objects, name, context, options } = this.#parts;
    const { namespace, signal } = context;
    try {
      return await objects.get({ namespace, name }, { signal });
    } catch (err) {
      if (!isNotFound(err)) throw err;
      if (options.creates) return undefined;
      const { code, reason, message } = err;
      throw new StatusError({
        code,
        reason,
        message: `${message}. Add --create to make it`,
        cause: err,
      });
    }
  }

  async #create(differences: readonly KeyDifference[]): Promise<void> {
    const { objects, name, kind, context, options } = this.#parts;
    const { namespace, signal } = context;
    const object: ApiObject = {
      apiVersion: "v1",
      kind,
      metadata: { namespace, name },
      ...keyPatch({ metadata: {} }, kind, differences),
    };
    await objects.create(object, { fieldManager: SET_MANAGER, dryRun: options.isDryRun, signal });
  }

  async #patch(live: ApiObject, differences: readonly KeyDifference[]): Promise<void> {
    const { objects, name, kind, context, options } = this.#parts;
    const { namespace, signal } = context;
    // The version in it makes it a conflict if somebody else wrote since we looked.
    const { resourceVersion } = live.metadata;
    const patch = { metadata: { resourceVersion }, ...keyPatch(live, kind, differences) };
    const written = { type: "merge", fieldManager: SET_MANAGER, signal } as const;
    await objects.patch({ namespace, name }, patch, { ...written, dryRun: options.isDryRun });
  }

  #tell(outcome: string, differences: readonly KeyDifference[]): void {
    const { objects, name, kind, context, options } = this.#parts;
    const dryRun = options.isDryRun ? " (server dry run)" : "";
    const { group } = objects.kind;
    print(context, `${kindPrefix({ group, kind })}/${name} ${outcome}${dryRun}\n`);
    print(context, keyDiffText(differences, kind === "Secret"));
  }

  #immutable(): Error {
    const { kind, name } = this.#parts;
    const what = `${kind.toLowerCase()}/${name}`;
    return new CliError(
      `Cannot set keys of ${what}: it is immutable. Make one with another name and let the pods use that, or delete it and create it anew`,
    );
  }
}

/** Somebody else wrote, created or deleted it since we looked. */
function isOvertaken(err: unknown): boolean {
  return (
    err instanceof StatusError && (err.reason === "Conflict" || err.reason === "AlreadyExists")
  );
}
