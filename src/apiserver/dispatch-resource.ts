// From a request for a resource to its handler. Handlers know no kind by name; what is particular is in the strategy
// and in the table of subresources.

import type { Kind } from "../api/kind.ts";
import { methodNotAllowed, unknownResource } from "../api/status-error.ts";
import { bindPod } from "./handlers/binding.ts";
import type { RequestContext } from "./handlers/context.ts";
import { create } from "./handlers/create.ts";
import { deleteOne } from "./handlers/delete.ts";
import { deleteCollection } from "./handlers/delete-collection.ts";
import { get } from "./handlers/get.ts";
import { list } from "./handlers/list.ts";
import { type ListOptions, listOptions } from "./handlers/list-options.ts";
import { patch } from "./handlers/patch.ts";
import { isReview, review } from "./handlers/reviews.ts";
import { subresourceHandler } from "./handlers/subresources.ts";
import { update } from "./handlers/update.ts";
import { watch } from "./handlers/watch.ts";
import { queryBool } from "./handlers/write-options.ts";
import type { Answer } from "./http/answer.ts";
import type { ResourceRequest } from "./http/request-info.ts";

/** As rights name it. "" for a method that means nothing here. */
export function verbOf(method: string, info: ResourceRequest, query: URLSearchParams): string {
  const isObject = info.name !== "";
  switch (method) {
    case "GET":
    case "HEAD":
      if (info.isWatchPath || (!isObject && queryBool(query, "watch"))) return "watch";
      return isObject ? "get" : "list";
    case "POST":
      return "create";
    case "PUT":
      return "update";
    case "PATCH":
      return "patch";
    case "DELETE":
      return isObject ? "delete" : "deletecollection";
    default:
      return "";
  }
}

/** Undefined: the handler has answered by itself, as watches do. */
export async function dispatchResource(
  context: RequestContext,
  method: string,
): Promise<Answer | undefined> {
  const { resource, info } = context;
  const { kind } = resource;
  if (isMisplaced(kind, info)) throw unknownResource();
  if (resource.strategy.deprecation !== undefined) {
    context.warnings.push(resource.strategy.deprecation);
  }
  await resource.refresh?.();
  if (info.subresource !== "") return subresourceHandler(context, method)(context);
  return info.name === "" ? collection(context, method) : object(context, method);
}

/** Rights were asked in the namespace of the path: what lives nowhere, or elsewhere, is not reached through it. */
function isMisplaced(
  { namespaced, resource }: Kind,
  { namespace, name }: ResourceRequest,
): boolean {
  if (namespaced) return name !== "" && namespace === "";
  // The path of a namespace is both: /namespaces/NAME.
  return namespace !== "" && !(resource === "namespaces" && namespace === name);
}

async function collection(context: RequestContext, method: string): Promise<Answer | undefined> {
  const { info, query, resource } = context;
  const isEverywhere = resource.kind.namespaced && info.namespace === "";
  switch (method) {
    case "GET": {
      const options = listOptions(query, info.isWatchPath);
      refuseUnless(context, options.isWatch ? "watch" : "list");
      return listOrWatch(context, options);
    }
    case "POST":
      if (isEverywhere) throw methodNotAllowed();
      refuseUnless(context, "create");
      if (isReview(resource.kind.kind)) return review(context);
      return resource.kind.resource === "bindings" ? bindPod(context) : create(context);
    case "DELETE":
      if (isEverywhere) throw methodNotAllowed();
      refuseUnless(context, "deletecollection");
      return deleteCollection(context);
    default:
      throw methodNotAllowed();
  }
}

async function object(context: RequestContext, method: string): Promise<Answer | undefined> {
  const { info, query } = context;
  switch (method) {
    case "GET":
      if (info.isWatchPath) return listOrWatch(context, listOptions(query, true));
      refuseUnless(context, "get");
      return get(context);
    case "PUT":
      refuseUnless(context, "update");
      return update(context);
    case "PATCH":
      refuseUnless(context, "patch");
      return patch(context);
    case "DELETE":
      refuseUnless(context, "delete");
      return deleteOne(context);
    default:
      throw methodNotAllowed();
  }
}

async function listOrWatch(
  context: RequestContext,
  options: ListOptions,
): Promise<Answer | undefined> {
  if (!options.isWatch) return list(context, options);
  await watch(context, options);
  return undefined;
}

function refuseUnless({ resource }: RequestContext, verb: string): void {
  if (!resource.kind.verbs.some((offered) => offered === verb)) throw methodNotAllowed();
}
