// A container's variables, made once before it starts. (1) Variables from whole objects, (2) the container's own, which may refer to
// those before them, (3) services, which never replace anything. Unlike the original's, the order is the one of the declaration,
// and what no process can have in its environment is an error that says where it is.

import { isUtf8 } from "node:buffer";
import { expand } from "../../api/config/expansion.ts";
import { isNotFound } from "../../api/status-error.ts";
import type { EnvFromSource, EnvVar, EnvVarSource, FileKeySelector } from "../../api/types.ts";
import { compareUtf8 } from "../../base/content-version.ts";
import { envFieldValue } from "../fields/field-ref.ts";
import {
  allocatableForPod,
  containerResourceValue,
  resourceFieldValue,
} from "../fields/resource-field.ts";
import { type ConfigObject, type ObjectReference, referenceKey } from "../objects/config-object.ts";
import { EnvFileError, envFileValue, readEnvFile } from "./env-file.ts";
import type { Environment, EnvironmentSources } from "./environment.ts";
import { serviceVariables } from "./service-variables.ts";

/** Throws with the original's texts. No value is in any message. */
export async function buildEnvironment(sources: EnvironmentSources): Promise<Environment> {
  const services = variablesOfServices(sources);
  const objects = await FetchedObjects.fetch(sources);
  const inputs: Inputs = { sources, objects, services, files: new Map() };
  const variables = new Map<string, string>();
  const { envFrom, env } = sources.container;
  for (const from of envFrom ?? []) addWholeObject(from, inputs, variables); // (1)
  for (const variable of env ?? []) {
    const value = declaredValue(variable, inputs, variables); // (2)
    if (value !== undefined) variables.set(variable.name, value);
  }
  for (const [name, value] of services) {
    if (!variables.has(name)) variables.set(name, value); // (3)
  }
  return { variables, objects: objects.found };
}

interface Inputs {
  readonly sources: EnvironmentSources;
  readonly objects: FetchedObjects;
  readonly services: ReadonlyMap<string, string>;
  /** What was read of files: all variables of one file are of one reading. */
  readonly files: Map<string, Uint8Array | undefined>;
}

function variablesOfServices(sources: EnvironmentSources): ReadonlyMap<string, string> {
  const { metadata, spec } = sources.pod;
  if (spec.enableServiceLinks === undefined) {
    throw new Error("nil pod.spec.enableServiceLinks encountered, cannot construct envvars");
  }
  if (!sources.services && !sources.isStatic) {
    throw new Error("services have not yet been read at least once, cannot construct envvars");
  }
  return serviceVariables({
    services: sources.services ?? [],
    namespace: metadata.namespace ?? "",
    enableServiceLinks: spec.enableServiceLinks,
  });
}

/** The objects that a container's variables are made of: asked for once each, all at the same time. */
class FetchedObjects {
  readonly #results: ReadonlyMap<string, PromiseSettledResult<ConfigObject>>;

  private constructor(results: ReadonlyMap<string, PromiseSettledResult<ConfigObject>>) {
    this.#results = results;
  }

  static async fetch(sources: EnvironmentSources): Promise<FetchedObjects> {
    const wanted = new Map(referencesOf(sources).map((of) => [referenceKey(of), of]));
    const results = await Promise.allSettled([...wanted.values()].map((of) => sources.object(of)));
    const keys = [...wanted.keys()];
    return new FetchedObjects(new Map(results.map((result, i) => [keys[i] ?? "", result])));
  }

  /** Undefined: it is optional and not there. All other failures count, also for what is optional. */
  get(of: ObjectReference, optional: boolean | undefined): ConfigObject | undefined {
    const result = this.#results.get(referenceKey(of));
    if (result?.status === "fulfilled") return result.value;
    if (optional && isNotFound(result?.reason)) return undefined;
    throw result?.reason;
  }

  get found(): readonly ConfigObject[] {
    return [...this.#results.values()].flatMap((result) =>
      result.status === "fulfilled" ? [result.value] : [],
    );
  }
}

/** In the order of the declaration. A variable with a value does not look at its source. */
function referencesOf({ pod, container }: EnvironmentSources): readonly ObjectReference[] {
  const namespace = pod.metadata.namespace ?? "";
  const wholes = (container.envFrom ?? []).map(wholeReference);
  const singles = (container.env ?? []).map(({ value, valueFrom }) =>
    value ? undefined : keyReference(valueFrom),
  );
  return [...wholes, ...singles].flatMap((of) => (of ? [{ ...of, namespace }] : []));
}

type NamedReference = Omit<ObjectReference, "namespace"> & {
  readonly optional: boolean | undefined;
};

function wholeReference({ configMapRef, secretRef }: EnvFromSource): NamedReference | undefined {
  const ref = configMapRef ?? secretRef;
  return (
    ref && {
      kind: configMapRef ? "ConfigMap" : "Secret",
      name: ref.name ?? "",
      optional: ref.optional,
    }
  );
}

function keyReference(
  from: EnvVarSource | undefined,
): (NamedReference & { readonly key: string }) | undefined {
  if (!from || from.fieldRef || from.resourceFieldRef) return undefined;
  const ref = from.configMapKeyRef ?? from.secretKeyRef;
  return (
    ref && {
      kind: from.configMapKeyRef ? "ConfigMap" : "Secret",
      name: ref.name ?? "",
      key: ref.key,
      optional: ref.optional,
    }
  );
}

