// The document of /openapi/v2: every kind in one. Older kubectl reads it before each create, apply and diff; newer ones
// when there is no /openapi/v3.

import type { JsonObject } from "../json.ts";
import type { Kind } from "../kind.ts";
import { listTypeOf } from "../schema/list.ts";
import { deleteOptions } from "../schema/options.ts";
import { status } from "../schema/status.ts";
import { definitionsOf } from "./definitions.ts";
import { type Operation, type Parameter, type PathEntry, pathsOf } from "./operations.ts";
import { patchType, referenceTo } from "./schema-document.ts";

const formats = ["application/json", "application/yaml", "application/vnd.kubernetes.protobuf"];
const patchFormats = [
  "application/json-patch+json",
  "application/merge-patch+json",
  "application/strategic-merge-patch+json",
  "application/apply-patch+yaml",
];

/** `version` is what the server calls itself; nothing depends on it. */
export function openApiV2(kinds: readonly Kind[], version = "1.36"): JsonObject {
  return {
    swagger: "2.0",
    info: { title: "Kubernetes", version },
    paths: Object.fromEntries(pathsOf(kinds).map((entry) => [entry.path, pathItem(entry)])),
    definitions: definitionsOf(kinds, "v2"),
    securityDefinitions: {
      BearerToken: { type: "apiKey", name: "authorization", in: "header" },
    },
    security: [{ BearerToken: [] }],
  };
}

function pathItem({ parameters, operations }: PathEntry): JsonObject {
  return {
    ...Object.fromEntries(
      operations.map((operation) => [operation.method, operationItem(operation)]),
    ),
    parameters: parameters.map(parameterItem),
  };
}

function operationItem(operation: Operation): JsonObject {
  const { action, target } = operation;
  return {
    description: operation.about,
    consumes: operation.body === "patch" ? patchFormats : ["*/*"],
    produces: action === "list" ? [...formats, "application/json;stream=watch"] : formats,
    schemes: ["https"],
    tags: [operation.tag],
    operationId: operation.operationId,
    parameters: [...bodyParameters(operation), ...operation.parameters.map(parameterItem)],
    responses: responses(operation),
    "x-kubernetes-action": action,
    "x-kubernetes-group-version-kind": {
      group: target.group,
      kind: target.kind,
      version: target.version,
    },
  };
}

function bodyParameters({ body, target }: Operation): readonly JsonObject[] {
  const type = {
    kind: target.schema.name,
    patch: patchType,
    deleteOptions: deleteOptions.name,
    none: "",
  }[body];
  if (type === "") return [];
  const required = body === "deleteOptions" ? {} : { required: true };
  return [{ name: "body", in: "body", ...required, schema: referenceTo(type, "v2") }];
}

function parameterItem({ name, in: place, type, about }: Parameter): JsonObject {
  const required = place === "path" ? { required: true } : {};
  return { uniqueItems: true, type, description: about, name, in: place, ...required };
}

function responses(operation: Operation): JsonObject {
  const schema = answerSchema(operation);
  const good = operation.codes.map((code) => [String(code), { description: "OK", ...schema }]);
  return { ...Object.fromEntries(good), "401": { description: "Unauthorized" } } as JsonObject;
}

function answerSchema({ action, answer, target }: Operation): JsonObject {
  if (action === "connect") return { schema: { type: "string" } };
  if (answer === "status") return { schema: referenceTo(status.name, "v2") };
  const type = answer === "list" ? listTypeOf(target.schema) : target.schema;
  return { schema: referenceTo(type.name, "v2") };
}
