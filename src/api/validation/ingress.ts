// What an Ingress may look like.

import type {
  HTTPIngressPath,
  Ingress,
  IngressBackend,
  IngressRule,
  IngressServiceBackend,
  IngressSpec,
  IngressTLS,
  TypedLocalObjectReference,
} from "../types.ts";
import { type FieldError, invalid, notSupported, required } from "./field-error.ts";
import { FieldPath } from "./field-path.ts";
import { parseIp, validateIp } from "./ip-address.ts";
import {
  dns1123Label,
  dns1123Subdomain,
  nameIsDnsSubdomain,
  nameIsPathSegment,
  portName,
  portNumber,
  wildcardDns1123Subdomain,
} from "./names.ts";
import { validateObjectMeta, validateObjectMetaUpdate } from "./object-meta.ts";
import { validateHostname } from "./service.ts";

interface Tolerance {
  readonly secretNames: boolean;
  readonly wildcardRules: boolean;
}

export const ingressClassAnnotation = "kubernetes.io/ingress.class";

const specPath = FieldPath.of("spec");
const pathTypes = ["Exact", "ImplementationSpecific", "Prefix"];
const badSequences = ["//", "/./", "/../", "%2f", "%2F"];
const badEnds = ["/..", "/."];

export function validateIngress(ingress: Ingress): FieldError[] {
  const errors = validateFields(ingress, { secretNames: false, wildcardRules: false });
  const annotation = ingress.metadata.annotations?.[ingressClassAnnotation];
  const { ingressClassName } = ingress.spec;
  if (annotation === undefined || ingressClassName === undefined) return errors;
  if (annotation === ingressClassName) return errors;
  const at = FieldPath.of("annotations", ingressClassAnnotation);
  return [
    ...errors,
    invalid(at, annotation, "must match `ingressClassName` when both are specified"),
  ];
}

export function validateIngressUpdate(ingress: Ingress, old: Ingress): FieldError[] {
  const tolerance = {
    secretNames: (old.spec.tls ?? []).some(({ secretName = "" }) => !isSecretName(secretName)),
    wildcardRules: (old.spec.rules ?? []).some(
      (rule) => rule.host?.includes("*") === true && validateRuleValue(rule, specPath).length > 0,
    ),
  };
  return [
    ...validateObjectMetaUpdate(ingress.metadata, old.metadata),
    ...validateFields(ingress, tolerance),
  ];
}

export function validateIngressStatusUpdate(ingress: Ingress, old: Ingress): FieldError[] {
  const known = (old.status.loadBalancer.ingress ?? []).map(({ ip = "" }) => ip);
  const path = FieldPath.of("status", "loadBalancer", "ingress");
  return [
    ...validateObjectMetaUpdate(ingress.metadata, old.metadata),
    ...(ingress.status.loadBalancer.ingress ?? []).flatMap(({ ip = "", hostname = "" }, i) => [
      ...(ip === "" ? [] : validateIp(path.index(i).child("ip"), ip, known)),
      ...validateHostname(hostname, path.index(i).child("hostname")),
    ]),
  ];
}

function validateFields({ metadata, spec }: Ingress, tolerance: Tolerance): FieldError[] {
  return [
    ...validateObjectMeta(metadata, { namespaced: true, name: nameIsDnsSubdomain }),
    ...validateSpec(spec, tolerance),
  ];
}

function validateSpec(spec: IngressSpec, tolerance: Tolerance): FieldError[] {
  const { defaultBackend, ingressClassName } = spec;
  const rules = spec.rules ?? [];
  const errors: FieldError[] = [];
  if (rules.length === 0 && defaultBackend === undefined) {
    const text = "either `defaultBackend` or `rules` must be specified";
    errors.push(invalid(specPath, spec.rules ?? null, text));
  }
  if (defaultBackend !== undefined) {
    errors.push(...validateBackend(defaultBackend, specPath.child("defaultBackend")));
  }
  errors.push(
    ...rules.flatMap((rule, i) => validateRule(rule, tolerance, specPath.child("rules").index(i))),
    ...(spec.tls ?? []).flatMap((tls, i) =>
      validateTls(tls, tolerance, specPath.child("tls").index(i)),
    ),
  );
  if (ingressClassName === undefined) return errors;
  const at = specPath.child("ingressClassName");
  const texts = nameIsDnsSubdomain(ingressClassName, false);
  return [...errors, ...texts.map((text) => invalid(at, ingressClassName, text))];
}

