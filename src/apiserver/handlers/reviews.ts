// Questions that are asked by creating an object, and answered in it: who am I, whose token is this, may they do that.

import type { ApiObject } from "../../api/object.ts";
import { badRequest, StatusError } from "../../api/status-error.ts";
import type {
  LocalSubjectAccessReview,
  NonResourceAttributes,
  ResourceAttributes,
  SelfSubjectAccessReview,
  SelfSubjectRulesReview,
  SubjectAccessReview,
  TokenReview,
} from "../../api/types.ts";
import {
  validateLocalSubjectAccessReview,
  validateSelfSubjectAccessReview,
  validateSubjectAccessReview,
} from "../../api/validation/access-review.ts";
import type { FieldError } from "../../api/validation/field-error.ts";
import { type Action, nowhere } from "../authorization.ts";
import { type Answer, jsonAnswer } from "../http/answer.ts";
import { readBody } from "../http/read-body.ts";
import { settlePlace } from "../registry/metadata-rules.ts";
import { API_AUDIENCES } from "../tokens/service-account-tokens.ts";
import type { UserInfo } from "../user.ts";
import { type RequestContext, timestamp } from "./context.ts";
import { decodeBody } from "./decode-body.ts";
import { trackedUpdate } from "./managed-fields.ts";
import { type WriteOptions, writeOptions } from "./write-options.ts";

type Review = (context: RequestContext, asked: ApiObject) => Promise<object>;

const reviews: Readonly<Record<string, Review>> = {
  SelfSubjectReview: selfReview,
  TokenReview: tokenReview,
  SelfSubjectAccessReview: selfAccessReview,
  SubjectAccessReview: accessReview,
  LocalSubjectAccessReview: localAccessReview,
  SelfSubjectRulesReview: rulesReview,
};

/** Kinds whose objects are questions: nothing is stored. */
export function isReview(kind: string): boolean {
  return Object.hasOwn(reviews, kind);
}

export async function review(context: RequestContext): Promise<Answer> {
  const { resource, request, warnings } = context;
  const { kind } = resource.kind;
  const options = writeOptions(context, "CreateOptions");
  const asked = decodeBody(await readBody(context), {
    contentType: request.headers["content-type"],
    expected: resource.kind,
    fieldValidation: options.fieldValidation,
    warnings,
  });
  const answer = await reviews[kind]?.(context, asked);
  const metadata = await metadataOf(context, asked, options);
  return jsonAnswer(201, { kind, apiVersion: asked.apiVersion, metadata, ...answer });
}

async function metadataOf(
  context: RequestContext,
  asked: ApiObject,
  options: WriteOptions,
): Promise<object> {
  const { kind } = context.resource.kind;
  if (kind === "SelfSubjectReview") return { creationTimestamp: timestamp(context.nowMs) };
  if (kind === "SelfSubjectRulesReview") return {};
  const { status: _, ...question } = asked;
  const next: ApiObject = { ...question, metadata: asked.metadata };
  const managedFields = trackedUpdate(context, { live: undefined, next, options });
  return { ...asked.metadata, managedFields };
}

async function selfReview({ user }: RequestContext): Promise<object> {
  return { status: { userInfo: userInfo(user) } };
}

async function tokenReview({ parts }: RequestContext, asked: ApiObject): Promise<object> {
  const { spec } = asked as ApiObject & TokenReview;
  const { token = "", audiences = [] } = spec;
  if (token === "") throw badRequest("token is required for TokenReview in authentication");
  const wanted = audiences.length === 0 ? API_AUDIENCES : audiences;
  const found = await parts.tokens.authenticate(token, wanted);
  if (found === undefined) {
    return { spec, status: { user: {}, error: "invalid bearer token" } };
  }
  const { user } = found;
  const groups = [...new Set([...user.groups, "system:authenticated"])];
  return {
    spec,
    status: {
      authenticated: true,
      user: userInfo({ ...user, groups }),
      audiences: found.audiences,
    },
  };
}

