// The scale subresource: how many, seen and set without knowing the kind. A write of the Scale is an update of the
// object's replicas, and of their ownership.

import { parentManagedFields, scaleManagedFields } from "../../api/apply/scale-fields.ts";
import { apiVersionOf, type Kind } from "../../api/kind.ts";
import type { ApiObject } from "../../api/object.ts";
import { invalid as invalidStatus, unknownResource } from "../../api/status-error.ts";
import type { Scale } from "../../api/types.ts";
import { validateScale } from "../../api/validation/scale.ts";
import { type Answer, jsonAnswer } from "../http/answer.ts";
import { mediaType } from "../http/media-type.ts";
import { readBody } from "../http/read-body.ts";
import { settlePlace } from "../registry/metadata-rules.ts";
import { shownObject } from "../registry/resource.ts";
import { scaleOf, withReplicas } from "../registry/scale.ts";
import { applied } from "./apply.ts";
import type { RequestContext } from "./context.ts";
import { decodeBody } from "./decode-body.ts";
import { readObject } from "./get.ts";
import { trackedUpdate } from "./managed-fields.ts";
import { dialectOf, patcher } from "./patch.ts";
import { updated } from "./update-object.ts";
import { type WriteOptions, writeOptions } from "./write-options.ts";

export async function getScale(context: RequestContext): Promise<Answer> {
  const object = shownObject(context.resource, await readObject(context));
  return jsonAnswer(200, scaleOf(object));
}

export async function updateScale(context: RequestContext): Promise<Answer> {
  const { request, resource, info, warnings } = context;
  const options = writeOptions(context, "UpdateOptions");
  const wanted = decodeBody(await readBody(context), {
    contentType: request.headers["content-type"],
    expected: scaleKind(context),
    fieldValidation: options.fieldValidation,
    warnings,
  });
  settlePlace(resource, wanted, info);
  return writeScale(context, options, () => structuredClone(wanted));
}

export async function patchScale(context: RequestContext): Promise<Answer> {
  const { request } = context;
  const dialect = dialectOf(mediaType(request.headers["content-type"] ?? "").type);
  const options = writeOptions(context, "PatchOptions");
  const body = await readBody(context);
  const inner = scaleContext(context);
  if (dialect === "apply") {
    return writeScale(context, options, applied(inner, body, options), true);
  }
  return writeScale(context, options, patcher({ context: inner, dialect, body, options }));
}

/** `make` turns the Scale as it is into the one that is wanted. */
async function writeScale(
  context: RequestContext,
  options: WriteOptions,
  make: (scale: ApiObject) => ApiObject,
  isApply = false,
): Promise<Answer> {
  const { resource } = context;
  const scaled = { apiVersion: apiVersionOf(resource.kind), path: "spec.replicas" };
  const { object, stored } = await updated(context, {
    options,
    tracksFields: true,
    produce: (shared) => {
      const live = structuredClone(shared);
      const owners = live.metadata.managedFields ?? [];
      const before = scaleWith(live, scaleManagedFields(owners, scaled));
      const after = make(before);
      const errors = validateScale(after as ApiObject & Scale);
      if (errors.length > 0) {
        throw invalidStatus(scaleNamed, after.metadata.name ?? context.info.name, errors);
      }
      const tracked = isApply
        ? after.metadata.managedFields
        : trackedUpdate(scaleContext(context), { live: before, next: after, options });
      const next = withReplicas(live, (after as ApiObject & Scale).spec.replicas ?? 0);
      const managedFields = parentManagedFields(owners, tracked ?? [], scaled);
      return {
        ...next,
        metadata: {
          ...next.metadata,
          uid: after.metadata.uid,
          resourceVersion: after.metadata.resourceVersion,
          managedFields: managedFields.length === 0 ? undefined : managedFields,
        },
      };
    },
  });
  return jsonAnswer(200, scaleOf(stored === undefined ? object : shownObject(resource, stored)));
}

const scaleNamed = { group: "autoscaling", kind: "Scale", resource: "scales" };

function scaleWith(
  object: ApiObject,
  managedFields: ApiObject["metadata"]["managedFields"],
): ApiObject {
  const scale = scaleOf(object);
  return { ...scale, metadata: { ...scale.metadata, managedFields } };
}

/** The same request, as one for the Scale alone. */
function scaleContext(context: RequestContext): RequestContext {
  const { resource } = context;
  const kind = scaleKind(context);
  const strategy = { kind, validate: () => [], validateUpdate: () => [] };
  return { ...context, resource: { ...resource, kind, strategy } };
}

function scaleKind({ resource }: RequestContext): Kind {
  const found = resource.kind.subresources.find(({ name }) => name === "scale");
  if (found === undefined) throw unknownResource();
  const { group, version, kind, schema } = found;
  return {
    group,
    version,
    kind,
    schema,
    resource: "scales",
    singular: "scale",
    shortNames: [],
    categories: [],
    namespaced: resource.kind.namespaced,
    verbs: [],
    subresources: [],
  };
}
