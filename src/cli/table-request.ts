// Asks for tables. Servers that have none for a kind send the objects, and get a table with their names.

import { ageOf } from "../api/duration.ts";
import { isJsonObject, type JsonValue } from "../api/json.ts";
import type { ApiObject } from "../api/object.ts";
import type { ServedResource } from "../client/discovery.ts";
import type { Query, ResourcePlace } from "../client/resource-path.ts";
import { resourcePath } from "../client/resource-path.ts";
import type { CliContext } from "./cli-context.ts";
import type { Table, TableColumn } from "./table-printer.ts";

export const ACCEPT_TABLE: string = [
  "application/json;as=Table;v=v1;g=meta.k8s.io",
  "application/json;as=Table;v=v1beta1;g=meta.k8s.io",
  "application/json",
].join(",");

/** As kubectl: the first rows are there before all of a large list is. */
const PAGE = 500;

const NAME_AND_AGE: readonly TableColumn[] = [
  { name: "Name", type: "string", format: "name" },
  { name: "Age", type: "string" },
];

export interface TableAsked {
  readonly resource: ServedResource;
  readonly place: ResourcePlace;
  readonly query: Query;
}

/** Of one object, or page by page of all that there are. */
export async function* requestTables(
  { client, clock, signal }: Pick<CliContext, "client" | "clock" | "signal">,
  { resource, place, query }: TableAsked,
): AsyncGenerator<Table> {
  const isList = place.name === undefined;
  let next: string | undefined;
  do {
    const paged = isList ? { ...query, limit: PAGE, continue: next } : query;
    const path = resourcePath(resource, place, paged);
    const answer = await client.request({ method: "GET", path, accept: ACCEPT_TABLE, signal });
    const table = tableOf(answer, clock.now());
    yield table;
    const { continue: token } = (table.metadata ?? {}) as { readonly continue?: string };
    next = token === "" ? undefined : token;
  } while (next !== undefined);
}

/** What the server sent, if that is one. */
export function tableOf(answer: JsonValue, nowMs: number): Table {
  if (!isJsonObject(answer) || answer["kind"] === "Table") return answer as Table;
  const { items, metadata } = answer;
  const objects = (Array.isArray(items) ? items : [answer]) as unknown as readonly ApiObject[];
  return {
    columnDefinitions: NAME_AND_AGE,
    ...(isJsonObject(metadata) && { metadata }),
    rows: objects.map((object) => ({
      cells: [object.metadata.name ?? "", ageOf(object.metadata.creationTimestamp, nowMs)],
      object,
    })),
  };
}
