// A token for a service account, good for a while and for the audiences that are asked for.

import { typeOf } from "../../api/kinds.ts";
import type { ApiObject } from "../../api/object.ts";
import { conflict, invalid as invalidStatus } from "../../api/status-error.ts";
import type { TokenRequest } from "../../api/types.ts";
import { type FieldError, invalid } from "../../api/validation/field-error.ts";
import { FieldPath } from "../../api/validation/field-path.ts";
import { type Answer, jsonAnswer } from "../http/answer.ts";
import { readBody } from "../http/read-body.ts";
import { API_AUDIENCES } from "../tokens/service-account-tokens.ts";
import { admissionRequest, admitted } from "./admit.ts";
import { boundObject } from "./bound-object.ts";
import { type RequestContext, timestamp } from "./context.ts";
import { decodeBody } from "./decode-body.ts";
import { readObject } from "./get.ts";
import { trackedUpdate } from "./managed-fields.ts";
import { writeOptions } from "./write-options.ts";

const kind = { group: "authentication.k8s.io", version: "v1", kind: "TokenRequest" };
const DEFAULT_SECONDS = 3600;
const MIN_SECONDS = 600;
const MAX_SECONDS = 2 ** 32;

export async function requestToken(context: RequestContext): Promise<Answer> {
  const { parts, request, info, warnings, nowMs } = context;
  const options = writeOptions(context, "CreateOptions");
  const schema = typeOf("authentication.k8s.io/v1", "TokenRequest");
  if (schema === undefined) throw new Error("Cannot make a token: the tables lack TokenRequest");
  const asked = decodeBody(await readBody(context), {
    contentType: request.headers["content-type"],
    expected: { ...kind, schema },
    fieldValidation: options.fieldValidation,
    warnings,
  }) as ApiObject & TokenRequest;
  const seconds = asked.spec.expirationSeconds ?? DEFAULT_SECONDS;
  refuseIf(info.name, checkPlace(context, asked));
  const { object: account } = await readObject(context);
  const { uid = "" } = account.metadata;
  refuseOtherUid(info.name, asked.metadata.uid ?? "", uid);
  refuseIf("", check(seconds));
  const { isDryRun } = options;
  await admitted(context, () =>
    parts.admission.judge(
      admissionRequest(context, { operation: "CREATE", object: asked, old: account, isDryRun }),
    ),
  );
  const bound = await boundObject(context, asked.spec);
  const audiences =
    (asked.spec.audiences ?? []).length > 0 ? (asked.spec.audiences ?? []) : [...API_AUDIENCES];
  const next = { ...asked, spec: { ...asked.spec, audiences, expirationSeconds: seconds } };
  const managedFields = trackedUpdate(context, {
    live: undefined,
    next,
    options,
    kind: { ...kind, schema },
  });
  const signed = await parts.serviceAccountTokens.sign(
    { namespace: info.namespace, name: info.name, uid },
    { audiences, seconds, bound },
  );
  return jsonAnswer(201, {
    kind: kind.kind,
    apiVersion: "authentication.k8s.io/v1",
    metadata: {
      name: info.name,
      namespace: info.namespace,
      uid,
      creationTimestamp: timestamp(nowMs),
      managedFields,
    },
    spec: {
      audiences,
      expirationSeconds: seconds,
      boundObjectRef: asked.spec.boundObjectRef ?? null,
    },
    status: { token: signed.token, expirationTimestamp: timestamp(signed.expiresMs) },
  });
}

function refuseIf(name: string, errors: readonly FieldError[]): void {
  if (errors.length > 0) throw invalidStatus({ ...kind, resource: "tokenrequests" }, name, errors);
}

function checkPlace({ info }: RequestContext, { metadata }: ApiObject): readonly FieldError[] {
  const path = FieldPath.of("metadata");
  for (const field of ["name", "namespace"] as const) {
    const given = metadata[field] ?? "";
    if (given === "" || given === info[field]) continue;
    const why = `must match the service account ${field} if specified`;
    return [invalid(path.child(field), given, why)];
  }
  return [];
}

function refuseOtherUid(name: string, asked: string, uid: string): void {
  if (asked === "" || asked === uid) return;
  throw conflict(
    { ...kind, resource: kind.kind },
    name,
    `the UID in the token request (${asked}) does not match the UID of the service account (${uid})`,
  );
}

function check(seconds: number): readonly FieldError[] {
  const path = FieldPath.of("spec", "expirationSeconds");
  if (seconds < MIN_SECONDS) {
    return [invalid(path, seconds, "may not specify a duration less than 10 minutes")];
  }
  if (seconds > MAX_SECONDS) {
    return [invalid(path, seconds, "may not specify a duration larger than 2^32 seconds")];
  }
  return [];
}
