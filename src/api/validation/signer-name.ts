// Names of signers of certificates: example.com/name.

import { type FieldError, invalid, invalids, required, tooLong } from "./field-error.ts";
import type { FieldPath } from "./field-path.ts";
import { dns1123Label, dns1123Subdomain } from "./names.ts";
import { exceedsBytes } from "./utf8-length.ts";

/** Signers of Kubernetes itself have shorter limits. */
export function isKubernetesSigner(name: string): boolean {
  const domain = name.split("/")[0] ?? "";
  return domain === "kubernetes.io" || domain.endsWith(".kubernetes.io");
}

export function validateSignerName(name: string, path: FieldPath): FieldError[] {
  if (name === "") return [required(path)];
  const [domain = "", signer, ...more] = name.split("/");
  if (signer === undefined || more.length > 0) {
    const detail =
      "must be a fully qualified domain and path of the form 'example.com/signer-name'";
    return [invalid(path, name, detail)];
  }
  const labels = domain.split(".");
  const errors = exceedsBytes(domain, 253) ? [tooLong(path, 253)] : [];
  errors.push(...firstWrong(path, { of: domain, parts: labels, rule: dns1123Label }));
  if (labels.length < 2) {
    const detail = "should be a domain with at least two segments separated by dots";
    errors.push(invalid(path, domain, detail));
  }
  const parts = signer.split(".");
  errors.push(...firstWrong(path, { of: signer, parts, rule: dns1123Subdomain }));
  // A domain, a slash, and a label and a subdomain with a dot between them.
  const max = 253 + 1 + 63 + 1 + 253;
  if (exceedsBytes(name, max)) errors.push(tooLong(path, max));
  return errors;
}

interface Segment {
  readonly of: string;
  readonly parts: readonly string[];
  readonly rule: (part: string) => readonly string[];
}

function firstWrong(path: FieldPath, { of, parts, rule }: Segment): FieldError[] {
  for (const part of parts) {
    const details = rule(part).map((detail) => `validating label "${part}": ${detail}`);
    if (details.length > 0) return invalids(path, of, details);
  }
  return [];
}
