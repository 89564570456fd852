// Windows' own part of a security context.

import type { PodSpec, WindowsSecurityContextOptions } from "../types.ts";
import { isAbsent } from "./absent.ts";
import { type FieldError, invalid, invalids } from "./field-error.ts";
import type { FieldPath } from "./field-path.ts";
import { dns1123Subdomain } from "./names.ts";
import { visitContainers } from "./visit-containers.ts";

const netBios = /^[^\\/:*?"<>|.][^\\/:*?"<>|]{0,14}$/;
const dnsLabel = "[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?";
const dnsName = new RegExp(`^${dnsLabel}(?:\\.${dnsLabel})*$`);
const maxSpecBytes = 64 * 1024;

export function validateWindowsOptions(
  options: WindowsSecurityContextOptions | null | undefined,
  path: FieldPath,
): FieldError[] {
  if (isAbsent(options)) return [];
  const { gmsaCredentialSpecName: name, gmsaCredentialSpec: spec, runAsUserName: user } = options;
  return [
    ...(isAbsent(name)
      ? []
      : invalids(path.child("gmsaCredentialSpecName"), name, dns1123Subdomain(name))),
    ...(isAbsent(spec) ? [] : invalids(path.child("gmsaCredentialSpec"), spec, specProblems(spec))),
    ...(isAbsent(user) ? [] : invalids(path.child("runAsUserName"), user, userProblems(user))),
  ];
}

/** Either all containers run as processes of the host, in its network, or none. */
export function validateHostProcess(spec: PodSpec, path: FieldPath): FieldError[] {
  const ofPod = spec.securityContext?.windowsOptions?.hostProcess;
  const containers = visitContainers(spec, path).map(({ container, path: at }) => ({
    own: container.securityContext?.windowsOptions?.hostProcess,
    at: at.child("securityContext", "windowsOptions", "hostProcess"),
  }));
  const errors = containers.flatMap(({ own, at }) => {
    if (isAbsent(ofPod) || isAbsent(own) || ofPod === own) return [];
    const detail = `pod hostProcess value must be identical if both are specified, was ${ofPod}`;
    return [invalid(at, own, detail)];
  });
  const hosted = containers.filter(({ own }) => (own ?? ofPod) === true).length;
  if (hosted === 0) return errors;
  if (hosted !== containers.length) {
    const detail =
      "If pod contains any hostProcess containers then all containers must be HostProcess containers";
    errors.push(invalid(path, "", detail));
  }
  if (spec.hostNetwork !== true) {
    const detail = "hostNetwork must be true if pod contains any hostProcess containers";
    errors.push(invalid(path.child("hostNetwork"), false, detail));
  }
  return errors;
}

function specProblems(spec: string): string[] {
  if (spec === "") return ["gmsaCredentialSpec cannot be an empty string"];
  return spec.length > maxSpecBytes ? ["gmsaCredentialSpec size must be under 64 KiB"] : [];
}

function userProblems(name: string): string[] {
  if (name === "") return ["runAsUserName cannot be an empty string"];
  if (/\p{Cc}/u.test(name)) return ["runAsUserName cannot contain control characters"];
  const parts = name.split("\\");
  if (parts.length > 2) return ["runAsUserName cannot contain more than one backslash"];
  const user = parts.at(-1) ?? "";
  const domain = parts.length === 2 ? parts[0] : undefined;
  return [...domainProblems(domain), ...accountProblems(user)];
}

function domainProblems(domain: string | undefined): string[] {
  if (domain === undefined) return [];
  const problems: string[] = [];
  if (domain.length >= 256) {
    problems.push("runAsUserName's Domain length must be under 256 characters");
  }
  if (!netBios.test(domain) && !dnsName.test(domain)) {
    problems.push("runAsUserName's Domain doesn't match the NetBios nor the DNS format");
  }
  return problems;
}

function accountProblems(user: string): string[] {
  const problems: string[] = [];
  if (user === "") problems.push("runAsUserName's User cannot be empty");
  else if (user.length > 104) {
    problems.push("runAsUserName's User length must not be longer than 104 characters");
  }
  if (/^[. ]+$/.test(user)) {
    problems.push("runAsUserName's User cannot contain only periods or spaces");
  }
  if (/["/\\:;|=,+*?<>@[\]]/.test(user)) {
    const characters = '"/\\:;|=,+*?<>@[]';
    problems.push(`runAsUserName's User cannot contain the following characters: ${characters}`);
  }
  return problems;
}
