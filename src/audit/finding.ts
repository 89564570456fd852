// Something that was found, and where. Where is a path in an object: a file's line, or the field of a live object, is made of it by those who
// know where objects come from.

import { type Rule, type RuleName, ruleNamed, type Severity } from "./rules.ts";
import type { Subject } from "./subject.ts";

export type FieldPath = readonly (string | number)[];

/** What `lint --fix` does about a finding. Never anything that changes what runs today. */
export type Fix =
  /** Add an annotation to the object's own metadata. */
  | { readonly type: "annotate"; readonly key: string; readonly value: string }
  /** Put the scalar at the finding's path in quotes. */
  | { readonly type: "quote" }
  /** Write the number at the finding's path as this mode. */
  | { readonly type: "mode"; readonly mode: number };

export interface Finding {
  readonly rule: Rule;
  /** The rule's, unless the circumstances make it another. */
  readonly severity: Severity;
  readonly subject: Subject;
  /** Of the field in the subject's object that is at fault; its parent if it is missing. */
  readonly path: FieldPath;
  /** What is the matter here, in a sentence. Never a value of a Secret. */
  readonly message: string;
  readonly fix?: Fix;
}

export function found(
  name: RuleName,
  at: { readonly subject: Subject; readonly path: FieldPath },
  message: string,
  more: { readonly fix?: Fix | undefined; readonly severity?: Severity } = {},
): Finding {
  const rule = ruleNamed(name);
  const { fix, severity = rule.severity } = more;
  const { subject, path } = at;
  return { rule, severity, subject, path, message, ...(fix && { fix }) };
}

/** spec.containers[0].env[1], data["log.level"] */
export function pathText(path: FieldPath): string {
  return path
    .map((step) => {
      if (typeof step === "number") return `[${step}]`;
      return /^[A-Za-z_][\w-]*$/.test(step) ? `.${step}` : `[${JSON.stringify(step)}]`;
    })
    .join("")
    .replace(/^\./, "");
}
