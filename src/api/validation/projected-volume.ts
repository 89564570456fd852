// Projected volumes: several sources in one directory, no two of them at the same path.

import type {
  ClusterTrustBundleProjection,
  PodCertificateProjection,
  ServiceAccountTokenProjection,
  VolumeProjection,
} from "../types.ts";
import { isAbsent, list, text } from "./absent.ts";
import {
  type FieldError,
  forbidden,
  invalid,
  invalids,
  notSupported,
  required,
} from "./field-error.ts";
import type { FieldPath } from "./field-path.ts";
import { validateLabelSelector } from "./labels.ts";
import { nameIsDnsSubdomain } from "./names.ts";
import { validateLocalPath } from "./path-rules.ts";
import type { Leniency } from "./pod-leniency.ts";
import { isKubernetesSigner, validateSignerName } from "./signer-name.ts";
import { validateDownwardFile, validateKeyToPath } from "./volume-items.ts";

const keyTypes = ["RSA3072", "RSA4096", "ECDSAP256", "ECDSAP384", "ECDSAP521", "ED25519"];
const day = 86_400;

/** What the sources of one volume share while they are judged. */
interface Projection {
  readonly path: FieldPath;
  readonly leniency: Leniency;
  readonly taken: Set<string>;
}

export function validateProjected(
  sources: readonly VolumeProjection[],
  path: FieldPath,
  leniency: Leniency,
): FieldError[] {
  const projection = { path, leniency, taken: new Set<string>() };
  return sources.flatMap((source, i) => {
    const at = path.child("sources").index(i);
    const kinds = Object.values(source).filter((value) => !isAbsent(value)).length;
    return [
      ...validateKeyed(source, "secret", at.child("secret"), projection),
      ...validateKeyed(source, "configMap", at.child("configMap"), projection),
      ...validateDownward(source, at.child("downwardAPI"), projection),
      ...validateToken(source.serviceAccountToken, at.child("serviceAccountToken"), projection),
      ...validateBundle(source.clusterTrustBundle, at.child("clusterTrustBundle"), projection),
      ...validateCertificate(source.podCertificate, at.child("podCertificate"), projection),
      ...(kinds > 1 ? [forbidden(at, "may not specify more than 1 volume type per source")] : []),
    ];
  });
}

function validateKeyed(
  source: VolumeProjection,
  kind: "secret" | "configMap",
  path: FieldPath,
  projection: Projection,
): FieldError[] {
  const keyed = source[kind];
  if (isAbsent(keyed)) return [];
  const name = text(keyed.name);
  const errors = name === "" ? [required(path.child("name"))] : [];
  for (const [i, item] of list(keyed.items).entries()) {
    errors.push(...validateKeyToPath(item, path.child("items").index(i)));
    if (item.path !== "") errors.push(...take(projection, item.path, name));
  }
  return errors;
}

function validateDownward(
  source: VolumeProjection,
  path: FieldPath,
  projection: Projection,
): FieldError[] {
  return list(source.downwardAPI?.items).flatMap((file) => [
    ...validateDownwardFile(file, path),
    ...(file.path === "" ? [] : take(projection, file.path)),
  ]);
}

function validateToken(
  token: ServiceAccountTokenProjection | null | undefined,
  path: FieldPath,
  projection: Projection,
): FieldError[] {
  if (isAbsent(token)) return [];
  const errors: FieldError[] = [];
  const at = path.child("expirationSeconds");
  const seconds = token.expirationSeconds;
  if (isAbsent(seconds)) errors.push(required(at));
  else if (seconds < 600) {
    errors.push(invalid(at, seconds, "may not specify a duration less than 10 minutes"));
  } else if (seconds > 2 ** 32) {
    errors.push(invalid(at, seconds, "may not specify a duration larger than 2^32 seconds"));
  }
  const file = projection.path.child("path");
  if (token.path === "") errors.push(required(file));
  else if (!projection.leniency.nonLocalTokenPath) {
    errors.push(...validateLocalPath(token.path, file));
  }
  return errors;
}

