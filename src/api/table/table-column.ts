// What a table of one kind consists of: columns, each with the way to its cell. The names, types, formats, priorities
// and descriptions of columns are part of the API; a priority above 0 is shown by `-o wide` only.

import { ageOf } from "../duration.ts";
import type { JsonValue } from "../json.ts";
import type { ObjectMeta } from "../types.ts";
import { ageText, nameText } from "./column-texts.ts";

/** As it goes over the wire, in this order. */
export interface TableColumn {
  readonly name: string;
  readonly type: string;
  readonly format: string;
  readonly description: string;
  readonly priority: number;
}

export interface RowCondition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

/** How objects of type `T` become rows. */
export interface TableDefinition<T> {
  readonly columns: readonly TableColumn[];
  /** One for each column. */
  cells(object: T, nowMs: number): JsonValue[];
  /** What clients may grey out or hide. */
  conditions?(object: T): readonly RowCondition[];
  /** An annotation that rows do not carry: clients that read rows never saw it. */
  readonly hiddenAnnotation?: string;
}

export interface Named {
  readonly metadata?: ObjectMeta | undefined;
}

/** A column and its cell, made from the row `R`. */
export interface ColumnOf<R> {
  readonly column: TableColumn;
  cell(row: R, nowMs: number): JsonValue;
}

interface ColumnOptions {
  readonly type?: "string" | "integer" | "boolean" | "date";
  readonly format?: string;
  /** For `-o wide`. */
  readonly wide?: boolean;
}

export function column<R>(
  name: string,
  description: string,
  cell: (row: R, nowMs: number) => JsonValue,
  options: ColumnOptions = {},
): ColumnOf<R> {
  const { type = "string", format = "", wide = false } = options;
  return { column: { name, type, format, description, priority: wide ? 1 : 0 }, cell };
}

export function nameColumn<R extends Named>(options: ColumnOptions = {}): ColumnOf<R> {
  return column("Name", nameText, nameOf, { format: "name", ...options });
}

export function ageColumn<R extends Named>(): ColumnOf<R> {
  return column("Age", ageText, ({ metadata }, nowMs) => ageOf(metadata?.creationTimestamp, nowMs));
}

/** A table whose cells are made from the object itself. */
export function tableOfColumns<T>(...columns: readonly ColumnOf<T>[]): TableDefinition<T> {
  return tableOfRows((object: T) => object, ...columns);
}

/** A table whose cells share some work: `rowOf` does it once for each object. */
export function tableOfRows<T, R>(
  rowOf: (object: T, nowMs: number) => R,
  ...columns: readonly ColumnOf<R>[]
): TableDefinition<T> {
  return {
    columns: columns.map((each) => each.column),
    cells(object, nowMs) {
      const row = rowOf(object, nowMs);
      return columns.map((each) => each.cell(row, nowMs));
    },
  };
}

function nameOf({ metadata }: Named): string {
  return metadata?.name ?? "";
}
