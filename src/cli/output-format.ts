// -o: how objects are printed that are not shown as a table.

import type { JsonObject, JsonValue } from "../api/json.ts";
import type { ApiObject } from "../api/object.ts";
import { misuse } from "./cli-error.ts";
import { parseJsonPathTemplate } from "./json-path.ts";
import { printJson } from "./json-printer.ts";
import { printYaml } from "./yaml-printer.ts";

export interface OutputFormat {
  /** "table" also for wide ones. */
  readonly type: "table" | "name" | "objects";
  readonly isWide: boolean;
  /** Of an object or a list, for "objects". */
  print(value: JsonValue): string;
  /** Between two of them. */
  readonly separator: string;
}

/** Throws CliError if there is no such format. */
export function parseOutputFormat(text: string | undefined): OutputFormat {
  const [name = "", ...rest] = (text ?? "").split("=");
  const template = rest.join("=");
  const nothing = (): string => "";
  switch (name) {
    case "":
      return { type: "table", isWide: false, print: nothing, separator: "" };
    case "wide":
      return { type: "table", isWide: true, print: nothing, separator: "" };
    case "name":
      return { type: "name", isWide: false, print: nothing, separator: "" };
    case "json":
      return { type: "objects", isWide: false, print: printJson, separator: "" };
    case "yaml":
      return { type: "objects", isWide: false, print: printYaml, separator: "---\n" };
    case "jsonpath": {
      if (template === "") throw misuse("template format specified but no template given");
      const parsed = parseJsonPathTemplate(template);
      const print = (value: JsonValue): string => parsed.print(value);
      return { type: "objects", isWide: false, print, separator: "" };
    }
    default:
      throw misuse(
        `unable to match a printer suitable for the output format ${JSON.stringify(name)}, allowed formats are: json,jsonpath=TEMPLATE,name,wide,yaml`,
      );
  }
}

/** Without the records of who owns which field, which nobody wants to read. */
export function withoutManagedFields(object: ApiObject): ApiObject {
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}

/** Several objects as one. */
export function listOf(items: readonly ApiObject[]): JsonObject {
  return { apiVersion: "v1", kind: "List", metadata: { resourceVersion: "" }, items: [...items] };
}