function validateTls(
  { hosts, secretName = "" }: IngressTLS,
  tolerance: Tolerance,
  path: FieldPath,
): FieldError[] {
  const errors = (hosts ?? []).flatMap((host, i) =>
    hostErrors(host).map((text) => invalid(path.child("hosts").index(i), host, text)),
  );
  if (tolerance.secretNames || isSecretName(secretName)) return errors;
  const texts = nameIsDnsSubdomain(secretName, false);
  return [...errors, ...texts.map((text) => invalid(path.child("secretName"), secretName, text))];
}

function isSecretName(name: string): boolean {
  return name === "" || nameIsDnsSubdomain(name, false).length === 0;
}

function validateRule(rule: IngressRule, tolerance: Tolerance, path: FieldPath): FieldError[] {
  const { host = "" } = rule;
  const errors: FieldError[] = [];
  if (host !== "") {
    const at = path.child("host");
    if (parseIp(host) !== undefined) {
      errors.push(invalid(at, host, "must be a DNS name, not an IP address"));
    }
    errors.push(...hostErrors(host).map((text) => invalid(at, host, text)));
  }
  if (host.includes("*") && tolerance.wildcardRules) return errors;
  return [...errors, ...validateRuleValue(rule, path)];
}

function hostErrors(host: string): readonly string[] {
  return host.includes("*") ? wildcardDns1123Subdomain(host) : dns1123Subdomain(host);
}

function validateRuleValue({ http }: IngressRule, path: FieldPath): FieldError[] {
  if (http === undefined) return [];
  const at = path.child("http", "paths");
  const paths = http.paths ?? [];
  if (paths.length === 0) return [required(at)];
  return paths.flatMap((each, i) => validatePath(each, at.index(i)));
}

function validatePath(
  { path: url = "", pathType, backend }: HTTPIngressPath,
  path: FieldPath,
): FieldError[] {
  if (pathType === undefined || pathType === null) {
    return [required(path.child("pathType"), "pathType must be specified")];
  }
  const at = path.child("path");
  const errors: FieldError[] = [];
  if (!pathTypes.includes(pathType)) {
    errors.push(notSupported(path.child("pathType"), pathType, pathTypes));
  } else if (!url.startsWith("/") && (url !== "" || pathType !== "ImplementationSpecific")) {
    errors.push(invalid(at, url, "must be an absolute path"));
  }
  if (pathType === "Exact" || pathType === "Prefix") {
    for (const part of badSequences.filter((bad) => url.includes(bad))) {
      errors.push(invalid(at, url, `must not contain '${part}'`));
    }
    for (const end of badEnds.filter((bad) => url.endsWith(bad))) {
      errors.push(invalid(at, url, `cannot end with '${end}'`));
    }
  }
  return [...errors, ...validateBackend(backend, path.child("backend"))];
}

function validateBackend({ service, resource }: IngressBackend, path: FieldPath): FieldError[] {
  if (service !== undefined && resource !== undefined) {
    return [invalid(path, "", "cannot set both resource and service backends")];
  }
  if (resource !== undefined) return validateReference(resource, path.child("resource"));
  if (service !== undefined) return validateServiceBackend(service, path);
  return [invalid(path, "", "resource or service backend is required")];
}

function validateServiceBackend(
  { name, port }: IngressServiceBackend,
  path: FieldPath,
): FieldError[] {
  const at = path.child("service");
  const errors =
    name === ""
      ? [required(at.child("name"))]
      : dns1123Label(name).map((text) => invalid(at.child("name"), name, text));
  const { name: named = "", number = 0 } = port;
  if (named !== "" && number !== 0) {
    return [...errors, invalid(path, "", "cannot set both port name & port number")];
  }
  if (named === "" && number === 0) {
    return [...errors, required(path, "port name or number is required")];
  }
  const value = named === "" ? number : named;
  const texts = typeof value === "number" ? portNumber(value) : portName(value);
  const of = at.child("port", typeof value === "number" ? "number" : "name");
  return [...errors, ...texts.map((text) => invalid(of, value, text))];
}

function validateReference(
  { apiGroup, kind, name }: TypedLocalObjectReference,
  path: FieldPath,
): FieldError[] {
  const errors = (
    apiGroup === undefined || apiGroup === null ? [] : dns1123Subdomain(apiGroup)
  ).map((text) => invalid(path.child("apiGroup"), apiGroup, text));
  for (const [field, value] of Object.entries({ kind, name })) {
    if (value === "") errors.push(required(path.child(field)));
    else {
      for (const text of nameIsPathSegment(value, false)) {
        errors.push(invalid(path.child(field), value, text));
      }
    }
  }
  return errors;
}
