// What `driftless get` was asked for, and what follows from it for every way of showing it.

import type { ServedResource } from "../client/discovery.ts";
import type { ResourcePlace } from "../client/resource-path.ts";
import type { CliContext } from "./cli-context.ts";
import type { OutputFormat } from "./output-format.ts";
import type { ObjectsAsked } from "./resource-arguments.ts";
import { TablePrinter, type TablePrinterOptions } from "./table-printer.ts";

export interface GetOptions {
  readonly words: readonly string[];
  readonly format: OutputFormat;
  readonly isAllNamespaces: boolean;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
  readonly watch?: "too" | "only" | undefined;
  readonly hasHeaders: boolean;
  readonly hasLabels: boolean;
  readonly labelColumns: readonly string[];
  readonly showsManagedFields: boolean;
  readonly ignoresNotFound: boolean;
  readonly sortBy?: string | undefined;
}

/** Where the objects are that are asked for. */
export function placeOf(
  { resource, name }: ObjectsAsked,
  { namespace }: Pick<CliContext, "namespace">,
  { isAllNamespaces }: Pick<GetOptions, "isAllNamespaces">,
): ResourcePlace {
  return {
    ...(resource.namespaced && !isAllNamespaces && { namespace }),
    ...(name !== undefined && { name }),
  };
}

export function tablePrinter(
  resource: ServedResource,
  options: GetOptions,
  prefix?: string,
): TablePrinter {
  const { format, hasHeaders, hasLabels, labelColumns, isAllNamespaces } = options;
  const settings: TablePrinterOptions = {
    isWide: format.isWide,
    hasHeaders,
    hasLabels,
    labelColumns,
    hasNamespace: isAllNamespaces && resource.namespaced,
    ...(prefix !== undefined && { kindPrefix: prefix }),
  };
  return new TablePrinter(settings);
}
