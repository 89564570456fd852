// What reload annotations say: whether they can be understood, agree with each other, and can have an effect here.

import type { ConfigKind } from "../../api/config/pod-uses.ts";
import { isReloadAnnotation, RELOAD_ANNOTATION } from "../../api/config/reload-rules.ts";
import { list, text } from "../../api/validation/absent.ts";
import { type FieldPath, type Finding, found } from "../finding.ts";
import { suggestion } from "../nearest-name.ts";
import { placedContainers } from "../references.ts";
import { nameOf } from "../subject.ts";
import { effectOfChange, type JudgedPod, type World } from "./world.ts";

const RELOADER = "reloader.stakater.com";

export function reloadFindings(pod: JudgedPod, world: World): readonly Finding[] {
  return [
    ...problemFindings(pod),
    ...conflictFindings(pod),
    ...restartFindings(pod, world),
    ...unusedKeyFindings(pod, world),
    ...unusedObjectFindings(pod, world),
    ...shellFindings(pod, world),
  ];
}

function all({ workloadAnnotations, podAnnotations }: JudgedPod): Readonly<Record<string, string>> {
  return { ...workloadAnnotations, ...podAnnotations };
}

/** The pod's own counts for more. */
function annotationPath({ podAnnotations, path, subject }: JudgedPod, name: string): FieldPath {
  const isPods = subject.kind === "Pod" || podAnnotations[name] !== undefined;
  return [...(isPods ? path : []), "metadata", "annotations", name];
}

function problemFindings(pod: JudgedPod): readonly Finding[] {
  const names = Object.keys(all(pod)).toSorted((a, b) => b.length - a.length);
  return pod.rules.problems.map((problem) => {
    const name = names.find((one) => problem.startsWith(one));
    const path = name === undefined ? ["metadata", "annotations"] : annotationPath(pod, name);
    const severity = problem.includes("is not supported") ? "warning" : "error";
    return found("reload-not-understood", { subject: pod.subject, path }, `${problem}.`, {
      severity,
    });
  });
}

function conflictFindings(pod: JudgedPod): readonly Finding[] {
  const annotations = all(pod);
  const chosen = Object.keys(annotations).filter(
    (name) =>
      /(?:^|\.)reloader\.stakater\.com\/(?:auto|search|reload)$/.test(name) &&
      !name.includes(".exclude.") &&
      annotations[name] !== "false",
  );
  const findings: Finding[] = [];
  const tell = (name: string, message: string): void => {
    findings.push(
      found("reload-conflict", { subject: pod.subject, path: annotationPath(pod, name) }, message),
    );
  };
  const [reloader] = chosen;
  if (reloader !== undefined && annotations[RELOAD_ANNOTATION] !== undefined) {
    tell(
      reloader,
      `${reloader} and ${RELOAD_ANNOTATION} both say what to do; ${RELOAD_ANNOTATION} counts here, Reloader goes by its own.`,
    );
  }
  const [auto, search] = [`${RELOADER}/auto`, `${RELOADER}/search`];
  if (chosen.includes(auto) && chosen.includes(search)) {
    tell(search, `${search} has no effect beside ${auto}.`);
  }
  for (const kind of ["configmap", "secret"]) {
    const excluded = words(annotations[`${kind}s.exclude.${RELOADER}/reload`]);
    const both = words(annotations[`${kind}.${RELOADER}/reload`]).filter((name) =>
      excluded.includes(name),
    );
    if (both.length > 0)
      tell(
        `${kind}s.exclude.${RELOADER}/reload`,
        `${both.join(", ")} is listed and excluded; it restarts nothing.`,
      );
  }
  return findings;
}

function words(text: string | undefined): readonly string[] {
  return (text ?? "")
    .split(",")
    .map((word) => word.trim())
    .filter((word) => word !== "");
}

