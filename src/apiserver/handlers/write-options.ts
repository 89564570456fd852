// The options that writes take in their query: dry run, who writes, and how strictly the body is read.

import { managerName } from "../../api/apply/manager-name.ts";
import { invalid as invalidStatus, type Named } from "../../api/status-error.ts";
import {
  type FieldError,
  forbidden,
  invalid,
  notSupported,
  tooLong,
} from "../../api/validation/field-error.ts";
import { FieldPath } from "../../api/validation/field-path.ts";
import type { RequestContext } from "./context.ts";

export type FieldValidation = "Ignore" | "Warn" | "Strict";

export interface WriteOptions {
  readonly isDryRun: boolean;
  readonly fieldManager: string;
  readonly fieldValidation: FieldValidation;
  readonly force: boolean;
}

export type OptionsKind = "CreateOptions" | "UpdateOptions" | "PatchOptions";

const MAX_MANAGER_BYTES = 128;

export function writeOptions(context: RequestContext, kind: OptionsKind): WriteOptions {
  const { query } = context;
  const dryRun = query.getAll("dryRun");
  const fieldManager = query.get("fieldManager") ?? "";
  const fieldValidation = query.get("fieldValidation") ?? "";
  const errors = [
    ...checkDryRun(dryRun),
    ...checkManager(fieldManager),
    ...checkFieldValidation(fieldValidation),
    ...(kind === "PatchOptions" ? checkForce(context) : []),
  ];
  if (errors.length > 0) throw invalidStatus(metaKind(kind), "", errors);
  return {
    isDryRun: dryRun.some((value) => value !== ""),
    fieldManager: managerName(fieldManager, context.request.headers["user-agent"] ?? ""),
    fieldValidation: fieldValidation === "" ? "Warn" : (fieldValidation as FieldValidation),
    force: queryBool(query, "force"),
  };
}

export function metaKind(kind: string): Named {
  return { group: "meta.k8s.io", kind, resource: kind };
}

/** Anything but "false" and "0", in any case, is true; a key without a value too. */
export function queryBool(query: URLSearchParams, name: string): boolean {
  const value = query.get(name);
  return value !== null && value.toLowerCase() !== "false" && value !== "0";
}

export function checkDryRun(values: readonly string[]): readonly FieldError[] {
  return values
    .filter((value) => value !== "" && value !== "All")
    .slice(0, 1)
    .map(() => notSupported(FieldPath.of("dryRun"), values as string[], ["All"]));
}

function checkForce({ query, request }: RequestContext): readonly FieldError[] {
  const isApply = request.headers["content-type"]?.startsWith("application/apply-patch") === true;
  if (isApply || !query.has("force")) return [];
  return [forbidden(FieldPath.of("force"), "may not be specified for non-apply patch")];
}

function checkManager(manager: string): readonly FieldError[] {
  const path = FieldPath.of("fieldManager");
  if (Buffer.byteLength(manager) > MAX_MANAGER_BYTES) return [tooLong(path, MAX_MANAGER_BYTES)];
  return /\p{Cc}/u.test(manager)
    ? [invalid(path, manager, "should only contain printable characters")]
    : [];
}

function checkFieldValidation(value: string): readonly FieldError[] {
  if (["", "Ignore", "Warn", "Strict"].includes(value)) return [];
  return [notSupported(FieldPath.of("fieldValidation"), value, ["", "Ignore", "Strict", "Warn"])];
}
