// The options of lists and watches: which part, as of when, how many.

import { badRequest, invalid as invalidStatus, StatusError } from "../../api/status-error.ts";
import { type FieldError, forbidden, notSupported } from "../../api/validation/field-error.ts";
import { FieldPath } from "../../api/validation/field-path.ts";
import { metaKind, queryBool } from "./write-options.ts";

type VersionMatch = "" | "Exact" | "NotOlderThan";

export interface ListOptions {
  readonly isWatch: boolean;
  readonly limit: number;
  readonly continue: string;
  /** Undefined if none was given; 0n is "anything". */
  readonly resourceVersion: bigint | undefined;
  readonly match: VersionMatch;
  readonly timeoutSeconds: number | undefined;
  readonly allowBookmarks: boolean;
  readonly sendInitialEvents: boolean | undefined;
}

export function listOptions(query: URLSearchParams, isWatchPath: boolean): ListOptions {
  const isWatch = isWatchPath || queryBool(query, "watch");
  const versionText = query.get("resourceVersion") ?? "";
  const match = query.get("resourceVersionMatch") ?? "";
  const sendInitialEvents = query.has("sendInitialEvents")
    ? queryBool(query, "sendInitialEvents")
    : undefined;
  const continueToken = query.get("continue") ?? "";
  const limit = integer(query, "limit") ?? 0;
  const timeoutSeconds = integer(query, "timeoutSeconds");
  const errors = isWatch
    ? checkWatch(match, sendInitialEvents)
    : checkList({ match, versionText, sendInitialEvents, continueToken });
  if (errors.length > 0) throw invalidStatus(metaKind("ListOptions"), "", errors);
  return {
    isWatch,
    limit: Math.max(0, limit),
    continue: continueToken,
    resourceVersion: isWatch ? watchedVersion(versionText) : parseVersion(versionText),
    match: match as VersionMatch,
    timeoutSeconds,
    allowBookmarks: queryBool(query, "allowWatchBookmarks"),
    sendInitialEvents,
  };
}

const MAX_UINT64 = 2n ** 64n - 1n;
const MAX_INT64 = 2n ** 63n - 1n;

/** Undefined for "". Throws the API's error for anything but the digits of an unsigned number of 64 bits. */
export function parseVersion(text: string): bigint | undefined {
  const version = versionIn(text);
  if (typeof version !== "string") return version;
  throw badRequest(`invalid resource version: ${version}`);
}

/** The original looks at that of a watch elsewhere, where nobody says whose mistake it is. */
function watchedVersion(text: string): bigint | undefined {
  const version = versionIn(text);
  if (typeof version !== "string") return version;
  throw new StatusError({ code: 500, reason: "", message: version });
}

/** Undefined for "", and a text that says what is wrong with others. */
function versionIn(text: string): bigint | string | undefined {
  if (text === "") return undefined;
  const isNumber = /^\d+$/.test(text);
  // What has more digits than any such number, zeros in front or not, is not worth the conversion.
  if (isNumber && text.length <= MAX_DIGITS && BigInt(text) <= MAX_UINT64) return BigInt(text);
  const why = isNumber ? "value out of range" : "invalid syntax";
  const quoted = JSON.stringify(text);
  return `resourceVersion: Invalid value: ${quoted}: strconv.ParseUint: parsing ${quoted}: ${why}`;
}

const MAX_DIGITS = 40;

const matchPath = FieldPath.of("resourceVersionMatch");
const initialPath = FieldPath.of("sendInitialEvents");

interface ListChecks {
  readonly match: string;
  readonly versionText: string;
  readonly continueToken: string;
  readonly sendInitialEvents: boolean | undefined;
}

function checkList(options: ListChecks): readonly FieldError[] {
  return [
    ...checkMatch(options),
    ...(options.sendInitialEvents === undefined
      ? []
      : [forbidden(initialPath, "sendInitialEvents is forbidden for list")]),
  ];
}

function checkMatch({ match, versionText, continueToken }: ListChecks): readonly FieldError[] {
  if (match === "") return [];
  const errors: FieldError[] = [];
  if (versionText === "") {
    errors.push(
      forbidden(matchPath, "resourceVersionMatch is forbidden unless resourceVersion is provided"),
    );
  }
  if (continueToken !== "") {
    errors.push(
      forbidden(matchPath, "resourceVersionMatch is forbidden when continue is provided"),
    );
  }
  if (match !== "Exact" && match !== "NotOlderThan") {
    errors.push(notSupported(matchPath, match, ["Exact", "NotOlderThan", ""]));
  }
  if (match === "Exact" && versionText === "0") {
    errors.push(
      forbidden(matchPath, 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"'),
    );
  }
  return errors;
}

function checkWatch(match: string, sendInitialEvents: boolean | undefined): readonly FieldError[] {
  const errors: FieldError[] = [];
  if (sendInitialEvents !== undefined && match !== "NotOlderThan") {
    errors.push(
      forbidden(
        matchPath,
        "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan",
      ),
    );
  }
  if (match !== "" && sendInitialEvents === undefined) {
    errors.push(
      forbidden(
        matchPath,
        "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided",
      ),
    );
  }
  return errors;
}

function integer(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null || text === "") return undefined;
  const [, sign, digits = ""] = /^([+-]?)(\d+)$/.exec(text) ?? [];
  if (sign !== undefined && digits.length <= MAX_DIGITS && BigInt(digits) <= MAX_INT64) {
    return Number(text);
  }
  const why = sign === undefined ? "invalid syntax" : "value out of range";
  throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: ${why}`);
}
