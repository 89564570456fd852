// `driftless get --watch`: what there is, then every change as it comes. A watch ends by itself after a while, and is begun again
// where it was; only if the server has forgotten that far does it begin at what there is then.

import { isJsonObject, type JsonObject, type JsonValue } from "../api/json.ts";
import { apiVersionOf } from "../api/kind.ts";
import type { ApiObject } from "../api/object.ts";
import { isAbort } from "../base/abort.ts";
import { jsonLines } from "../client/json-lines.ts";
import { resourcePath } from "../client/resource-path.ts";
import { isExpired, statusErrorOfEvent } from "../client/status-answer.ts";
import { type CliContext, type ExitCode, print } from "./cli-context.ts";
import { misuse } from "./cli-error.ts";
import { type GetOptions, placeOf, tablePrinter } from "./get-options.ts";
import { withoutManagedFields } from "./output-format.ts";
import type { ObjectsAsked } from "./resource-arguments.ts";
import { kindPrefix } from "./resource-catalog.ts";
import type { Table } from "./table-printer.ts";
import { ACCEPT_TABLE, tableOf } from "./table-request.ts";

/** A watch lasts for minutes; one that ends at once must not be begun all the time. */
const AGAIN_MS = 1000;

interface Watched {
  readonly context: CliContext;
  readonly asked: ObjectsAsked;
  readonly options: GetOptions;
  readonly show: (answer: JsonValue) => void;
}

/** Until the signal aborts, or the server refuses. */
export async function watchObjects(
  context: CliContext,
  all: readonly ObjectsAsked[],
  options: GetOptions,
): Promise<ExitCode> {
  const [asked, ...others] = all;
  if (asked === undefined || others.length > 0) {
    throw misuse("you may only specify a single resource type, or a single object, with --watch");
  }
  const watched = { context, asked, options, show: shower(context, asked, options) };
  try {
    let from = await list(watched, options.watch === "too");
    for (;;) {
      from = await follow(watched, from);
      await context.clock.sleep(AGAIN_MS, context.signal);
    }
  } catch (err) {
    if (context.signal.aborted && isAbort(err, context.signal)) return 0;
    throw err;
  }
}

/** Prints what there is, if wanted, and says from which version to go on. */
async function list({ context, asked, options, show }: Watched, shows: boolean): Promise<string> {
  const path = pathOf({ context, asked, options }, {});
  const { client, signal } = context;
  const answer = await client.request({ method: "GET", path, signal, ...accepted(options) });
  if (shows) show(answer);
  const { metadata } = answer as { readonly metadata?: { readonly resourceVersion?: string } };
  return metadata?.resourceVersion ?? "";
}

/** To the end of one watch; the version to go on from. */
async function follow(watched: Watched, from: string): Promise<string> {
  const { context, options, show } = watched;
  const { client, signal } = context;
  const query = { watch: true, resourceVersion: from, allowWatchBookmarks: true };
  let version = from;
  try {
    const path = pathOf(watched, query);
    const body = await client.stream({ method: "GET", path, signal, ...accepted(options) });
    for await (const line of jsonLines(body)) {
      const { type, object } = line as { readonly type?: string; readonly object?: JsonObject };
      if (type === "ERROR") throw statusErrorOfEvent(object ?? {});
      version = versionOf(object) ?? version;
      if (type !== "BOOKMARK") show(object ?? {});
    }
    return version;
  } catch (err) {
    if (!isExpired(err)) throw err;
    return list(watched, false);
  }
}

/** Of one object by a selector, so that it is watched like a list. */
function pathOf(
  { context, asked, options }: Omit<Watched, "show">,
  query: Readonly<Record<string, string | boolean>>,
): string {
  const { name, ...place } = placeOf(asked, context, options);
  const { labelSelector } = options;
  const fieldSelector = name === undefined ? options.fieldSelector : `metadata.name=${name}`;
  return resourcePath(asked.resource, place, { labelSelector, fieldSelector, ...query });
}

function accepted({ format }: GetOptions): { readonly accept?: string } {
  return format.type === "table" ? { accept: ACCEPT_TABLE } : {};
}

function shower(
  context: CliContext,
  { resource }: ObjectsAsked,
  options: GetOptions,
): (answer: JsonValue) => void {
  const { format, showsManagedFields } = options;
  if (format.type === "table") {
    const printer = tablePrinter(resource, options);
    return (answer) => print(context, printer.print(tableOf(answer, context.clock.now())));
  }
  let separator = "";
  return (answer) => {
    const { items } = answer as { readonly items?: readonly ApiObject[] };
    const type = { apiVersion: apiVersionOf(resource), kind: resource.kind };
    for (const object of items ?? [answer as ApiObject]) {
      if (format.type === "name") {
        print(context, `${kindPrefix(resource)}/${object.metadata.name ?? ""}\n`);
        continue;
      }
      const whole = { ...type, ...object };
      print(
        context,
        separator + format.print(showsManagedFields ? whole : withoutManagedFields(whole)),
      );
      separator = format.separator;
    }
  };
}

function versionOf(object: JsonObject | undefined): string | undefined {
  const { rows } = (object ?? {}) as Table;
  const last = rows?.at(-1)?.object?.metadata ?? object?.["metadata"];
  const version = isJsonObject(last as JsonValue) ? (last as JsonObject)["resourceVersion"] : "";
  return typeof version === "string" && version !== "" ? version : undefined;
}