async function selfAccessReview(context: RequestContext, asked: ApiObject): Promise<object> {
  const question = asked as ApiObject & SelfSubjectAccessReview;
  const { spec } = question;
  refuseIf(validateSelfSubjectAccessReview(question));
  return { spec, status: await decide(context, context.user, spec) };
}

async function accessReview(context: RequestContext, asked: ApiObject): Promise<object> {
  const question = asked as ApiObject & SubjectAccessReview;
  refuseIf(validateSubjectAccessReview(question));
  return answered(context, question);
}

async function localAccessReview(context: RequestContext, asked: ApiObject): Promise<object> {
  const question = asked as ApiObject & LocalSubjectAccessReview;
  refuseIf(validateLocalSubjectAccessReview(question));
  settlePlace(context.resource, question, { namespace: context.info.namespace, name: "" });
  if (question.spec.resourceAttributes?.namespace !== context.info.namespace) {
    throw badRequest(
      `spec.resourceAttributes.namespace must match namespace: ${context.info.namespace}`,
    );
  }
  return answered(context, question);
}

async function answered(
  context: RequestContext,
  { spec }: Pick<SubjectAccessReview, "spec">,
): Promise<object> {
  const { user = "", uid, groups = [], extra } = spec;
  const subject: UserInfo = {
    name: user,
    groups,
    ...(uid !== undefined && { uid }),
    ...(extra !== undefined && { extra: extra as Record<string, string[]> }),
  };
  return { spec, status: await decide(context, subject, spec) };
}

async function rulesReview({ parts, user }: RequestContext, asked: ApiObject): Promise<object> {
  const { spec } = asked as ApiObject & SelfSubjectRulesReview;
  const { incomplete, errors, ...rules } = await parts.authorizer.rulesFor(
    user,
    spec.namespace ?? "",
  );
  const why = [incomplete ?? [], errors ?? []].flat().join(", ");
  return {
    spec: {},
    status: {
      ...rules,
      incomplete: incomplete !== undefined,
      ...(why !== "" && { evaluationError: why }),
    },
  };
}

interface Question {
  readonly resourceAttributes?: ResourceAttributes | undefined;
  readonly nonResourceAttributes?: NonResourceAttributes | undefined;
}

async function decide(
  { parts }: RequestContext,
  user: UserInfo,
  question: Question,
): Promise<object> {
  const { verdict, reason } = await parts.authorizer.authorize(actionOf(user, question));
  return {
    allowed: verdict === "allow",
    ...(verdict === "deny" && { denied: true }),
    ...(reason !== "" && { reason }),
  };
}

function actionOf(user: UserInfo, { resourceAttributes, nonResourceAttributes }: Question): Action {
  if (resourceAttributes === undefined) {
    const { verb = "", path = "" } = nonResourceAttributes ?? {};
    return { ...nowhere, user, verb, path, isResource: false };
  }
  const { verb = "", namespace = "", group = "", version = "" } = resourceAttributes;
  const { resource = "", subresource = "", name = "" } = resourceAttributes;
  const where = { namespace, group, version, resource, subresource, name };
  return { ...where, user, verb, path: "", isResource: true };
}

function userInfo({ name, uid, groups, extra }: UserInfo): object {
  return {
    username: name,
    ...(uid !== undefined && { uid }),
    groups,
    ...(extra !== undefined && { extra }),
  };
}

/** The original forgets the kind here, and clients see it. */
function refuseIf(errors: readonly FieldError[]): void {
  if (errors.length === 0) return;
  const texts = errors.map(({ field, message }) => `${field}: ${message}`);
  const told = texts.length === 1 ? texts.join("") : `[${texts.join(", ")}]`;
  throw new StatusError({
    code: 422,
    reason: "Invalid",
    message: `.authorization.k8s.io "" is invalid: ${told}`,
    details: { group: "authorization.k8s.io", causes: errors },
  });
}
