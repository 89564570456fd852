// What a request wants to do, as rights name it, and what its client is told if it may not.

import { parseFieldSelector } from "../api/selectors/field-selector.ts";
import { SelectorError } from "../api/selectors/selector-error.ts";
import { forbidden, StatusError } from "../api/status-error.ts";
import { type Action, nowhere } from "./authorization.ts";
import { verbOf } from "./dispatch-resource.ts";
import type { RequestInfo } from "./http/request-info.ts";
import type { UserInfo } from "./user.ts";

export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly info: RequestInfo;
}

export function actionOf({ method, path, query, info }: Asked, user: UserInfo): Action {
  if (info.is !== "resource") {
    return { ...nowhere, user, verb: method.toLowerCase(), isResource: false, path };
  }
  const { group, version, namespace, resource, subresource } = info;
  const verb = verbOf(method, info, query);
  const fields = collectionVerbs.has(verb) ? demandedFields(query) : new Map<string, string>();
  return {
    user,
    verb,
    isResource: true,
    group,
    version,
    namespace,
    resource,
    subresource,
    // A list or watch of one object by its name is about that object.
    name: info.name || (fields.get("metadata.name") ?? ""),
    path,
    ...(fields.size > 0 && { fields }),
  };
}

const collectionVerbs: ReadonlySet<string> = new Set(["list", "watch", "deletecollection"]);

/** What the field selector demands to be equal. A bad one demands nothing: the handler refuses it. */
function demandedFields(query: URLSearchParams): ReadonlyMap<string, string> {
  const text = query.get("fieldSelector") ?? "";
  if (text === "") return new Map();
  try {
    const { requirements } = parseFieldSelector(text);
    return new Map(
      requirements
        .filter(({ operator }) => operator === "=")
        .map(({ field, value }) => [field, value]),
    );
  } catch (err) {
    if (err instanceof SelectorError) return new Map();
    throw err;
  }
}

export function refusalOf(action: Action, reason: string): StatusError {
  const { user, verb, group, namespace, resource, subresource, name, path } = action;
  const because = reason === "" ? "" : `: ${reason}`;
  const who = `User ${JSON.stringify(user.name)} cannot ${verb}`;
  if (!action.isResource) {
    return new StatusError({
      code: 403,
      reason: "Forbidden",
      message: `forbidden: ${who} path ${JSON.stringify(path)}${because}`,
      details: {},
    });
  }
  const full = subresource === "" ? resource : `${resource}/${subresource}`;
  const where =
    namespace === "" ? "at the cluster scope" : `in the namespace ${JSON.stringify(namespace)}`;
  return forbidden(
    { group, resource, kind: resource },
    name,
    `${who} resource ${JSON.stringify(full)} in API group ${JSON.stringify(group)} ${where}${because}`,
  );
}
