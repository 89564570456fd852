// Checks of what is in ConfigMaps and Secrets, before it reaches those who read it. Who checks what is for others to
// say; here they are asked when contents change, and what they find becomes a refusal.
//
// A check sees the bytes of Secrets, and its words go to whoever wrote the object, to logs and to the audit log. So
// words that repeat a part of a Secret do not leave this file.

import type { Kind } from "../../api/kind.ts";
import type { ApiObject } from "../../api/object.ts";
import { internalError, invalid } from "../../api/status-error.ts";
import { type FieldError, invalidWithoutValue } from "../../api/validation/field-error.ts";
import { FieldPath } from "../../api/validation/field-path.ts";
import { goQuote } from "../../api/validation/go-text.ts";
import { semanticEqual } from "../../api/validation/semantic-equal.ts";
import type { AdmissionPlugin, AdmissionRequest } from "./admission.ts";
import { isAbout } from "./refusal.ts";
import { SecretWords } from "./secret-words.ts";

export interface ContentFinding {
  /** Of data or binaryData; "" if it is about the whole. */
  readonly key: string;
  /** What is wrong, without what is there: `line 3: a colon is missing`. */
  readonly message: string;
}

export interface ContentCheck {
  /** As refusals name it. */
  readonly name: string;
  /** Says whether the check has anything to say of objects like this one. */
  applies(kind: Kind, object: ApiObject): boolean;
  /** Nothing if all is well. Must not change the objects. `old` is undefined for a new one. */
  check(object: ApiObject, old: ApiObject | undefined): readonly ContentFinding[];
}

const contentFields = ["data", "binaryData", "stringData"];
const silence = "refused; why is not shown, because it would repeat a part of the Secret";

export class ContentChecks implements AdmissionPlugin {
  readonly name = "ContentChecks";
  readonly #checks: () => Iterable<ContentCheck>;

  /** `checks` is asked at each write: they may come and go. */
  constructor({ checks }: { readonly checks: () => Iterable<ContentCheck> }) {
    this.#checks = checks;
  }

  judge(request: AdmissionRequest): void {
    const { object, old, kind, operation } = request;
    if (object === undefined || !isContent(request)) return;
    if (operation === "UPDATE" && !isChanged(object, old)) return;
    const words = isSecret(request) ? SecretWords.of(object, old) : undefined;
    const errors: FieldError[] = [];
    for (const check of this.#checks()) {
      for (const finding of findingsOf(check, request, object)) {
        errors.push(errorOf(finding, { check, object, words }));
      }
    }
    if (errors.length === 0) return;
    throw invalid(kind, request.name || (object.metadata.name ?? ""), errors);
  }
}

function isContent(request: AdmissionRequest): boolean {
  const { operation, subresource } = request;
  if (subresource !== "" || (operation !== "CREATE" && operation !== "UPDATE")) return false;
  return isSecret(request) || isAbout(request, "", "configmaps");
}

function isSecret(request: AdmissionRequest): boolean {
  return isAbout(request, "", "secrets");
}

function isChanged(object: ApiObject, old: ApiObject | undefined): boolean {
  return contentFields.some((field) => !semanticEqual(object[field], old?.[field]));
}

/** A check that fails has not said that all is well: nothing is written then. */
function findingsOf(
  check: ContentCheck,
  { kind, old }: AdmissionRequest,
  object: ApiObject,
): readonly ContentFinding[] {
  try {
    return check.applies(kind, object) ? check.check(object, old) : [];
  } catch {
    // Not even as a cause: errors of parsers quote what they could not read.
    throw internalError(`content check ${goQuote(check.name)} failed`);
  }
}

function errorOf(
  { key, message }: ContentFinding,
  of: {
    readonly check: ContentCheck;
    readonly object: ApiObject;
    readonly words: SecretWords | undefined;
  },
): FieldError {
  const told = of.words?.occurIn(message) === true ? silence : message;
  const data = of.object["data"];
  const isText = typeof data === "object" && data !== null && Object.hasOwn(data, key);
  const binary = of.object["binaryData"];
  const isBinary = typeof binary === "object" && binary !== null && Object.hasOwn(binary, key);
  const path = FieldPath.of(isBinary && !isText ? "binaryData" : "data");
  // A key that the object does not have may be anything, a value too.
  const isKnown = isText || isBinary;
  const at = isKnown ? path.key(key) : path;
  return invalidWithoutValue(at, `content check ${goQuote(of.check.name)}: ${told}`);
}
