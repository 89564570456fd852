// The documents of /openapi/v3: an index, and one document for each group and version, which kubectl reads as it needs
// them. The index carries a hash of each document, so that clients can keep what they have.

import type { JsonObject } from "../json.ts";
import type { Kind } from "../kind.ts";
import { apiGroup, apiGroupList, apiResourceList, apiVersions } from "../schema/api-discovery.ts";
import { listTypeOf } from "../schema/list.ts";
import { deleteOptions } from "../schema/options.ts";
import type { TypeSchema } from "../schema/schema.ts";
import { status } from "../schema/status.ts";
import { definitionsOf, definitionsOfTypes } from "./definitions.ts";
import { documentHash } from "./document-hash.ts";
import {
  groupPath,
  type Operation,
  type Parameter,
  type PathEntry,
  pathsOf,
} from "./operations.ts";
import { patchType, referenceTo } from "./schema-document.ts";

const formats = ["application/json", "application/vnd.kubernetes.protobuf", "application/yaml"];
const streams = [
  "application/json;stream=watch",
  "application/vnd.kubernetes.protobuf;stream=watch",
];
const patchFormats = [
  "application/apply-patch+yaml",
  "application/json-patch+json",
  "application/merge-patch+json",
  "application/strategic-merge-patch+json",
];

/** What /openapi/v3 answers. Builds every document for its hash: keep the result. */
export function openApiV3Index(kinds: readonly Kind[]): JsonObject {
  const entries = documentPaths(kinds).map((path) => {
    const hash = documentHash(JSON.stringify(openApiV3At(kinds, path)));
    return [path, { serverRelativeURL: `/openapi/v3/${path}?hash=${hash}` }];
  });
  return { paths: Object.fromEntries(entries) as JsonObject };
}

/** What /openapi/v3/`path` answers: `api`, `apis`, `apis/apps`, `apis/apps/v1`, `version`. */
export function openApiV3At(kinds: readonly Kind[], path: string): JsonObject | undefined {
  if (path === "api") return discoveryDocument("/api/", apiVersions);
  if (path === "apis") return discoveryDocument("/apis/", apiGroupList);
  if (path === "version") return versionDocument();
  const kind = kinds.find((candidate) => groupPath(candidate).slice(1) === path);
  if (kind !== undefined) return openApiV3(kinds, kind.group, kind.version);
  const isGroup = kinds.some(({ group }) => group !== "" && `apis/${group}` === path);
  return isGroup ? discoveryDocument(`/${path}/`, apiGroup) : undefined;
}

/** The document of one group and version; without paths if nothing is served there. */
export function openApiV3(kinds: readonly Kind[], group: string, version: string): JsonObject {
  const served = kinds.filter((kind) => kind.group === group && kind.version === version);
  const root = `${groupPath({ group, version })}/`;
  const paths = pathsOf(served).map((entry) => [entry.path, pathItem(entry)] as const);
  return document(
    { [root]: discoveryItem(apiResourceList), ...Object.fromEntries(paths) },
    definitionsOf(served, "v3"),
  );
}

function documentPaths(kinds: readonly Kind[]): readonly string[] {
  const groups = kinds.filter(({ group }) => group !== "").map(({ group }) => `apis/${group}`);
  const versions = kinds.map((kind) => groupPath(kind).slice(1));
  return [...new Set(["api", "apis", "version", ...groups, ...versions])].sort();
}

function document(paths: JsonObject, schemas: JsonObject): JsonObject {
  return {
    openapi: "3.0.0",
    info: { title: "Kubernetes", version: "1.36" },
    paths,
    components: {
      schemas,
      securitySchemes: { BearerToken: { type: "apiKey", name: "authorization", in: "header" } },
    },
  };
}

function discoveryDocument(path: string, type: TypeSchema): JsonObject {
  return document({ [path]: discoveryItem(type) }, definitionsOfTypes([type], "v3"));
}

function discoveryItem(type: TypeSchema): JsonObject {
  const schema = referenceTo(type.name, "v3");
  return {
    get: { responses: { "200": { description: "OK", content: content(formats, schema) } } },
  };
}

function versionDocument(): JsonObject {
  const schema = { type: "object", additionalProperties: { type: "string" } };
  const answer = { description: "OK", content: content(["application/json"], schema) };
  return document({ "/version/": { get: { responses: { "200": answer } } } }, {});
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
    tags: [operation.tag],
    description: operation.about,
    operationId: operation.operationId,
    ...(operation.parameters.length > 0 && { parameters: operation.parameters.map(parameterItem) }),
    ...requestBody(operation),
    responses: responses(operation),
    "x-kubernetes-action": action,
    "x-kubernetes-group-version-kind": {
      group: target.group,
      version: target.version,
      kind: target.kind,
    },
  };
}

function requestBody({ body, target }: Operation): JsonObject {
  const types = {
    kind: target.schema.name,
    patch: patchType,
    deleteOptions: deleteOptions.name,
    none: "",
  };
  if (body === "none") return {};
  const schema = referenceTo(types[body], "v3");
  const required = body === "deleteOptions" ? {} : { required: true };
  return {
    requestBody: {
      content: content(body === "patch" ? patchFormats : ["*/*"], schema),
      ...required,
    },
  };
}

function parameterItem({ name, in: place, type, about }: Parameter): JsonObject {
  const required = place === "path" ? { required: true } : {};
  return { name, in: place, description: about, ...required, schema: { type, uniqueItems: true } };
}

function responses(operation: Operation): JsonObject {
  const { action, codes } = operation;
  const accepted = action === "list" ? [...formats, ...streams] : formats;
  const answer =
    action === "connect"
      ? content(["*/*"], { type: "string" })
      : content(accepted, referenceTo(answerType(operation).name, "v3"));
  const good = codes.map((code) => [String(code), { description: "OK", content: answer }]);
  return { ...Object.fromEntries(good), "401": { description: "Unauthorized" } } as JsonObject;
}

function answerType({ answer, target }: Operation): TypeSchema {
  if (answer === "status") return status;
  return answer === "list" ? listTypeOf(target.schema) : target.schema;
}

function content(types: readonly string[], schema: JsonObject): JsonObject {
  return Object.fromEntries(types.map((type) => [type, { schema }]));
}
