// Binding: puts a pod on a node. Once; a pod that has a node keeps it.

import { kindOf, typeOf } from "../../api/kinds.ts";
import type { ApiObject } from "../../api/object.ts";
import {
  badRequest,
  conflict,
  invalid as invalidStatus,
  notFound,
} from "../../api/status-error.ts";
import type { Binding, Pod, PodCondition } from "../../api/types.ts";
import { validateBinding } from "../../api/validation/pod.ts";
import type { CachedObject } from "../cache/cached-object.ts";
import { type Answer, successAnswer } from "../http/answer.ts";
import { readBody } from "../http/read-body.ts";
import { settlePlace } from "../registry/metadata-rules.ts";
import { named, objectKey, type Resource } from "../registry/resource.ts";
import { admissionRequest, admitted } from "./admit.ts";
import { type RequestContext, timestamp } from "./context.ts";
import { decodeBody, type ExpectedKind } from "./decode-body.ts";
import { preconditionFailed } from "./update-object.ts";
import { writeOptions } from "./write-options.ts";

export async function bindPod(context: RequestContext): Promise<Answer> {
  const { parts, request, info, warnings } = context;
  const options = writeOptions(context, "CreateOptions");
  const binding = decodeBody(await readBody(context), {
    contentType: request.headers["content-type"],
    expected: expectedBinding(),
    fieldValidation: options.fieldValidation,
    warnings,
  }) as ApiObject & Binding;
  const pods = parts.resource("", "v1", "pods");
  if (pods === undefined) throw new Error("Cannot bind: pods are not served");
  settlePlace(pods, binding, { namespace: info.namespace, name: "" });
  const { name = "" } = binding.metadata;
  if (info.name !== "" && info.name !== name) {
    throw badRequest("name in URL does not match name in Binding object");
  }
  const errors = validateBinding(binding);
  if (errors.length > 0) throw invalidStatus(bindingKind, name, errors);
  const key = objectKey(pods.kind, info.namespace, name);
  const asPod = { ...context, resource: pods, info: { ...info, subresource: "binding" } };
  const decide = (current: CachedObject | undefined): { do: "write"; object: ApiObject } => {
    if (current === undefined) throw notFound(named(pods), name);
    const asked = { operation: "CREATE", object: binding, old: current.object, name } as const;
    const { isDryRun } = options;
    parts.admission.judge(admissionRequest(asPod, { ...asked, isDryRun }));
    checkPreconditions(pods, current.object, binding);
    return { do: "write", object: bound(current.object, binding, timestamp(context.nowMs)) };
  };
  await admitted(context, async () => {
    if (options.isDryRun) decide(await parts.objects.get(pods, key));
    else await parts.objects.change(pods, key, decide);
  });
  return successAnswer(201);
}

const bindingKind = { group: "", kind: "Binding", resource: "pods/binding" };

function expectedBinding(): ExpectedKind {
  const schema = kindOf("v1", "Binding")?.schema ?? typeOf("v1", "Binding");
  if (schema === undefined) throw new Error("Cannot bind: the tables lack Binding");
  return { group: "", version: "v1", kind: "Binding", schema };
}

/** A binding can be for one pod in one state, not for any of its name. */
function checkPreconditions(pods: Resource, pod: ApiObject, { metadata }: Binding): void {
  const { name = "", namespace = "" } = pod.metadata;
  const wanted = [
    ["UID", metadata.uid ?? "", pod.metadata.uid],
    ["ResourceVersion", metadata.resourceVersion ?? "", pod.metadata.resourceVersion],
  ] as const;
  for (const [field, asked, found] of wanted) {
    if (asked === "" || asked === found) continue;
    const why = `${field} in precondition: ${asked}, ${field} in object meta: ${found}`;
    throw preconditionFailed(pods, { namespace, name }, why);
  }
}

function bound(pod: ApiObject, { target, metadata }: Binding, now: string): ApiObject {
  const { name = "" } = pod.metadata;
  const { spec, status } = pod as ApiObject & Pod;
  const refuse = (why: string): Error => conflict(bindingKind, name, why);
  if (pod.metadata.deletionTimestamp !== undefined) {
    throw refuse(`pod ${name} is being deleted, cannot be assigned to a host`);
  }
  if ((spec.nodeName ?? "") !== "") {
    throw refuse(`pod ${name} is already assigned to node ${JSON.stringify(spec.nodeName)}`);
  }
  if ((spec.schedulingGates ?? []).length > 0) {
    throw refuse(`pod ${name} has non-empty .spec.schedulingGates`);
  }
  const annotations = { ...pod.metadata.annotations, ...metadata.annotations };
  const scheduled: PodCondition = {
    type: "PodScheduled",
    status: "True",
    lastProbeTime: null,
    lastTransitionTime: now,
  };
  return {
    ...pod,
    metadata: {
      ...pod.metadata,
      ...(Object.keys(annotations).length > 0 && { annotations }),
    },
    spec: { ...spec, nodeName: target.name },
    status: {
      ...status,
      conditions: [
        ...(status.conditions ?? []).filter(({ type }) => type !== "PodScheduled"),
        scheduled,
      ],
    },
  };
}
