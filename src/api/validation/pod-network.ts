// How a pod is called and whom it asks for addresses: DNS, entries of its hosts file, its own name.

import type { HostAlias, PodDNSConfig, PodSpec } from "../types.ts";
import { isAbsent, list, text } from "./absent.ts";
import { type FieldError, forbidden, invalid, invalids, required, tooLong } from "./field-error.ts";
import type { FieldPath } from "./field-path.ts";
import { validateIp } from "./ip-address.ts";
import { dns1123Subdomain, dns1123SubdomainWithUnderscore } from "./names.ts";
import { exceedsBytes } from "./utf8-length.ts";

const maxNameservers = 3;
const maxSearches = 32;
const maxSearchBytes = 2048;

export function validatePodDns(spec: PodSpec, path: FieldPath): FieldError[] {
  const config = spec.dnsConfig;
  if (spec.dnsPolicy === "None") {
    if (isAbsent(config)) {
      return [required(path, "must provide `dnsConfig` when `dnsPolicy` is None")];
    }
    if (list(config.nameservers).length === 0) {
      const detail = "must provide at least one DNS nameserver when `dnsPolicy` is None";
      return [required(path.child("nameservers"), detail)];
    }
  }
  if (isAbsent(config)) return [];
  return [
    ...validateNameservers(config, path.child("nameservers")),
    ...validateSearches(config, path.child("searches")),
    ...list(config.options).flatMap(({ name }, i) =>
      text(name) === "" ? [required(path.child("options").index(i), "must not be empty")] : [],
    ),
  ];
}

export function validateHostAliases(
  aliases: readonly HostAlias[] | null | undefined,
  path: FieldPath,
): FieldError[] {
  return list(aliases).flatMap((alias, i) => {
    const at = path.index(i);
    return [
      ...validateIp(at.child("ip"), alias.ip),
      ...list(alias.hostnames).flatMap((name, j) =>
        invalids(at.child("hostnames").index(j), name, dns1123Subdomain(name)),
      ),
    ];
  });
}

/** The name that replaces the one made from hostname and subdomain. */
export function validateHostName(spec: PodSpec, path: FieldPath): FieldError[] {
  const name = spec.hostnameOverride;
  if (isAbsent(name)) return [];
  const errors: FieldError[] = [];
  if (spec.setHostnameAsFQDN === true) {
    errors.push(forbidden(path, "may not be specified when setHostnameAsFQDN is true"));
  }
  if (spec.hostNetwork === true) {
    errors.push(forbidden(path, "may not be specified when hostNetwork is true"));
  }
  if (exceedsBytes(name, 64)) errors.push(tooLong(path, 64));
  return [...errors, ...invalids(path, name, dns1123Subdomain(name))];
}

function validateNameservers(config: PodDNSConfig, path: FieldPath): FieldError[] {
  const servers = list(config.nameservers);
  const detail = `must not have more than ${maxNameservers} nameservers`;
  return [
    ...(servers.length > maxNameservers ? [invalid(path, [...servers], detail)] : []),
    ...servers.flatMap((server, i) => validateIp(path.index(i), server)),
  ];
}

function validateSearches(config: PodDNSConfig, path: FieldPath): FieldError[] {
  const searches = list(config.searches);
  const errors: FieldError[] = [];
  if (searches.length > maxSearches) {
    const detail = `must not have more than ${maxSearches} search paths`;
    errors.push(invalid(path, [...searches], detail));
  }
  if (exceedsBytes(searches.join(" "), maxSearchBytes)) {
    const detail = `must not have more than ${maxSearchBytes} characters (including spaces) in the search list`;
    errors.push(invalid(path, [...searches], detail));
  }
  for (const [i, search] of searches.entries()) {
    if (search === ".") continue;
    const name = search.endsWith(".") ? search.slice(0, -1) : search;
    errors.push(...invalids(path.index(i), name, dns1123SubdomainWithUnderscore(name)));
  }
  return errors;
}
