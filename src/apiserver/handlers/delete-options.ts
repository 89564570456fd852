// How an object is to be deleted: from the body, or from the query if there is none.

import { typeOf } from "../../api/kinds.ts";
import { badRequest, invalid as invalidStatus } from "../../api/status-error.ts";
import { type FieldError, invalid, notSupported } from "../../api/validation/field-error.ts";
import { FieldPath } from "../../api/validation/field-path.ts";
import { goQuote } from "../../api/validation/go-text.ts";
import type { RequestContext } from "./context.ts";
import { decodeBody } from "./decode-body.ts";
import { checkDryRun, metaKind, queryBool } from "./write-options.ts";

type Propagation = "Background" | "Foreground" | "Orphan";

export interface DeleteOptions {
  readonly isDryRun: boolean;
  readonly gracePeriodSeconds: number | undefined;
  readonly propagation: Propagation | undefined;
  readonly preconditions: { readonly uid?: string; readonly resourceVersion?: string };
}

interface RawOptions {
  readonly dryRun?: string[];
  readonly gracePeriodSeconds?: number;
  readonly propagationPolicy?: string;
  readonly orphanDependents?: boolean;
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
}

const policies: readonly string[] = ["Foreground", "Background", "Orphan"];

export function deleteOptions(context: RequestContext, body: Buffer): DeleteOptions {
  const raw = body.length > 0 ? fromBody(context, body) : fromQuery(context.query);
  const dryRun = [...(raw.dryRun ?? []), ...context.query.getAll("dryRun")];
  const errors = check({ ...raw, dryRun });
  if (errors.length > 0) throw invalidStatus(metaKind("DeleteOptions"), "", errors);
  return {
    isDryRun: dryRun.some((value) => value !== ""),
    gracePeriodSeconds: raw.gracePeriodSeconds,
    propagation: propagationOf(raw),
    preconditions: raw.preconditions ?? {},
  };
}

function fromBody({ request, warnings }: RequestContext, body: Buffer): RawOptions {
  const schema = typeOf("v1", "DeleteOptions");
  if (schema === undefined) throw new Error("Cannot read DeleteOptions: the tables lack them");
  return decodeBody(body, {
    contentType: request.headers["content-type"],
    expected: { group: "", version: "v1", kind: "DeleteOptions", schema, isAnyVersion: true },
    fieldValidation: "Ignore",
    warnings,
  }) as RawOptions;
}

function fromQuery(query: URLSearchParams): RawOptions {
  const grace = query.get("gracePeriodSeconds");
  const policy = query.get("propagationPolicy");
  return {
    ...(grace !== null && { gracePeriodSeconds: parseSeconds(grace) }),
    ...(policy !== null && policy !== "" && { propagationPolicy: policy }),
    ...(query.has("orphanDependents") && {
      orphanDependents: queryBool(query, "orphanDependents"),
    }),
  };
}

function parseSeconds(text: string): number {
  const isWhole = /^[+-]?\d+$/.test(text);
  if (isWhole && Math.abs(Number(text)) < 2 ** 63) return Number(text);
  const why = isWhole ? "value out of range" : "invalid syntax";
  throw badRequest(`strconv.ParseInt: parsing ${goQuote(text)}: ${why}`);
}

function check({ propagationPolicy, orphanDependents, dryRun = [] }: RawOptions): FieldError[] {
  const path = FieldPath.of("propagationPolicy");
  const errors: FieldError[] = [];
  if (orphanDependents !== undefined && propagationPolicy !== undefined) {
    errors.push(
      invalid(
        path,
        propagationPolicy,
        "orphanDependents and deletionPropagation cannot be both set",
      ),
    );
  }
  if (propagationPolicy !== undefined && !policies.includes(propagationPolicy)) {
    errors.push(notSupported(path, propagationPolicy, [...policies, "nil"]));
  }
  return [...errors, ...checkDryRun(dryRun)];
}

function propagationOf({
  propagationPolicy,
  orphanDependents,
}: RawOptions): Propagation | undefined {
  if (orphanDependents !== undefined) return orphanDependents ? "Orphan" : "Background";
  return propagationPolicy as Propagation | undefined;
}
