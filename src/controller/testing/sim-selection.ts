// Which objects a list or a watch of the simulated cluster is about.

import { isJsonObject, type JsonValue } from "../../api/json.ts";
import type { Kind } from "../../api/kind.ts";
import type { ApiObject } from "../../api/object.ts";
import { parseFieldSelector } from "../../api/selectors/field-selector.ts";
import { parseLabelSelector } from "../../api/selectors/label-selector-parser.ts";
import { SelectorError } from "../../api/selectors/selector-error.ts";
import { badRequest } from "../../api/status-error.ts";

export interface SimSelection {
  readonly namespace: string;
  readonly matches: (object: ApiObject) => boolean;
}

/** Any field can be selected by: that a real server offers few of them is not simulated. */
export function selectionOf(
  kind: Kind,
  { namespace, name, query }: { namespace: string; name: string; query: URLSearchParams },
): SimSelection {
  const home = kind.namespaced ? namespace : "";
  try {
    const labels = parseLabelSelector(query.get("labelSelector") ?? "");
    const fields = parseFieldSelector(query.get("fieldSelector") ?? "");
    return {
      namespace: home,
      matches: (object) =>
        (home === "" || object.metadata.namespace === home) &&
        (name === "" || object.metadata.name === name) &&
        labels.matches(object.metadata.labels) &&
        fields.matches((field) => fieldOf(object, field)),
    };
  } catch (err) {
    if (err instanceof SelectorError) throw badRequest(err.message);
    throw err;
  }
}

const flags: ReadonlySet<string> = new Set(["spec.unschedulable", "spec.hostNetwork"]);

function fieldOf(object: ApiObject, field: string): string {
  let value: JsonValue | undefined = object as JsonValue;
  for (const part of field.split(".")) {
    value = isJsonObject(value) ? value[part] : undefined;
  }
  if (flags.has(field)) return String(value === true);
  return value === undefined || value === null ? "" : String(value as string);
}
