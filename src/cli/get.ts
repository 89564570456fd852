// `driftless get`: objects as tables, as the server makes them, or whole.

import { apiVersionOf } from "../api/kind.ts";
import type { ApiObject } from "../api/object.ts";
import { isNotFound } from "../api/status-error.ts";
import type { ServedResource } from "../client/discovery.ts";
import { ResourceClient } from "../client/resource-client.ts";
import { type CliContext, type ExitCode, print, printError } from "./cli-context.ts";
import { eachReported, misuse, reportError } from "./cli-error.ts";
import { type GetOptions, placeOf, tablePrinter } from "./get-options.ts";
import { listOf, withoutManagedFields } from "./output-format.ts";
import { type ObjectsAsked, parseResourceArguments } from "./resource-arguments.ts";
import { kindPrefix, ResourceCatalog } from "./resource-catalog.ts";
import { sortedBy } from "./sort-by.ts";
import type { Table, TablePrinter, TableRow } from "./table-printer.ts";
import { requestTables } from "./table-request.ts";
import { watchObjects } from "./watch-objects.ts";

export async function get(context: CliContext, options: GetOptions): Promise<ExitCode> {
  refuse(options);
  const catalog = await ResourceCatalog.of(context.client, context.signal);
  const asked = parseResourceArguments(options.words, catalog);
  refuseTogether(asked, options);
  if (options.watch !== undefined) return watchObjects(context, asked, options);
  return options.format.type === "table"
    ? getTables(context, asked, options)
    : getObjects(context, asked, options);
}

function refuse({ words }: GetOptions): void {
  if (words.length > 0) return;
  throw misuse(
    'Required resource not specified. Say what to get, such as "driftless get pods" or "driftless get all"',
  );
}

function refuseTogether(asked: readonly ObjectsAsked[], options: GetOptions): void {
  if (!asked.some(({ name }) => name !== undefined)) return;
  if (options.isAllNamespaces) {
    throw misuse("a resource cannot be retrieved by name across all namespaces");
  }
  if (options.labelSelector !== undefined || options.fieldSelector !== undefined) {
    throw misuse("name cannot be provided when a selector is specified");
  }
}

async function getTables(
  context: CliContext,
  asked: readonly ObjectsAsked[],
  options: GetOptions,
): Promise<ExitCode> {
  const isMixed = new Set(asked.map(({ resource }) => resource)).size > 1;
  let printer: TablePrinter | undefined;
  let last: ServedResource | undefined;
  let hasPrinted = false;
  const code = await eachReported(context, asked, async (one) => {
    const { resource } = one;
    if (printer === undefined || resource !== last) {
      printer = tablePrinter(resource, options, isMixed ? kindPrefix(resource) : undefined);
    }
    const isNewKind = last !== undefined && resource !== last;
    last = resource;
    let separator = isNewKind && hasPrinted && options.hasHeaders ? "\n" : "";
    for await (const table of tables(context, one, options)) {
      const text = printer.print(table);
      if (text === "") continue;
      print(context, separator + text);
      separator = "";
      hasPrinted = true;
    }
  });
  if (code === 0 && !hasPrinted && !options.ignoresNotFound) {
    printError(context, nothingFound(context, asked, options));
  }
  return code;
}

function nothingFound(
  { namespace }: CliContext,
  asked: readonly ObjectsAsked[],
  { isAllNamespaces }: GetOptions,
): string {
  const isInOne = !isAllNamespaces && asked.every(({ resource }) => resource.namespaced);
  return isInOne ? `No resources found in ${namespace} namespace.` : "No resources found";
}

async function* tables(
  context: CliContext,
  one: ObjectsAsked,
  options: GetOptions,
): AsyncGenerator<Table> {
  const { labelSelector, fieldSelector, sortBy } = options;
  const query = {
    ...(one.name === undefined && { labelSelector, fieldSelector }),
    ...(sortBy !== undefined && { includeObject: "Object" }),
  };
  const request = { resource: one.resource, place: placeOf(one, context, options), query };
  try {
    if (sortBy === undefined) yield* requestTables(context, request);
    else yield await sortedTable(requestTables(context, request), sortBy);
  } catch (err) {
    if (!(options.ignoresNotFound && isNotFound(err))) throw err;
  }
}

/** All pages as one. */
async function sortedTable(pages: AsyncIterable<Table>, sortBy: string): Promise<Table> {
  let columns: Table["columnDefinitions"];
  const rows: TableRow[] = [];
  for await (const page of pages) {
    columns ??= page.columnDefinitions;
    rows.push(...(page.rows ?? []));
  }
  const sorted = sortedBy(rows, sortBy, ({ object }) => object ?? null);
  return { rows: sorted, ...(columns && { columnDefinitions: columns }) };
}

interface Found {
  readonly resource: ServedResource;
  readonly object: ApiObject;
}

async function getObjects(
  context: CliContext,
  asked: readonly ObjectsAsked[],
  options: GetOptions,
): Promise<ExitCode> {
  const found: Found[] = [];
  const failures: unknown[] = [];
  for (const one of asked) {
    try {
      for await (const object of objects(context, one, options)) {
        found.push({ resource: one.resource, object });
      }
    } catch (err) {
      if (!(options.ignoresNotFound && isNotFound(err))) failures.push(err);
    }
  }
  const isOne = asked.length === 1 && asked[0]?.name !== undefined;
  if (!isOne || found.length > 0) print(context, objectsText(found, isOne, options));
  return failures.reduce<ExitCode>((code, err) => Math.max(code, reportError(context, err)), 0);
}

function objectsText(found: readonly Found[], isOne: boolean, options: GetOptions): string {
  const { format, sortBy, showsManagedFields } = options;
  const sorted = sortBy === undefined ? found : sortedBy(found, sortBy, ({ object }) => object);
  if (format.type === "name") {
    const names = sorted.map(
      (one) => `${kindPrefix(one.resource)}/${one.object.metadata.name ?? ""}\n`,
    );
    return names.join("");
  }
  const all = sorted.map(({ object }) =>
    showsManagedFields ? object : withoutManagedFields(object),
  );
  return format.print(isOne && all[0] !== undefined ? all[0] : listOf(all));
}

async function* objects(
  context: CliContext,
  one: ObjectsAsked,
  options: GetOptions,
): AsyncGenerator<ApiObject> {
  const { labelSelector, fieldSelector } = options;
  const { signal } = context;
  const resources = new ResourceClient<ApiObject>(context.client, one.resource);
  const { namespace, name } = placeOf(one, context, options);
  if (name !== undefined) {
    yield await resources.get({ namespace, name }, { signal });
    return;
  }
  // Items of lists do not say what they are.
  const type = { apiVersion: apiVersionOf(one.resource), kind: one.resource.kind };
  const selectors = {
    ...(labelSelector !== undefined && { labelSelector }),
    ...(fieldSelector !== undefined && { fieldSelector }),
  };
  for await (const item of resources.all({ namespace, signal, ...selectors })) {
    yield { ...type, ...item };
  }
}
