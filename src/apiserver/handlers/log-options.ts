// The options of pods/log, as the original takes and refuses them.

import { badRequest, invalid as invalidStatus } from "../../api/status-error.ts";
import {
  type FieldError,
  forbidden,
  invalid,
  notSupported,
} from "../../api/validation/field-error.ts";
import { FieldPath } from "../../api/validation/field-path.ts";
import { queryBool } from "./write-options.ts";

const flags = ["follow", "previous", "timestamps"];
const numbers = ["sinceSeconds", "tailLines", "limitBytes"];
const streams = ["All", "Stderr", "Stdout"];
const kind = { group: "", kind: "PodLogOptions", resource: "PodLogOptions" };
const nowhere = FieldPath.of("");

/** As a query for the node. Throws BadRequest for what cannot be read, and Invalid. */
export function logQuery(query: URLSearchParams, podName: string): URLSearchParams {
  const wanted = new URLSearchParams();
  for (const name of flags) if (queryBool(query, name)) wanted.set(name, "true");
  const values = new Map(numbers.map((name) => [name, integerOf(query, name)]));
  for (const [name, value] of values) if (value !== undefined) wanted.set(name, String(value));
  const sinceTime = query.get("sinceTime") ?? "";
  if (sinceTime !== "") wanted.set("sinceTime", checkedTime(sinceTime));
  const stream = query.get("stream") ?? "";
  if (stream !== "") wanted.set("stream", stream);
  const errors = errorsOf({ values, sinceTime, stream });
  if (errors.length > 0) throw invalidStatus(kind, podName, errors);
  return wanted;
}

function errorsOf(of: {
  readonly values: ReadonlyMap<string, bigint | undefined>;
  readonly sinceTime: string;
  readonly stream: string;
}): readonly FieldError[] {
  const { values, sinceTime, stream } = of;
  const tailLines = values.get("tailLines");
  const hasBoth = values.get("sinceSeconds") !== undefined && sinceTime !== "";
  const least = (name: string, min: bigint, detail: string): readonly FieldError[] => {
    const value = values.get(name);
    if (value === undefined || value >= min) return [];
    return [invalid(FieldPath.of(name), Number(value), detail)];
  };
  return [
    ...least("tailLines", 0n, "must be greater than or equal to 0"),
    ...least("limitBytes", 1n, "must be greater than 0"),
    ...(hasBoth
      ? [forbidden(nowhere, "at most one of `sinceTime` or `sinceSeconds` may be specified")]
      : least("sinceSeconds", 1n, "must be greater than 0")),
    ...(stream !== "" && !streams.includes(stream)
      ? [notSupported(FieldPath.of("stream"), stream, streams)]
      : []),
    ...(stream !== "" && stream !== "All" && tailLines !== undefined
      ? [forbidden(nowhere, "`tailLines` and specific `stream` are mutually exclusive for now")]
      : []),
  ];
}

const MAX_INT64 = 2n ** 63n - 1n;
/** With a sign and zeros in front; longer ones are not worth the conversion. */
const MAX_DIGITS = 64;

function integerOf(query: URLSearchParams, name: string): bigint | undefined {
  const text = query.get(name) ?? "";
  if (text === "") return undefined;
  const isNumber = /^[+-]?\d+$/.test(text);
  if (isNumber && text.length <= MAX_DIGITS) {
    const value = BigInt(text.replace(/^\+/, ""));
    if (value <= MAX_INT64 && value >= -MAX_INT64 - 1n) return value;
  }
  const why = isNumber ? "value out of range" : "invalid syntax";
  throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: ${why}`);
}

const RFC3339 = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)$/;

function checkedTime(text: string): string {
  if (RFC3339.test(text) && !Number.isNaN(Date.parse(text))) return text;
  const quoted = JSON.stringify(text);
  throw badRequest(
    `parsing time ${quoted} as "2006-01-02T15:04:05Z07:00": cannot parse ${quoted} as "2006"`,
  );
}