function restartFindings(pod: JudgedPod, world: World): readonly Finding[] {
  if (pod.canRestart || pod.subject.kind === "PodTemplate" || !pod.rules.asksForSomething)
    return [];
  const use = pod.uses.find((one) => effectOfChange(pod, one, world) === "restart");
  if (use === undefined) return [];
  const name = Object.keys(all(pod)).find(
    (one) => isReloadAnnotation(one) || one.includes(`${RELOADER}/`),
  );
  const path = name === undefined ? ["metadata"] : annotationPath(pod, name);
  const message = `A change of ${nameOf(use)} asks for a restart, and a ${pod.subject.kind} is not restarted.`;
  return [found("reload-without-restart", { subject: pod.subject, path }, message)];
}

/** driftless.dev/reload.KEY of a key that nobody has. */
function unusedKeyFindings(pod: JudgedPod, { index }: World): readonly Finding[] {
  const used = pod.uses.map((use) => {
    if (use.keys !== undefined) return use.keys;
    const facts = index.find({ ...use, namespace: pod.subject.namespace });
    const keys = facts.flatMap((one) => (one.keys === undefined ? [] : [...one.keys.keys()]));
    return facts.length === 0 || facts.some((one) => one.keys === undefined) ? undefined : keys;
  });
  if (used.includes(undefined)) return [];
  const keys = new Set(used.flatMap((one) => one ?? []));
  return Object.keys(all(pod)).flatMap((name) => {
    const key = name.startsWith(`${RELOAD_ANNOTATION}.`)
      ? name.slice(RELOAD_ANNOTATION.length + 1)
      : "";
    if (key === "" || keys.has(key)) return [];
    const at = { subject: pod.subject, path: annotationPath(pod, name) };
    const message = `${name}: nothing that is used here has the key ${JSON.stringify(key)}.${suggestion(key, keys)}`;
    return [found("reload-of-unused", at, message)];
  });
}

/** Reloader's lists may name objects that the pod does not use, but not such that do not exist. */
function unusedObjectFindings(pod: JudgedPod, { index }: World): readonly Finding[] {
  const kinds: readonly (readonly [string, ConfigKind])[] = [
    ["configmap", "ConfigMap"],
    ["secret", "Secret"],
  ];
  return kinds.flatMap(([prefix, kind]) => {
    const annotation = `${prefix}.${RELOADER}/reload`;
    const used = new Set(pod.uses.filter((use) => use.kind === kind).map(({ name }) => name));
    return words(all(pod)[annotation]).flatMap((name) => {
      const isPattern = /[^a-z0-9.-]/.test(name);
      const isThere = index.find({ kind, name, namespace: pod.subject.namespace }).length > 0;
      if (isPattern || isThere || used.has(name) || !index.knows(kind)) return [];
      const at = { subject: pod.subject, path: annotationPath(pod, annotation) };
      const hint = suggestion(name, [
        ...used,
        ...index.names({ kind, namespace: pod.subject.namespace }),
      ]);
      return [
        found(
          "reload-of-unused",
          at,
          `${annotation}: ${nameOf({ kind, name })} is neither used nor there.${hint}`,
        ),
      ];
    });
  });
}

const SHELLS = /(?:^|\/)(?:a|ba|da|k|z)?sh$/;

function shellFindings(pod: JudgedPod, world: World): readonly Finding[] {
  const told = new Set<string>();
  return pod.uses.flatMap((use) => {
    if (told.has(use.container) || effectOfChange(pod, use, world) !== "signal") return [];
    const placed = placedContainers(pod).find((one) => one.container.name === use.container);
    const command = [...list(placed?.container.command), ...list(placed?.container.args)];
    const [program] = command;
    if (
      placed === undefined ||
      !SHELLS.test(text(program)) ||
      command.some((word) => /\bexec\s/.test(word))
    )
      return [];
    told.add(use.container);
    const field = list(placed.container.command).length > 0 ? "command" : "args";
    const message = `The signal goes to ${text(program)}, the first process of container ${JSON.stringify(use.container)}, and not to the program that it starts.`;
    return [
      found("signal-to-shell", { subject: pod.subject, path: [...placed.path, field] }, message),
    ];
  });
}
