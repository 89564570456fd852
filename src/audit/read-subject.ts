// From a JSON value, as somebody wrote it or a server sent it, to a subject with its kind's types; and what is wrong with it as it is.

import { decodeObject } from "../api/decode.ts";
import { DecodeError } from "../api/decode-error.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../api/json.ts";
import { kindOf } from "../api/kinds.ts";
import type { TypeSchema } from "../api/schema/schema.ts";
import type { ObjectMeta } from "../api/types.ts";
import { type Finding, found, pathText } from "./finding.ts";
import { fitToSchema, type Misfit } from "./fit-to-schema.ts";
import type { SourcePlace, Subject } from "./subject.ts";

export interface ReadSubject {
  readonly subject: Subject;
  readonly findings: readonly Finding[];
}

export interface WrittenAs {
  readonly isJson: boolean;
  readonly source?: SourcePlace;
}

const KINDS: ReadonlySet<string> = new Set([
  ...["ConfigMap", "Secret", "Pod", "PodTemplate", "ReplicationController"],
  ...["Deployment", "StatefulSet", "DaemonSet", "ReplicaSet", "Job", "CronJob"],
]);

/** Undefined for what has neither configuration nor pods in it. */
export function readSubject(value: JsonValue, as: WrittenAs): ReadSubject | undefined {
  if (!isJsonObject(value) || typeof value["kind"] !== "string") return undefined;
  const apiVersion = typeof value["apiVersion"] === "string" ? value["apiVersion"] : "";
  const kind = KINDS.has(value["kind"]) ? kindOf(apiVersion, value["kind"]) : undefined;
  if (kind !== undefined) return readAs(kind.schema, value, as);
  return hasTemplate(value) ? readForeign(value, as) : undefined;
}

function readAs(schema: TypeSchema, value: JsonObject, as: WrittenAs): ReadSubject {
  const { value: fitted, misfits } = fitToSchema(schema, value);
  try {
    const { object } = decodeObject(schema, fitted);
    const subject = subjectOf(object, as);
    return { subject, findings: misfits.map((one) => told(subject, one)) };
  } catch (err) {
    if (!(err instanceof DecodeError)) throw err;
    // Nothing of it is judged any further.
    const subject = subjectOf({ kind: value["kind"], metadata: {} }, as);
    return { subject, findings: [found("unreadable", { subject, path: [] }, err.message)] };
  }
}

/** Kinds of others with pods in the usual place: Rollouts, CloneSets and such. What does not fit is their own business. */
function readForeign(value: JsonObject, as: WrittenAs): ReadSubject | undefined {
  const deployment = kindOf("apps/v1", "Deployment");
  if (deployment === undefined) return undefined;
  const { metadata, spec } = value;
  const kind = typeof value["kind"] === "string" ? value["kind"] : "";
  const { template } = isJsonObject(spec) ? spec : {};
  const { subject } = readAs(deployment.schema, { metadata, spec: { template } }, as);
  return { subject: { ...subject, kind }, findings: [] };
}

function hasTemplate({ spec }: JsonObject): boolean {
  const template = isJsonObject(spec) ? spec["template"] : undefined;
  const pod = isJsonObject(template) ? template["spec"] : undefined;
  return isJsonObject(pod) && Array.isArray(pod["containers"]);
}

function subjectOf(object: JsonObject, { isJson, source }: WrittenAs): Subject {
  const metadata = (object["metadata"] ?? {}) as ObjectMeta;
  const { namespace, name, generateName } = metadata;
  return {
    kind: typeof object["kind"] === "string" ? object["kind"] : "",
    namespace: namespace ?? "",
    name: name ?? generateName ?? "",
    metadata,
    object,
    isJson,
    ...(source && { source }),
  };
}

function told(subject: Subject, { path, problem, message }: Misfit): Finding {
  const fix = problem === "not-a-string" ? ({ type: "quote" } as const) : undefined;
  return found(problem, { subject, path }, `${pathText(path)}: ${message}.`, { fix });
}
