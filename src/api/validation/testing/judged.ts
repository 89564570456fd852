// Objects for tests: written as JSON, decoded and defaulted as the server does it, and judged. Errors are told as the
// message of a Status has them, because that is what people read.

import { decodeObject } from "../../decode.ts";
import { setPodDefaults } from "../../defaults/pod.ts";
import { applyTableDefaults } from "../../defaults/table-defaults.ts";
import type { JsonObject, JsonValue } from "../../json.ts";
import { kindOf } from "../../kinds.ts";
import type { TypeSchema } from "../../schema/schema.ts";
import type { Pod } from "../../types.ts";
import type { FieldError } from "../field-error.ts";
import { validatePod } from "../pod.ts";

export function told(errors: readonly FieldError[]): string[] {
  return errors.map(({ field, message }) => `${field}: ${message}`);
}

export function tableOf(apiVersion: string, kind: string): TypeSchema {
  const schema = kindOf(apiVersion, kind)?.schema;
  if (schema === undefined) throw new Error(`No table of ${apiVersion} ${kind}`);
  return schema;
}

/** As decoded, without defaults. */
export function decoded<T>(apiVersion: string, kind: string, value: JsonValue): T {
  return decodeObject(tableOf(apiVersion, kind), value).object as unknown as T;
}

/** A pod with one container, with defaults; `spec` is laid over it. */
export function podOf(spec: JsonObject = {}, metadata: JsonObject = {}): Pod {
  const pod = decoded<Pod>("v1", "Pod", {
    metadata: { name: "p", namespace: "default", ...metadata },
    spec: { containers: [{ name: "c", image: "nginx" }], ...spec },
  });
  setPodDefaults(pod);
  applyTableDefaults(tableOf("v1", "Pod"), pod as unknown as JsonObject);
  return pod;
}

/** What is wrong with a pod that has this in its spec. */
export function podErrors(spec: JsonObject, metadata: JsonObject = {}): string[] {
  return told(validatePod(podOf(spec, metadata)));
}

/** What is wrong with a pod whose container has this; paths begin after the container. */
export function containerErrors(container: JsonObject, spec: JsonObject = {}): string[] {
  const errors = podErrors({ ...spec, containers: [{ name: "c", image: "nginx", ...container }] });
  return errors.map((error) => error.replace("spec.containers[0].", ""));
}
