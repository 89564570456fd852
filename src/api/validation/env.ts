// Environment variables of a container, and the references to fields, resources and keys that they (and volumes) use.

import { parseQuantity } from "../quantity.ts";
import type {
  EnvFromSource,
  EnvVar,
  FileKeySelector,
  ObjectFieldSelector,
  ResourceFieldSelector,
} from "../types.ts";
import { entry, isAbsent, list, text } from "./absent.ts";
import { type FieldError, invalid, invalids, notSupported, required } from "./field-error.ts";
import type { FieldPath } from "./field-path.ts";
import {
  configMapKey,
  dns1123Label,
  envVarName,
  nameIsDnsSubdomain,
  qualifiedName,
} from "./names.ts";
import { validateNoBacksteps } from "./path-rules.ts";

const envFields = [
  "metadata.name",
  "metadata.namespace",
  "metadata.uid",
  "spec.nodeName",
  "spec.serviceAccountName",
  "status.hostIP",
  "status.hostIPs",
  "status.podIP",
  "status.podIPs",
];
const volumeFields = [
  "metadata.annotations",
  "metadata.labels",
  "metadata.name",
  "metadata.namespace",
  "metadata.uid",
];
/** Fields of a pod that the API knows by name, whether or not they can be used here. */
const podFields: ReadonlySet<string> = new Set([
  ...envFields,
  ...volumeFields,
  "spec.restartPolicy",
  "spec.schedulerName",
  "status.phase",
  "spec.host",
]);
const resourceFields = [
  "limits.cpu",
  "limits.ephemeral-storage",
  "limits.memory",
  "requests.cpu",
  "requests.ephemeral-storage",
  "requests.memory",
];
const byteDivisors: ReadonlySet<string> = new Set(
  "1 1k 1M 1G 1T 1P 1E 1Ki 1Mi 1Gi 1Ti 1Pi 1Ei".split(" "),
);

const byteResources = { memory: "memory", "ephemeral-storage": "local ephemeral storage" };

export function validateEnv(
  variables: readonly EnvVar[] | null | undefined,
  path: FieldPath,
): FieldError[] {
  return list(variables).flatMap((variable, i) => {
    const at = path.index(i);
    const name = at.child("name");
    const errors =
      variable.name === ""
        ? [required(name)]
        : invalids(name, variable.name, envVarName(variable.name));
    return [...errors, ...validateValueFrom(variable, at.child("valueFrom"))];
  });
}

export function validateEnvFrom(
  sources: readonly EnvFromSource[] | null | undefined,
  path: FieldPath,
): FieldError[] {
  return list(sources).flatMap((source, i) => {
    const at = path.index(i);
    const prefix = text(source.prefix);
    const errors = prefix === "" ? [] : invalids(at.child("prefix"), prefix, envVarName(prefix));
    let sources = 0;
    for (const kind of ["configMapRef", "secretRef"] as const) {
      const reference = source[kind];
      if (isAbsent(reference)) continue;
      sources++;
      errors.push(...validateSourceName(text(reference.name), at.child(kind, "name")));
    }
    if (sources === 0) {
      errors.push(invalid(path, "", "must specify one of: `configMapRef` or `secretRef`"));
    } else if (sources > 1) {
      errors.push(invalid(path, "", "may not have more than one field specified at a time"));
    }
    return errors;
  });
}

/** A field of the pod, for a variable or for a file. */
export function validateFieldRef(
  reference: ObjectFieldSelector,
  use: "env" | "volume",
  path: FieldPath,
): FieldError[] {
  const { fieldPath } = reference;
  const apiVersion = text(reference.apiVersion);
  if (apiVersion === "") return [required(path.child("apiVersion"))];
  if (fieldPath === "") return [required(path.child("fieldPath"))];
  const { field: map, key } = subscripted(fieldPath);
  const problem = fieldProblem(apiVersion, fieldPath, map);
  if (problem !== undefined) {
    const detail = `error converting fieldPath: ${problem}`;
    return [invalid(path.child("fieldPath"), fieldPath, detail)];
  }
  if (key !== undefined) {
    const name = map === "metadata.annotations" ? key.toLowerCase() : key;
    return invalids(path, name, qualifiedName(name));
  }
  const field = fieldPath === "spec.host" ? "spec.nodeName" : fieldPath;
  const supported = use === "env" ? envFields : volumeFields;
  if (supported.includes(field)) return [];
  return [notSupported(path.child("fieldPath"), field, supported)];
}

