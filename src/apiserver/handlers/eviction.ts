// Eviction: a polite deletion, refused while a disruption budget says that too few pods would be left.

import { kindOf, typeOf } from "../../api/kinds.ts";
import type { ApiObject } from "../../api/object.ts";
import { labelSelectorOf } from "../../api/selectors/label-selector.ts";
import { notFound, StatusError, tooManyRequests } from "../../api/status-error.ts";
import type { PodDisruptionBudget, DeleteOptions as RawDeleteOptions } from "../../api/types.ts";
import { type Answer, successAnswer } from "../http/answer.ts";
import { readBody } from "../http/read-body.ts";
import { named } from "../registry/resource.ts";
import type { RequestContext } from "./context.ts";
import { decodeBody, type ExpectedKind } from "./decode-body.ts";
import { deleted } from "./delete.ts";
import { readObject } from "./get.ts";
import { writeOptions } from "./write-options.ts";

export async function evictPod(context: RequestContext): Promise<Answer> {
  const { request, info, warnings, resource } = context;
  const options = writeOptions(context, "CreateOptions");
  const eviction = decodeBody(await readBody(request), {
    contentType: request.headers["content-type"],
    expected: expectedEviction(),
    fieldValidation: options.fieldValidation,
    warnings,
  });
  const pod = (await readObject(context)).object;
  if (pod.metadata.name !== info.name) throw notFound(named(resource), info.name);
  const wanted = (eviction["deleteOptions"] ?? {}) as RawDeleteOptions;
  if (pod.metadata.deletionTimestamp === undefined) refuseIfBudgeted(context, pod);
  const { uid, resourceVersion } = wanted.preconditions ?? {};
  await deleted(context, info.name, {
    isDryRun: options.isDryRun || (wanted.dryRun ?? []).length > 0,
    gracePeriodSeconds: wanted.gracePeriodSeconds,
    propagation: undefined,
    preconditions: {
      ...(uid !== undefined && { uid }),
      ...(resourceVersion !== undefined && { resourceVersion }),
    },
  });
  return successAnswer(201);
}

function expectedEviction(): ExpectedKind {
  const schema = kindOf("policy/v1", "Eviction")?.schema ?? typeOf("policy/v1", "Eviction");
  if (schema === undefined) throw new Error("Cannot evict: the tables lack Eviction");
  return { group: "policy", version: "v1", kind: "Eviction", schema };
}

/** Pods that are not running count for nothing, and can always go. */
function refuseIfBudgeted({ parts, info }: RequestContext, pod: ApiObject): void {
  const phase = (pod["status"] as { readonly phase?: string } | undefined)?.phase;
  if (phase === "Succeeded" || phase === "Failed" || phase === "Pending") return;
  const budgets = parts.resource("policy", "v1", "poddisruptionbudgets");
  const matching = [...(budgets?.cache.list(`${info.namespace}/`) ?? [])]
    .map(({ object }) => object as ApiObject & PodDisruptionBudget)
    .filter(({ spec }) => labelSelectorOf(spec.selector).matches(pod.metadata.labels));
  if (matching.length > 1) {
    throw new StatusError({
      code: 500,
      reason: "InternalError",
      message:
        "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.",
    });
  }
  const [budget] = matching;
  if (budget === undefined || budget.status.disruptionsAllowed > 0) return;
  const name = budget.metadata.name ?? "";
  const { currentHealthy, desiredHealthy } = budget.status;
  const refusal = tooManyRequests(
    "Cannot evict pod as it would violate the pod's disruption budget.",
    0,
  );
  throw new StatusError({
    code: refusal.code,
    reason: refusal.reason,
    message: refusal.message,
    details: {
      causes: [
        {
          reason: "DisruptionBudget",
          message: `The disruption budget ${name} needs ${desiredHealthy} healthy pods and has ${currentHealthy} currently`,
        },
      ],
    },
  });
}
