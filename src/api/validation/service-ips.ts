// The addresses of a Service inside the cluster: one for each family, the first also in `clusterIP`.

import type { ServiceSpec } from "../types.ts";
import { ipFamily } from "./endpoint-ip.ts";
import { duplicate, type FieldError, invalid, notSupported, required } from "./field-error.ts";
import { FieldPath } from "./field-path.ts";
import { validateIp } from "./ip-address.ts";

const ipsPath = FieldPath.of("spec", "clusterIPs");
const familiesPath = FieldPath.of("spec", "ipFamilies");
const policyPath = FieldPath.of("spec", "ipFamilyPolicy");
const families = ["IPv4", "IPv6"];
const policies = ["PreferDualStack", "RequireDualStack", "SingleStack"];

export function validateClusterIps(spec: ServiceSpec, old: ServiceSpec | undefined): FieldError[] {
  if (spec.type === "ExternalName") return [];
  const ips = spec.clusterIPs ?? [];
  const errors = [...validateFirst(spec), ...validateFamilies(spec)];
  const wrong = ips.flatMap((ip, i) => {
    if (i > 0 || ip !== "None") return validateIp(ipsPath.index(i), ip, old?.clusterIPs ?? []);
    if (ips.length === 1) return [];
    return [invalid(ipsPath, [...ips], "'None' must be the first and only value")];
  });
  errors.push(...wrong);
  if (ips.length > 2) errors.push(invalid(ipsPath, [...ips], "may only hold up to 2 values"));
  return wrong.length > 0 ? errors : [...errors, ...validateIpFamilies(spec)];
}

export function validateClusterIpsUpdate(spec: ServiceSpec, old: ServiceSpec): FieldError[] {
  if (isExternal(spec, old) || (isHeadless(spec) && isHeadless(old))) return [];
  const ips = spec.clusterIPs ?? [];
  const before = old.clusterIPs ?? [];
  const shown = listOrNull(ips);
  if (ips.length === before.length) {
    return before.flatMap((ip, i) =>
      ip === ips[i] ? [] : [invalid(ipsPath.index(i), shown, "may not change once set")],
    );
  }
  const at = ipsPath.index(0);
  const errors = firstChanges(ips, before) ? [invalid(at, shown, "may not change once set")] : [];
  if (ips.length > before.length) return errors;
  if (ips.length === 0) errors.push(invalid(at, shown, "primary clusterIP can not be unset"));
  return ips.length === 1 ? [...errors, ...validateReleased(spec, "clusterIP")] : errors;
}

export function validateIpFamiliesUpdate(spec: ServiceSpec, old: ServiceSpec): FieldError[] {
  if (isExternal(spec, old) || isHeadless(spec) || isHeadless(old)) return [];
  const now = spec.ipFamilies ?? [];
  const before = old.ipFamilies ?? [];
  const at = familiesPath.index(0);
  if (now.length === before.length) {
    return before.flatMap((family, i) =>
      family === now[i] ? [] : [invalid(at, [...now], "may not change once set")],
    );
  }
  const shrinks = now.length < before.length;
  const errors: FieldError[] = [];
  if (shrinks && listOrNull(spec.clusterIPs) === null) {
    errors.push(invalid(at, listOrNull(now), "primary ipFamily can not be unset"));
  }
  if (firstChanges(now, before)) {
    errors.push(invalid(at, listOrNull(spec.clusterIPs), "may not change once set"));
  }
  return shrinks && now.length === 1 ? [...errors, ...validateReleased(spec, "ipFamily")] : errors;
}

function isExternal(spec: ServiceSpec, old: ServiceSpec): boolean {
  return spec.type === "ExternalName" || old.type === "ExternalName";
}

export function isHeadless({ clusterIPs }: ServiceSpec): boolean {
  return clusterIPs?.length === 1 && clusterIPs[0] === "None";
}

function firstChanges(now: readonly string[], before: readonly string[]): boolean {
  return now.length > 0 && before.length > 0 && now[0] !== before[0];
}

function validateFirst({ clusterIP = "", clusterIPs }: ServiceSpec): FieldError[] {
  const ips = clusterIPs ?? [];
  if (clusterIP === "") {
    if (ips.length === 0) return [];
    return [invalid(ipsPath, [...ips], "must be empty when `clusterIP` is not specified")];
  }
  if (ips.length === 0) return [required(ipsPath)];
  if (ips[0] === clusterIP) return [];
  return [invalid(ipsPath, [...ips], "first value must match `clusterIP`")];
}

function validateFamilies({ ipFamilies, ipFamilyPolicy: policy }: ServiceSpec): FieldError[] {
  const seen = new Set<string>();
  const errors = (ipFamilies ?? []).flatMap((family, i) => {
    const at = familiesPath.index(i);
    const found = families.includes(family) ? [] : [notSupported(at, family, families)];
    if (seen.has(family)) found.push(duplicate(at, family));
    seen.add(family);
    return found;
  });
  if (policy !== undefined && !policies.includes(policy)) {
    errors.push(notSupported(policyPath, policy, policies));
  }
  return errors;
}

function validateIpFamilies({ clusterIPs, ipFamilies }: ServiceSpec): FieldError[] {
  const ips = clusterIPs ?? [];
  const found = ips.map(ipFamily);
  const errors: FieldError[] = [];
  const dualStack = ips.length === 2 && found[0] !== found[1];
  if (ips.length > 1 && !dualStack) {
    const text = "may specify no more than one IP for each IP family";
    errors.push(invalid(ipsPath, [...ips], text));
  }
  if (ips[0] === "None") return errors;
  for (const [i, family] of (ipFamilies ?? []).entries()) {
    const ip = ips[i];
    if (ip === undefined || found[i] === family || !families.includes(family)) continue;
    const text = `expected an ${family} value as indicated by \`ipFamilies[${i}]\``;
    errors.push(invalid(ipsPath.index(i), ip, text));
  }
  return errors;
}

function validateReleased(spec: ServiceSpec, what: string): FieldError[] {
  if (spec.ipFamilyPolicy === "SingleStack") return [];
  const text = `must be set to 'SingleStack' when releasing the secondary ${what}`;
  return [invalid(policyPath, spec.ipFamilyPolicy, text)];
}

function listOrNull(list: readonly string[] | undefined): string[] | null {
  return list === undefined || list.length === 0 ? null : [...list];
}
