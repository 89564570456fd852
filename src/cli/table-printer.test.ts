import { equal } from "node:assert/strict";
import { describe, it } from "node:test";
import { TablePrinter, type TablePrinterOptions } from "./table-printer.ts";

const columns = [
  { name: "Name", type: "string", format: "name" },
  { name: "Data", type: "integer" },
  { name: "Node", type: "string", priority: 1 },
  { name: "Age", type: "string" },
];

function row(name: string, data: number, labels: Readonly<Record<string, string>> = {}) {
  return {
    cells: [name, data, "node-1", "5s"],
    object: { metadata: { name, namespace: "default", labels } },
  };
}

function printer(options: Partial<TablePrinterOptions> = {}): TablePrinter {
  return new TablePrinter({
    isWide: false,
    hasHeaders: true,
    hasNamespace: false,
    hasLabels: false,
    labelColumns: [],
    ...options,
  });
}

describe("TablePrinter", () => {
  it("aligns columns as kubectl does, and leaves the last as it is", () => {
    const rows = [row("a", 1), row("a-long-name", 20)];
    equal(
      printer().print({ columnDefinitions: columns, rows }),
      "NAME          DATA   AGE\na             1      5s\na-long-name   20     5s\n",
    );
  });

  it("shows columns of less importance only if asked", () => {
    equal(
      printer({ isWide: true }).print({ columnDefinitions: columns, rows: [row("a", 1)] }),
      "NAME   DATA   NODE     AGE\na      1      node-1   5s\n",
    );
  });

  it("adds the namespace, the kind and the labels", () => {
    const options = {
      hasNamespace: true,
      hasLabels: true,
      labelColumns: ["example.com/tier"],
      kindPrefix: "configmap",
    };
    const rows = [row("a", 1, { b: "2", a: "1", "example.com/tier": "db" }), row("c", 1)];
    equal(
      printer(options).print({ columnDefinitions: columns, rows }),
      `NAMESPACE   NAME          DATA   AGE   TIER   LABELS
default     configmap/a   1      5s    db     a=1,b=2,example.com/tier=db
default     configmap/c   1      5s           <none>
`,
    );
  });

  it("does not repeat headers, and keeps the widths of what was printed before", () => {
    const one = printer();
    one.print({ columnDefinitions: columns, rows: [row("a-long-name", 1)] });
    equal(one.print({ columnDefinitions: null, rows: [row("b", 2)] }), "b             2      5s\n");
    equal(
      one.print({ columnDefinitions: columns, rows: [row("b", 3)] }),
      "b             3      5s\n",
    );
  });

  it("prints nothing for a table without rows, and headers with the first", () => {
    const one = printer();
    equal(one.print({ columnDefinitions: columns, rows: [] }), "");
    equal(
      one.print({ columnDefinitions: null, rows: [row("b", 2)] }),
      "NAME   DATA   AGE\nb      2      5s\n",
    );
  });

  it("cuts a cell at a line break, and shows escape sequences in place of doing them", () => {
    const odd = { cells: ["a\u001b[31m", 1, "", "one\ntwo"] };
    equal(
      printer({ hasHeaders: false }).print({ columnDefinitions: columns, rows: [odd] }),
      "a^[[31m   1     one...\n",
    );
  });
});
