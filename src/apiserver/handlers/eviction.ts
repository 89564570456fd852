// Eviction: a polite deletion, refused while a disruption budget says that too few pods would be left.

import { kindOf, typeOf } from "../../api/kinds.ts";
import type { ApiObject } from "../../api/object.ts";
import { badRequest, StatusError } from "../../api/status-error.ts";
import type { Pod, DeleteOptions as RawDeleteOptions } from "../../api/types.ts";
import { type Answer, successAnswer } from "../http/answer.ts";
import { readBody } from "../http/read-body.ts";
import { settlePlace } from "../registry/metadata-rules.ts";
import { admissionRequest, admitted } from "./admit.ts";
import type { RequestContext } from "./context.ts";
import { decodeBody, type ExpectedKind } from "./decode-body.ts";
import { deleted } from "./delete.ts";
import { stillProcessed, takeDisruption } from "./disruption-budget.ts";
import { readObject } from "./get.ts";
import { writeOptions } from "./write-options.ts";

export async function evictPod(context: RequestContext): Promise<Answer> {
  const { request, info, warnings, resource } = context;
  const options = writeOptions(context, "CreateOptions");
  const eviction = decodeBody(await readBody(context), {
    contentType: request.headers["content-type"],
    expected: expectedEviction(),
    fieldValidation: options.fieldValidation,
    warnings,
  });
  settlePlace(resource, eviction, { namespace: info.namespace, name: "" });
  if (eviction.metadata.name !== info.name) {
    throw badRequest("name in URL does not match name in Eviction object");
  }
  const wanted = (eviction["deleteOptions"] ?? {}) as RawDeleteOptions;
  const isDryRun = options.isDryRun || (wanted.dryRun ?? []).length > 0;
  const pod = (await readObject(context)).object as ApiObject & Pod;
  await admitted(context, () =>
    context.parts.admission.judge(
      admissionRequest(context, { operation: "CREATE", object: eviction, old: pod, isDryRun }),
    ),
  );
  const uncountedBy = await takeDisruption(context, pod, isDryRun);
  await evict(context, wanted, { isDryRun, pod, uncountedBy });
  return successAnswer(201);
}

interface Seen {
  readonly isDryRun: boolean;
  readonly pod: ApiObject;
  readonly uncountedBy: string | undefined;
}

async function evict(
  context: RequestContext,
  { preconditions = {}, gracePeriodSeconds }: RawDeleteOptions,
  { isDryRun, pod, uncountedBy }: Seen,
): Promise<void> {
  const { uid } = preconditions;
  const seen = uncountedBy === undefined ? undefined : pod.metadata.resourceVersion;
  const resourceVersion = preconditions.resourceVersion ?? seen;
  try {
    await deleted(context, context.info.name, {
      isDryRun,
      gracePeriodSeconds,
      propagation: undefined,
      preconditions: {
        ...(uid !== undefined && { uid }),
        ...(resourceVersion !== undefined && { resourceVersion }),
      },
    });
  } catch (err) {
    const isOurs = uncountedBy !== undefined && preconditions.resourceVersion === undefined;
    if (!isOurs || !(err instanceof StatusError) || err.reason !== "Conflict") throw err;
    throw stillProcessed(uncountedBy);
  }
}

function expectedEviction(): ExpectedKind {
  const schema = kindOf("policy/v1", "Eviction")?.schema ?? typeOf("policy/v1", "Eviction");
  if (schema === undefined) throw new Error("Cannot evict: the tables lack Eviction");
  // kubectl drain before 1.22 sends the older one, to any server.
  const formerVersions = ["policy/v1beta1"];
  return { group: "policy", version: "v1", kind: "Eviction", schema, formerVersions };
}
