// How plug-ins say no: Forbidden, about the object of the request.

import { forbidden, type StatusCause, type StatusError } from "../../api/status-error.ts";
import type { AdmissionRequest } from "./admission.ts";

/** Names the object as well as is known: a name that is still to be generated is told by how it begins. */
export function refusal(
  request: AdmissionRequest,
  why: string,
  causes: readonly StatusCause[] = [],
): StatusError {
  const { kind, name, object } = request;
  const told = [name, object?.metadata.name, object?.metadata.generateName].find(Boolean);
  return forbidden(kind, told ?? "Unknown", why, causes);
}

/** Several things that are wrong, as the API joins them in one text; each is said once. */
export function joined(problems: readonly string[]): string {
  const [first = "", ...others] = new Set(problems);
  return others.length === 0 ? first : `[${[first, ...others].join(", ")}]`;
}

/** True for requests about this resource, whatever the version. */
export function isAbout({ kind }: AdmissionRequest, group: string, resource: string): boolean {
  return kind.group === group && kind.resource === resource;
}
