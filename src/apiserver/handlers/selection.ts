// Which objects a list or a watch is about: a namespace, a name, labels, fields.

import type { ApiObject } from "../../api/object.ts";
import {
  type FieldSelector,
  offeredFields,
  parseFieldSelector,
} from "../../api/selectors/field-selector.ts";
import type { LabelSelector } from "../../api/selectors/label-selector.ts";
import { parseLabelSelector } from "../../api/selectors/label-selector-parser.ts";
import { SelectorError } from "../../api/selectors/selector-error.ts";
import { badRequest } from "../../api/status-error.ts";
import type { CachedObject } from "../cache/cached-object.ts";
import type { WatchScope } from "../cache/watcher.ts";
import { objectKey, type Resource, shownObject } from "../registry/resource.ts";
import type { RequestContext } from "./context.ts";

export interface Selection {
  /** Keys begin with this: "" or "namespace/". */
  readonly prefix: string;
  /** Beyond the prefix; undefined if everything matches. */
  readonly matches: ((object: CachedObject) => boolean) | undefined;
  /** The narrowest index that holds everything selected. */
  readonly scope: WatchScope;
}

export function selectionOf(context: RequestContext): Selection {
  const { resource, info } = context;
  const { labels, fields } = selectors(context);
  const tests: ((object: ApiObject) => boolean)[] = [];
  if (!labels.isEmpty) tests.push(({ metadata }) => labels.matches(metadata.labels));
  if (!fields.isEmpty) {
    tests.push((object) => fields.matches((field) => fieldValue(resource, field, object)));
  }
  // A watch of one object by its path.
  if (info.name !== "") tests.push(({ metadata }) => metadata.name === info.name);
  return {
    prefix: info.namespace !== "" && resource.kind.namespaced ? `${info.namespace}/` : "",
    matches:
      tests.length === 0
        ? undefined
        : (cached) => {
            const object = shownObject(resource, cached);
            return tests.every((test) => test(object));
          },
    scope: scopeOf(context, fields),
  };
}

function selectors({ resource, query }: RequestContext): {
  readonly labels: LabelSelector;
  readonly fields: FieldSelector;
} {
  const { kind, strategy } = resource;
  const own = strategy.fieldLabels;
  try {
    return {
      labels: parseLabelSelector(query.get("labelSelector") ?? ""),
      fields: offeredFields(parseFieldSelector(query.get("fieldSelector") ?? ""), {
        namespaced: kind.namespaced,
        ...(own !== undefined && { own: Object.keys(own) }),
      }),
    };
  } catch (err) {
    if (err instanceof SelectorError) throw badRequest(err.message);
    throw err;
  }
}

function fieldValue({ strategy }: Resource, field: string, object: ApiObject): string {
  if (field === "metadata.name") return object.metadata.name ?? "";
  if (field === "metadata.namespace") return object.metadata.namespace ?? "";
  return strategy.fieldLabels?.[field]?.(object) ?? "";
}

function scopeOf({ resource, info }: RequestContext, fields: FieldSelector): WatchScope {
  const { kind, strategy } = resource;
  const name = info.name || (fields.requiredEquals("metadata.name") ?? "");
  const namespace = info.namespace || (fields.requiredEquals("metadata.namespace") ?? "");
  const isPlaced = kind.namespaced ? namespace !== "" : true;
  if (name !== "" && isPlaced) return { by: "object", key: objectKey(kind, namespace, name) };
  // A namespace before a field: the field's index knows nothing of namespaces.
  if (kind.namespaced && isPlaced) return { by: "namespace", namespace };
  const indexed = fields.requiredEquals(strategy.indexedField ?? "");
  return indexed === undefined ? { by: "all" } : { by: "field", value: indexed };
}
