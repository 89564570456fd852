// Finalize: whoever cleans up a namespace lets go of it. The namespace goes when nobody holds it any more.

import type { ApiObject } from "../../api/object.ts";
import type { Namespace } from "../../api/types.ts";
import type { Answer } from "../http/answer.ts";
import { readBody } from "../http/read-body.ts";
import { settlePlace } from "../registry/metadata-rules.ts";
import type { RequestContext } from "./context.ts";
import { decodeBody } from "./decode-body.ts";
import { updateObject } from "./update-object.ts";
import { writeOptions } from "./write-options.ts";

export async function finalizeNamespace(context: RequestContext): Promise<Answer> {
  const { request, resource, info, warnings } = context;
  const options = writeOptions(context, "UpdateOptions");
  const wanted = decodeBody(await readBody(context), {
    contentType: request.headers["content-type"],
    expected: resource.kind,
    fieldValidation: options.fieldValidation,
    warnings,
  }) as ApiObject & Namespace;
  settlePlace(resource, wanted, { namespace: "", name: info.name });
  const { resourceVersion, uid = "" } = wanted.metadata;
  return updateObject(context, {
    options,
    tracksFields: true,
    isWhole: true,
    produce: (shared) => {
      const live = structuredClone(shared);
      const { spec } = live as object as Namespace;
      const { finalizers = [] } = wanted.spec;
      return {
        ...live,
        metadata: { ...live.metadata, resourceVersion, ...(uid !== "" && { uid }) },
        spec: { ...spec, finalizers: finalizers.length === 0 ? undefined : [...finalizers] },
      };
    },
  });
}
