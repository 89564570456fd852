// All checks on one subject. Pure: what is found depends on the subject and on what is known of the objects around it, and on nothing else.

import { contentFindings } from "./checks/content-checks.ts";
import { environmentFindings } from "./checks/environment-checks.ts";
import { frozenFindings } from "./checks/frozen-checks.ts";
import { referenceFindings } from "./checks/reference-checks.ts";
import { reloadFindings } from "./checks/reload-checks.ts";
import { volumeFindings } from "./checks/volume-checks.ts";
import { judgedPod, type World } from "./checks/world.ts";
import type { Finding } from "./finding.ts";
import { podSubject } from "./pod-subject.ts";
import { findRule } from "./rules.ts";
import { annotationsOf, type Subject } from "./subject.ts";

/** In the order of the checks; those that the subject's own annotations ask to ignore are left out. */
export function judge(subject: Subject, world: World): readonly Finding[] {
  const pod = podSubject(subject);
  const findings = [...contentFindings(subject)];
  if (pod !== undefined) {
    const judged = judgedPod(pod);
    for (const check of POD_CHECKS) findings.push(...check(judged, world));
  }
  return withoutIgnored(subject, findings);
}

const POD_CHECKS = [
  frozenFindings,
  referenceFindings,
  environmentFindings,
  volumeFindings,
  reloadFindings,
] as const;

const IGNORE_ANNOTATION = "driftless.dev/lint-ignore";

/** The annotation may be on the object or on its pods' template, and names ids or names, or "all". */
export function withoutIgnored(subject: Subject, findings: readonly Finding[]): readonly Finding[] {
  const annotations = [
    annotationsOf(subject.metadata)[IGNORE_ANNOTATION],
    podSubject(subject)?.podAnnotations[IGNORE_ANNOTATION],
  ];
  const ignored = annotations.flatMap((text) => ignoredRules(text ?? ""));
  if (ignored.length === 0) return findings;
  if (ignored.includes("all")) return [];
  return findings.filter(({ rule }) => !ignored.includes(rule.id));
}

/** Ids of the rules in a list of ids and names; "all" is kept, what is neither is left out. */
export function ignoredRules(text: string): readonly string[] {
  return text
    .split(/[\s,]+/)
    .flatMap((word) => (word === "all" ? word : (findRule(word)?.id ?? [])));
}