/** A resource of a container. A file has to say of which container. */
export function validateResourceFieldRef(
  reference: ResourceFieldSelector,
  use: "env" | "volume",
  path: FieldPath,
): FieldError[] {
  const { resource } = reference;
  const errors: FieldError[] = [];
  if (use === "volume" && text(reference.containerName) === "") {
    errors.push(required(path.child("containerName")));
  } else if (resource === "") {
    errors.push(required(path.child("resource")));
  } else if (!resourceFields.includes(resource) && !isHugePages(resource)) {
    errors.push(notSupported(path.child("resource"), resource, resourceFields));
  }
  return [...errors, ...validateDivisor(resource, text(reference.divisor), path)];
}

function validateValueFrom(variable: EnvVar, path: FieldPath): FieldError[] {
  const from = variable.valueFrom;
  if (isAbsent(from)) return [];
  const errors: FieldError[] = [];
  let sources = 0;
  if (!isAbsent(from.fieldRef)) {
    sources++;
    errors.push(...validateFieldRef(from.fieldRef, "env", path.child("fieldRef")));
  }
  if (!isAbsent(from.resourceFieldRef)) {
    sources++;
    const at = path.child("resourceFieldRef");
    errors.push(...validateResourceFieldRef(from.resourceFieldRef, "env", at));
  }
  for (const kind of ["configMapKeyRef", "secretKeyRef"] as const) {
    const reference = from[kind];
    if (isAbsent(reference)) continue;
    sources++;
    errors.push(...validateKeyRef(text(reference.name), reference.key, path.child(kind)));
  }
  if (!isAbsent(from.fileKeyRef)) {
    sources++;
    errors.push(...validateFileKeyRef(from.fileKeyRef, path.child("fileKeyRef")));
  }
  const problem = sourcesProblem(sources, text(variable.value));
  if (problem !== undefined) errors.push(invalid(path, "", problem));
  return errors;
}

function sourcesProblem(sources: number, value: string): string | undefined {
  if (sources === 0) {
    return "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`";
  }
  if (value !== "") return "may not be specified when `value` is not empty";
  return sources > 1 ? "may not have more than one field specified at a time" : undefined;
}

/** `metadata.labels['a']` in its two parts, split at the first bracket as the original does. */
function subscripted(fieldPath: string): { readonly field?: string; readonly key?: string } {
  const open = fieldPath.indexOf("['");
  if (open < 1 || !fieldPath.endsWith("']") || open + 4 > fieldPath.length) return {};
  return { field: fieldPath.slice(0, open), key: fieldPath.slice(open + 2, -2) };
}

function fieldProblem(
  apiVersion: string,
  fieldPath: string,
  map: string | undefined,
): string | undefined {
  if (apiVersion !== "v1") return `unsupported pod version: ${apiVersion}`;
  if (map !== undefined) {
    if (map === "metadata.annotations" || map === "metadata.labels") return undefined;
    return `field label does not support subscript: ${fieldPath}`;
  }
  return podFields.has(fieldPath) ? undefined : `field label not supported: ${fieldPath}`;
}

function validateKeyRef(name: string, key: string, path: FieldPath): FieldError[] {
  const errors = invalids(path.child("name"), name, nameIsDnsSubdomain(name, false));
  if (key === "") return [...errors, required(path.child("key"))];
  return [...errors, ...invalids(path.child("key"), key, configMapKey(key))];
}

function validateFileKeyRef(reference: FileKeySelector, path: FieldPath): FieldError[] {
  const { key, volumeName, path: file } = reference;
  return [
    ...(key === ""
      ? [required(path.child("key"))]
      : invalids(path.child("key"), key, envVarName(key))),
    ...(volumeName === ""
      ? [required(path.child("volumeName"))]
      : invalids(path.child("volumeName"), volumeName, dns1123Label(volumeName))),
    ...(file === ""
      ? [required(path.child("path"))]
      : validateNoBacksteps(file, path.child("path"))),
  ];
}

function validateSourceName(name: string, path: FieldPath): FieldError[] {
  return name === "" ? [required(path)] : invalids(path, name, nameIsDnsSubdomain(name, true));
}

function validateDivisor(resource: string, divisor: string, path: FieldPath): FieldError[] {
  if (divisor === "" || parseQuantity(divisor).sign() === 0) return [];
  const of = resource.replace(/^(limits|requests)\./, "");
  const at = path.child("divisor");
  if (of === "cpu") {
    if (divisor === "1" || divisor === "1m") return [];
    const detail = "only divisor's values 1m and 1 are supported with the cpu resource";
    return [invalid(at, resource, detail)];
  }
  const named = entry(byteResources, of);
  const what = named ?? (isHugePages(resource) ? "hugepages" : undefined);
  if (what === undefined || byteDivisors.has(divisor)) return [];
  const values = [...byteDivisors].join(", ");
  const detail = `only divisor's values ${values} are supported with the ${what} resource`;
  return [invalid(at, resource, detail)];
}

function isHugePages(resource: string): boolean {
  return resource.startsWith("limits.hugepages-") || resource.startsWith("requests.hugepages-");
}
