// Who owns which field after a write: the ground between the request and src/api/apply.

import { trackUpdate } from "../../api/apply/field-manager.ts";
import { type IgnoredFields, nothingReset, resetFields } from "../../api/apply/ignored-fields.ts";
import { apiVersionOf } from "../../api/kind.ts";
import type { ApiObject } from "../../api/object.ts";
import type { ManagedFieldsEntry } from "../../api/types.ts";
import { type RequestContext, timestamp } from "./context.ts";
import type { ExpectedKind } from "./decode-body.ts";
import type { WriteOptions } from "./write-options.ts";

export interface TrackedWrite {
  readonly live: ApiObject | undefined;
  readonly next: ApiObject;
  readonly options: WriteOptions;
  /** Of what is written, if it is not the resource's own. */
  readonly kind?: ExpectedKind;
}

/** The managedFields that `next` gets. */
export function trackedUpdate(
  context: RequestContext,
  { live, next, options, kind = context.resource.kind }: TrackedWrite,
): ManagedFieldsEntry[] | undefined {
  return trackUpdate({
    type: kind.schema,
    live,
    next,
    manager: options.fieldManager,
    apiVersion: apiVersionOf(kind),
    subresource: context.info.subresource,
    now: timestamp(context.nowMs),
    ignored: ignoredBy(context),
  });
}

const statusIgnored = resetFields("status");
const specIgnored = resetFields("spec");

/** What a write through this endpoint cannot change. */
export function ignoredBy({ resource, info }: RequestContext): IgnoredFields {
  if (info.subresource === "status") return resource.strategy.ignoredByStatus ?? specIgnored;
  const hasStatus = resource.kind.subresources.some(({ name }) => name === "status");
  return hasStatus ? statusIgnored : nothingReset;
}
