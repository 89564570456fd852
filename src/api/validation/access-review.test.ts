import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { LocalSubjectAccessReview, SubjectAccessReview } from "../types.ts";
import {
  validateLocalSubjectAccessReview,
  validateSelfSubjectAccessReview,
  validateSubjectAccessReview,
} from "./access-review.ts";
import type { FieldError } from "./field-error.ts";

const one = "exactly one of nonResourceAttributes or resourceAttributes must be specified";

function texts(errors: readonly FieldError[]): string[] {
  return errors.map(({ field, message }) => `${field}: ${message}`);
}

function review(
  spec: Partial<SubjectAccessReview["spec"]>,
  metadata: SubjectAccessReview["metadata"] = {},
): SubjectAccessReview {
  return { metadata, spec: { user: "u", ...spec }, status: { allowed: false } };
}

describe("access reviews", () => {
  it("ask about one thing", () => {
    const resourceAttributes = { verb: "get" };
    const nonResourceAttributes = { path: "/x", verb: "get" };
    assert.deepEqual(texts(validateSubjectAccessReview(review({ resourceAttributes }))), []);
    assert.deepEqual(texts(validateSubjectAccessReview(review({}))), [
      `spec: Invalid value: null: ${one}`,
    ]);
    const both = review({ resourceAttributes, nonResourceAttributes });
    assert.deepEqual(texts(validateSubjectAccessReview(both)), [
      `spec: Invalid value: {"Path":"/x","Verb":"get"}: ${one}`,
    ]);
  });

  it("ask about somebody, unless it is oneself", () => {
    const { metadata, spec, status } = review({ resourceAttributes: {} });
    const { user: _, ...nobody } = spec;
    const question = { metadata, spec: nobody, status };
    assert.deepEqual(texts(validateSubjectAccessReview(question)), [
      'spec.user: Invalid value: "": at least one of user or group must be specified',
    ]);
    assert.deepEqual(texts(validateSelfSubjectAccessReview(question)), []);
  });

  it("have no metadata", () => {
    const named = review({ resourceAttributes: {} }, { name: "x" });
    assert.deepEqual(texts(validateSubjectAccessReview(named)), [
      'metadata: Invalid value: {"name":"x"}: must be empty',
    ]);
  });

  it("say what they select by", () => {
    const path = "spec.resourceAttributes";
    const resourceAttributes = {
      fieldSelector: { rawSelector: "a=b", requirements: [{ key: "", operator: "In" }] },
      labelSelector: {},
    };
    assert.deepEqual(texts(validateSubjectAccessReview(review({ resourceAttributes }))), [
      `${path}.fieldSelector.rawSelector: Invalid value: "a=b": may not specified at the same time as requirements`,
      `${path}.fieldSelector.requirements[0].key: Required value: must be specified`,
      `${path}.fieldSelector.requirements[0].values: Required value: must be specified when \`operator\` is 'In' or 'NotIn'`,
      `${path}.labelSelector.requirements: Required value: when ${path}.labelSelector is specified, requirements or rawSelector is required`,
    ]);
  });

  it("let operators pass that are not known yet", () => {
    const labelSelector = { requirements: [{ key: "a", operator: "Newer" }] };
    const question = review({ resourceAttributes: { labelSelector } });
    assert.deepEqual(texts(validateSubjectAccessReview(question)), []);
  });

  it("stay in their namespace if they are local", () => {
    const local = (namespace: string): LocalSubjectAccessReview =>
      review({ resourceAttributes: { namespace } }, { namespace: "a" });
    assert.deepEqual(texts(validateLocalSubjectAccessReview(local("a"))), []);
    assert.deepEqual(texts(validateLocalSubjectAccessReview(local("b"))), [
      'spec.resourceAttributes.namespace: Invalid value: "b": must match metadata.namespace',
    ]);
    const server = review({ nonResourceAttributes: { path: "/x" } }, { namespace: "a" });
    assert.deepEqual(texts(validateLocalSubjectAccessReview(server)), [
      'spec.nonResourceAttributes: Invalid value: {"Path":"/x","Verb":""}: disallowed on this kind of request',
    ]);
  });
});
