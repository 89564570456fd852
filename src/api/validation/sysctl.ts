// Kernel parameters of a pod. Those of a namespace that the pod shares with the host cannot be set.

import type { PodSpec } from "../types.ts";
import { list } from "./absent.ts";
import { duplicate, type FieldError, invalid, required } from "./field-error.ts";
import type { FieldPath } from "./field-path.ts";

const segment = "[a-z0-9]([-_a-z0-9]*[a-z0-9])?";
const form = `^(${segment}[\\./])*${segment}$`;
const isName = new RegExp(form);
const ipcNames: ReadonlySet<string> = new Set(["kernel.sem"]);
const ipcPrefixes = ["kernel.shm", "kernel.msg", "fs.mqueue."];

/** `allowHost`: also those of the host, which the pod had before. */
export function validateSysctls(spec: PodSpec, allowHost: boolean, path: FieldPath): FieldError[] {
  const seen = new Set<string>();
  return list(spec.securityContext?.sysctls).flatMap(({ name }, i) => {
    const at = path.index(i).child("name");
    const errors = validateName(name, seen, at);
    const conflict = allowHost ? undefined : sysctlConflict(name, spec);
    if (conflict !== undefined) errors.push(invalid(at, name, conflict));
    seen.add(name);
    return errors;
  });
}

/** Why a parameter is not the pod's to set. */
export function sysctlConflict(name: string, spec: PodSpec): string | undefined {
  const dotted = name.includes("/") && !/^[^/]*\./.test(name) ? swapSeparators(name) : name;
  if (spec.hostNetwork === true && dotted.startsWith("net.")) {
    return "may not be specified when 'hostNetwork' is true";
  }
  const isIpc = ipcNames.has(dotted) || ipcPrefixes.some((prefix) => dotted.startsWith(prefix));
  if (spec.hostIPC === true && isIpc) return "may not be specified when 'hostIPC' is true";
  return undefined;
}

function validateName(name: string, seen: ReadonlySet<string>, path: FieldPath): FieldError[] {
  if (name === "") return [required(path)];
  if (name.length > 253 || !isName.test(name)) {
    const detail = `must have at most 253 characters and match regex ${form}`;
    return [invalid(path, name, detail)];
  }
  return seen.has(name) ? [duplicate(path, name)] : [];
}

/** net/ipv4/conf/eth0.1 is net.ipv4.conf.eth0/1 */
function swapSeparators(name: string): string {
  return name.replace(/[./]/g, (separator) => (separator === "." ? "/" : "."));
}
