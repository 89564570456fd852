// Tables as kubectl shows them: the server says what is in them, here they get their columns and widths. What was printed before decides
// about what follows: headers are not repeated, and columns only ever get wider.

import type { JsonObject, JsonValue } from "../api/json.ts";
import type { ApiObject } from "../api/object.ts";
import { plainText } from "./plain-text.ts";

export interface TableColumn {
  readonly name: string;
  readonly type?: string;
  readonly format?: string;
  /** More than 0: only shown if asked for. */
  readonly priority?: number;
}

export interface TableRow {
  readonly cells: readonly JsonValue[];
  /** With its metadata at least, if the server was asked for that. */
  readonly object?: ApiObject | null;
}

/** As servers send it. */
export interface Table {
  /** Missing in all but the first event of a watch. */
  readonly columnDefinitions?: readonly TableColumn[] | null;
  readonly rows?: readonly TableRow[] | null;
  readonly metadata?: JsonObject;
}

export interface TablePrinterOptions {
  readonly isWide: boolean;
  readonly hasHeaders: boolean;
  readonly hasNamespace: boolean;
  readonly hasLabels: boolean;
  /** Labels that have a column of their own. */
  readonly labelColumns: readonly string[];
  /** "deployment.apps", in front of names, if there are several kinds. */
  readonly kindPrefix?: string;
}

const PADDING = 3;
/** With the padding. */
const MIN_WIDTH = 6;

export class TablePrinter {
  readonly #options: TablePrinterOptions;
  #columns: readonly TableColumn[] = [];
  #hasPrintedHeaders = false;
  /** Of each column but the last, padding included. */
  #widths: number[] = [];

  constructor(options: TablePrinterOptions) {
    this.#options = options;
  }

  /** Nothing for a table without rows. */
  print(table: Table): string {
    const columns = table.columnDefinitions ?? [];
    if (columns.length > 0 && !isSame(columns, this.#columns)) {
      this.#columns = columns;
      this.#hasPrintedHeaders = false;
    }
    const rows = table.rows ?? [];
    if (rows.length === 0) return "";
    const hasHeaders = this.#options.hasHeaders && !this.#hasPrintedHeaders;
    this.#hasPrintedHeaders = true;
    const lines = rows.map((row) => this.#cells(row));
    return this.#aligned(hasHeaders ? [this.#headers(), ...lines] : lines);
  }

  #headers(): readonly string[] {
    const { hasNamespace, hasLabels, labelColumns } = this.#options;
    const names = this.#shown(this.#columns).map(({ name }) => name);
    const labels = labelColumns.map((label) => label.slice(label.lastIndexOf("/") + 1));
    return [
      ...(hasNamespace ? ["NAMESPACE"] : []),
      ...[...names, ...labels].map((name) => name.toUpperCase()),
      ...(hasLabels ? ["LABELS"] : []),
    ];
  }

  #cells({ cells, object }: TableRow): readonly string[] {
    const { hasNamespace, hasLabels, labelColumns, kindPrefix } = this.#options;
    const labels = object?.metadata.labels ?? {};
    const nameColumn = this.#columns.findIndex(
      ({ format, type }) => format === "name" && type === "string",
    );
    const named = this.#columns.map((_, index) => {
      const cell = cellText(cells[index] ?? null);
      return index === nameColumn && kindPrefix !== undefined ? `${kindPrefix}/${cell}` : cell;
    });
    return [
      ...(hasNamespace ? [plainText(object?.metadata.namespace ?? "")] : []),
      ...this.#shown(named),
      ...labelColumns.map((label) => plainText(labels[label] ?? "")),
      ...(hasLabels ? [labelsText(labels)] : []),
    ];
  }

  #shown<T>(values: readonly T[]): readonly T[] {
    const { isWide } = this.#options;
    return values.filter((_, index) => isWide || (this.#columns[index]?.priority ?? 0) === 0);
  }

  #aligned(lines: readonly (readonly string[])[]): string {
    for (const line of lines) {
      for (const [index, cell] of line.slice(0, -1).entries()) {
        const width = Math.max(widthOf(cell) + PADDING, MIN_WIDTH);
        this.#widths[index] = Math.max(this.#widths[index] ?? 0, width);
      }
    }
    return lines.map((line) => `${this.#padded(line)}\n`).join("");
  }

  #padded(line: readonly string[]): string {
    const last = line.length - 1;
    return line
      .map((cell, index) =>
        index === last ? cell : cell + " ".repeat((this.#widths[index] ?? 0) - widthOf(cell)),
      )
      .join("");
  }
}

/** In characters: good enough for all but East Asian ones. */
function widthOf(text: string): number {
  return Array.from(text).length;
}

function labelsText(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}=${value}`);
  return pairs.length === 0 ? "<none>" : plainText(pairs.sort().join(","));
}

/** A line break ends it: tables have one line for each row. */
function cellText(cell: JsonValue): string {
  if (cell === null) return "";
  const text = typeof cell === "object" ? JSON.stringify(cell) : String(cell);
  const end = text.search(/[\n\r\f]/);
  return plainText(end < 0 ? text : `${text.slice(0, end)}...`);
}

function isSame(columns: readonly TableColumn[], others: readonly TableColumn[]): boolean {
  return JSON.stringify(columns) === JSON.stringify(others);
}
