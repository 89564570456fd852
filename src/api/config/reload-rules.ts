// What a workload asks to be done when configuration changes that it uses: our own annotations, and Stakater Reloader's as a drop-in. The agent
// (signal, HTTP, command), the reload controller (restart), `plan`, `explain` and `lint` all decide with these functions, so that they agree.
//
//   driftless.dev/reload: auto | restart | signal:HUP | http:POST:http://127.0.0.1:8080/-/reload | exec:nginx -s reload | none
//   driftless.dev/reload.log.level: hot            for the key "log.level" alone; the same words, and "hot"
//   reloader.stakater.com/auto: "true" …           reload-rules-reloader.ts
//
// A key's own rule counts for more than the rule for all keys, ours for more than Reloader's, the pod's for more than its workload's. Of all
// keys that change, the one that asks for most decides: restart, then being told, then nothing.

import type { ConfigKind, PodUse } from "./pod-uses.ts";
import {
  parseReloadWish,
  type ReloadAction,
  type ReloadWish,
  reloadWishText,
} from "./reload-action.ts";
import { type AskedObject, ReloaderRules } from "./reload-rules-reloader.ts";

/** Where annotations were found; the pod's own count for more than its workload's. */
export interface AnnotatedWorkload {
  readonly workload: Readonly<Record<string, string>>;
  readonly pod: Readonly<Record<string, string>>;
}

/** The object whose content changed. */
export interface ChangedObject {
  readonly kind: ConfigKind;
  readonly name: string;
  readonly annotations: Readonly<Record<string, string>>;
  /** Keys that were added, changed or removed. */
  readonly keys: readonly string[];
}

/** What a change does to one use, in the words of `plan`. */
export interface Effect {
  readonly effect: "nothing" | "hot" | "signal" | "http" | "exec" | "restart" | "frozen";
  /** What is done, for all but nothing, hot and frozen. */
  readonly action?: ReloadAction;
  /** All that is done, in this order, where keys ask for different things; `action` is the first. */
  readonly actions?: readonly ReloadAction[];
  /** A sentence: "uses only LOG_LEVEL, which does not change", "reloader.stakater.com/auto". */
  readonly why: string;
}

export interface ReloadRules {
  /** "every minute-long pause" of Reloader's pause-period, in ms. */
  readonly pauseMs: number | undefined;
  /** Annotations that could not be understood, as sentences that name them; they count as not written. */
  readonly problems: readonly string[];
  /** Whether anything here asks for anything: workloads that ask for nothing are never touched. */
  readonly asksForSomething: boolean;
  effectOf(use: PodUse, change: ChangedObject, facts: UseFacts): Effect;
  /** False: `restartsUnusedFor` is undefined for everything, and need not be asked. */
  readonly mayRestartUnused: boolean;
  /** The annotation that wants a restart when this object changes although nothing in the pod refers to it (Reloader's lists). */
  restartsUnusedFor(object: Omit<ChangedObject, "keys">): string | undefined;
}

interface UseFacts {
  /** A subPath of a config volume follows its object on this node (kernel 6.5). Unknown nodes: false. */
  readonly subPathIsLive: boolean;
}

/** The annotation for all keys; with "." and a key after it the one for that key. */
export const RELOAD_ANNOTATION = "driftless.dev/reload";

/** A rule, and what to call it. */
interface Rule {
  readonly wish: ReloadWish;
  readonly source: string;
}

export function reloadRules({ workload, pod }: AnnotatedWorkload): ReloadRules {
  const problems: string[] = [];
  const byKey = new Map<string, Rule>();
  let general: Rule | undefined;
  for (const [name, text] of Object.entries({ ...workload, ...pod })) {
    if (!isReloadAnnotation(name)) continue;
    const wish = parseReloadWish(text);
    if (typeof wish === "string") {
      problems.push(`${name}: ${wish}`);
    } else {
      const rule = { wish, source: `${name}: ${reloadWishText(wish)}` };
      if (name === RELOAD_ANNOTATION) general = rule;
      else byKey.set(name.slice(RELOAD_ANNOTATION.length + 1), rule);
    }
  }
  const reloader = new ReloaderRules(workload, pod);
  const ruleFor = (object: AskedObject, key: string): Rule | undefined => {
    const own = byKey.get(key) ?? general;
    if (own !== undefined) return own;
    const source = reloader.restartsFor(object);
    return source === undefined ? undefined : { wish: { type: "restart" }, source };
  };
  return {
    pauseMs: reloader.pauseMs,
    problems: [...problems, ...reloader.problems],
    asksForSomething: general !== undefined || byKey.size > 0 || reloader.asksForSomething,
    effectOf: (use, change, facts) => {
      const keys = change.keys.filter((key) => use.keys?.includes(key) ?? true);
      if (keys.length === 0) return untouched(use, change);
      const effects = keys.map((key) => effectOfRule(use, ruleFor(change, key), facts));
      const refusal = general === undefined ? reloader.refusalOf(change) : undefined;
      return strongest(effects, refusal);
    },
    mayRestartUnused: general === undefined && reloader.namesAny,
    restartsUnusedFor: (object) => (general === undefined ? reloader.names(object) : undefined),
  };
}