function validateBundle(
  bundle: ClusterTrustBundleProjection | null | undefined,
  path: FieldPath,
  projection: Projection,
): FieldError[] {
  if (isAbsent(bundle)) return [];
  return [
    ...validateBundleChoice(bundle, path),
    ...(bundle.path === "" ? [required(path.child("path"))] : []),
    ...validateLocalPath(bundle.path, path.child("path")),
    ...take(projection, bundle.path),
  ];
}

function validateBundleChoice(bundle: ClusterTrustBundleProjection, path: FieldPath): FieldError[] {
  const { name, signerName, labelSelector } = bundle;
  if (!isAbsent(name) && !isAbsent(signerName)) {
    const shown = {
      Name: name,
      SignerName: signerName,
      LabelSelector: labelSelector ?? null,
      Optional: bundle.optional ?? null,
      Path: bundle.path,
    };
    return [invalid(path, shown, "only one of name and signerName may be used")];
  }
  if (!isAbsent(name)) return validateBundleName(name, labelSelector, path);
  if (isAbsent(signerName)) {
    return [required(path, "either name or signerName must be specified")];
  }
  const at = path.child("signerName");
  return [
    ...(signerName === "" ? [required(at, "must be a valid signer name")] : []),
    ...validateSignerName(signerName, at),
    ...validateLabelSelector(labelSelector, path.child("labelSelector")),
  ];
}

function validateBundleName(
  name: string,
  selector: ClusterTrustBundleProjection["labelSelector"],
  path: FieldPath,
): FieldError[] {
  const at = path.child("name");
  // A name with a colon is that of a bundle of a signer; what counts is the part after it.
  const details = nameIsDnsSubdomain(name.slice(name.lastIndexOf(":") + 1), false);
  const errors = [
    ...(name === "" ? [required(at, "must be a valid object name")] : []),
    ...invalids(
      at,
      name,
      details.map((detail) => `not a valid clustertrustbundlename: ${detail}`),
    ),
  ];
  if (isAbsent(selector)) return errors;
  const detail = "labelSelector must be unset if name is specified";
  return [...errors, invalid(path.child("labelSelector"), { ...selector }, detail)];
}

function validateCertificate(
  certificate: PodCertificateProjection | null | undefined,
  path: FieldPath,
  projection: Projection,
): FieldError[] {
  if (isAbsent(certificate)) return [];
  const errors = validateSignerName(text(certificate.signerName), path.child("signerName"));
  const keyType = text(certificate.keyType);
  if (!keyTypes.includes(keyType)) {
    errors.push(notSupported(path.child("keyType"), keyType, keyTypes));
  }
  errors.push(...validateExpiration(certificate, path.child("maxExpirationSeconds")));
  let files = 0;
  for (const field of ["credentialBundlePath", "keyPath", "certificateChainPath"] as const) {
    const file = text(certificate[field]);
    if (file === "") continue;
    files++;
    errors.push(...validateLocalPath(file, path.child(field)), ...take(projection, file));
  }
  if (files === 0) {
    const detail =
      "specify at least one of credentialBundlePath, keyPath, and certificateChainPath";
    errors.push(required(path, detail));
  }
  return errors;
}

function validateExpiration(certificate: PodCertificateProjection, path: FieldPath): FieldError[] {
  const seconds = certificate.maxExpirationSeconds;
  if (isAbsent(seconds)) return [];
  const max = isKubernetesSigner(text(certificate.signerName)) ? day : 91 * day;
  if (seconds < 3600) {
    return [invalid(path, seconds, "if provided, maxExpirationSeconds must be >= 3600")];
  }
  if (seconds <= max) return [];
  return [invalid(path, seconds, `if provided, maxExpirationSeconds must be <= ${max}`)];
}

function take({ path, taken }: Projection, file: string, shown: string = file): FieldError[] {
  if (taken.has(file)) return [invalid(path, shown, "conflicting duplicate paths")];
  taken.add(file);
  return [];
}