function addWholeObject(from: EnvFromSource, inputs: Inputs, variables: Map<string, string>): void {
  const ref = wholeReference(from);
  const namespace = inputs.sources.pod.metadata.namespace ?? "";
  const object = ref && inputs.objects.get({ ...ref, namespace }, ref.optional);
  if (!object) return;
  for (const key of object.textKeys.toSorted(compareUtf8)) {
    const name = `${from.prefix ?? ""}${key}`;
    variables.set(name, textOf(object, key, name));
  }
}

/** Undefined: the variable is not to be set. Only a value in the spec itself is expanded. */
function declaredValue(
  variable: EnvVar,
  inputs: Inputs,
  variables: ReadonlyMap<string, string>,
): string | undefined {
  const { name, value, valueFrom } = variable;
  if (value) {
    const known = (other: string) => variables.get(other) ?? inputs.services.get(other);
    return withoutNul(expand(value, known), name, "its own value");
  }
  return valueFrom ? sourceValue(name, valueFrom, inputs) : "";
}

function sourceValue(name: string, from: EnvVarSource, inputs: Inputs): string | undefined {
  const { fieldRef, resourceFieldRef, fileKeyRef } = from;
  if (fieldRef) {
    const { apiVersion = "v1", fieldPath } = fieldRef;
    if (apiVersion !== "v1") throw new Error(`unsupported pod version: ${apiVersion}`);
    return withoutNul(envFieldValue(inputs.sources, fieldPath), name, fieldPath);
  }
  if (resourceFieldRef) return resourceValue(resourceFieldRef, inputs);
  const key = keyReference(from);
  if (key) return keyValue(name, key, inputs);
  return fileKeyRef ? fileValue(name, fileKeyRef, inputs) : "";
}

function resourceValue(
  of: NonNullable<EnvVarSource["resourceFieldRef"]>,
  { sources: { pod, container, node } }: Inputs,
): string {
  const { containerName, resource, divisor } = of;
  const allocatable = allocatableForPod(pod, node.allocatable);
  return containerName
    ? resourceFieldValue({ pod, containerName, resource, divisor, allocatable })
    : containerResourceValue({ resources: container.resources, resource, divisor, allocatable });
}

function keyValue(
  name: string,
  of: NamedReference & { readonly key: string },
  { sources, objects }: Inputs,
): string | undefined {
  const namespace = sources.pod.metadata.namespace ?? "";
  const object = objects.get({ ...of, namespace }, of.optional);
  if (!object) return undefined;
  if (object.text(of.key) !== undefined) return textOf(object, of.key, name);
  if (of.optional) return undefined;
  // The original says the same of a key that is there, but in a form that no variable can have.
  const isBinary = object.bytes(of.key) !== undefined;
  const hint = isBinary ? ": it is in binaryData, which is for files only" : "";
  throw new Error(`couldn't find key ${of.key} in ${of.kind} ${namespace}/${of.name}${hint}`);
}

/**
 * Differs from the original in two things, both of which its API promises: an empty value is a value, and what is
 * optional may be missing with its whole file.
 */
function fileValue(name: string, of: FileKeySelector, inputs: Inputs): string | undefined {
  const { volumeName, path, key, optional } = of;
  const root = inputs.sources.volumePath(volumeName);
  if (root === undefined) {
    throw new Error(
      `cannot find the volume ${JSON.stringify(volumeName)} referenced by FileKeyRef`,
    );
  }
  const file = `${root}/${path}`;
  try {
    if (!inputs.files.has(file)) inputs.files.set(file, readEnvFile(root, path));
    const content = inputs.files.get(file);
    if (!content && !optional) throw new EnvFileError("there is no such file");
    const value = content && envFileValue(content, key);
    if (value !== undefined) {
      return withoutNul(value, name, `key ${JSON.stringify(key)} of file ${JSON.stringify(path)}`);
    }
  } catch (err) {
    if (!(err instanceof EnvFileError)) throw err;
    const where = `${JSON.stringify(path)} of volume ${JSON.stringify(volumeName)}`;
    throw new Error(`couldn't parse env file ${where}: ${err.message}`, { cause: err });
  }
  if (optional) return undefined;
  throw new Error(
    `environment variable key ${JSON.stringify(key)} not found in file ${JSON.stringify(path)}`,
  );
}

/** The original hands on what is not text, and the runtime then refuses the container without saying why. */
function textOf(object: ConfigObject, key: string, name: string): string {
  const source = `key ${JSON.stringify(key)} of ${object.kind} ${object.namespace}/${object.name}`;
  const bytes = object.bytes(key);
  if (bytes && !isUtf8(bytes)) throw unfit(name, source, "is not UTF-8 text");
  return withoutNul(object.text(key) ?? "", name, source);
}

function withoutNul(value: string, name: string, source: string): string {
  if (value.includes("\0"))
    throw unfit(name, source, "has a NUL byte in it, which no process can have in its environment");
  return value;
}

function unfit(name: string, source: string, problem: string): Error {
  return new Error(
    `Cannot set environment variable ${JSON.stringify(name)} from ${source}: the value ${problem}`,
  );
}