/** One of ours; those of the reload controller's own bookkeeping are none. */
export function isReloadAnnotation(name: string): boolean {
  return name === RELOAD_ANNOTATION || name.startsWith(`${RELOAD_ANNOTATION}.`);
}

function untouched({ keys = [] }: PodUse, change: ChangedObject): Effect {
  if (change.keys.length === 0) return { effect: "nothing", why: "no key changes" };
  if (keys.length === 0) return { effect: "nothing", why: "uses none of its keys" };
  const verb = keys.length > 1 ? "do" : "does";
  return { effect: "nothing", why: `uses only ${keys.join(", ")}, which ${verb} not change` };
}

const STRENGTH: readonly Effect["effect"][] = [
  "restart",
  "exec",
  "http",
  "signal",
  "frozen",
  "hot",
  "nothing",
];

function strongest(effects: readonly Effect[], refusal: string | undefined): Effect {
  const sorted = effects.toSorted(
    (a, b) => STRENGTH.indexOf(a.effect) - STRENGTH.indexOf(b.effect),
  );
  const [first = { effect: "nothing", why: "no key changes" } as const] = sorted;
  if (first.action === undefined) {
    return refusal === undefined ? first : { ...first, why: `${first.why} (${refusal})` };
  }
  if (first.effect === "restart") return { ...first, actions: [first.action] };
  const actions = new Map(
    sorted.flatMap(({ action }) =>
      action === undefined ? [] : [[reloadWishText(action), action]],
    ),
  );
  return { ...first, actions: [...actions.values()] };
}

function effectOfRule(use: PodUse, rule: Rule | undefined, facts: UseFacts): Effect {
  const sees = isLive(use, facts);
  if (use.containerType === "ephemeral") return sees ? live(use, undefined) : debugging;
  if (rule === undefined) return sees ? live(use, rule) : frozen(use, rule);
  const { wish, source } = rule;
  switch (wish.type) {
    case "restart":
      return restart(source);
    case "auto":
      return sees ? live(use, rule) : restart(`${source}; ${frozenText(use)}`);
    case "hot":
    case "none":
      return sees ? live(use, rule) : frozen(use, rule);
    default:
      return sees ? { effect: wish.type, action: wish, why: source } : frozen(use, rule);
  }
}

const debugging: Effect = {
  effect: "nothing",
  why: "an ephemeral container is never restarted",
};

function restart(why: string): Effect {
  return { effect: "restart", action: { type: "restart" }, why };
}

/** What a running process can see of the change. Init containers have ended. */
function isLive({ how, containerType }: PodUse, { subPathIsLive }: UseFacts): boolean {
  if (containerType === "init") return false;
  return how === "volume" || (how === "subPath" && subPathIsLive);
}

function live(use: PodUse, rule: Rule | undefined): Effect {
  return {
    effect: "hot",
    why: rule === undefined ? liveText(use) : `${rule.source}; ${liveText(use)}`,
  };
}

/** What an init container did stays done, and nobody runs with the old content in its environment. */
function frozen(use: PodUse, rule: Rule | undefined): Effect {
  const effect = use.containerType === "init" ? "nothing" : "frozen";
  const why =
    rule === undefined ? "no annotation asks for a restart" : `${rule.source} is no restart`;
  return { effect, why: `${frozenText(use)}; ${why}` };
}

function liveText({ mountPath }: PodUse): string {
  return `the files at ${mountPath} follow by themselves`;
}

function frozenText({ how, containerType, container, mountPath }: PodUse): string {
  if (containerType === "init") return `the init container ${container} ran before the change`;
  switch (how) {
    case "env":
      return "environment variables are fixed when the container starts";
    case "args":
      return "arguments are fixed when the container starts";
    case "subPath":
      return `the subPath mount at ${mountPath} does not follow on this node`;
    case "volume":
      return `the files at ${mountPath} follow by themselves`;
  }
}
