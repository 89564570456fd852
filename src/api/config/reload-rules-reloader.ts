// Stakater Reloader's annotations. They always mean a restart, whatever the way in which the object is used. What Reloader does
// not look at, reload-rules.ts does: whether what changed is used at all.

import { NamePatternError, namePattern } from "./name-pattern.ts";
import type { ConfigKind } from "./pod-uses.ts";

type Annotations = Readonly<Record<string, string>>;

/** An object that may have changed, with its own annotations. */
export interface AskedObject {
  readonly kind: ConfigKind;
  readonly name: string;
  readonly annotations: Annotations;
}

const RELOADER = "reloader.stakater.com";
const PREFIX: Readonly<Record<ConfigKind, string>> = { ConfigMap: "configmap", Secret: "secret" };
const KINDS: readonly ConfigKind[] = ["ConfigMap", "Secret"];
const PAUSE_PERIOD = `deployment.${RELOADER}/pause-period`;
const AUTO = `${RELOADER}/auto`;
const SEARCH = `${RELOADER}/search`;
const MATCH = `${RELOADER}/match`;
const IGNORE = `${RELOADER}/ignore`;
const UNSUPPORTED: Readonly<Record<string, string>> = {
  [`${RELOADER}/rollout-strategy`]: "it is about Argo Rollouts, which are not restarted",
  [`secretproviderclass.${RELOADER}/auto`]: "CSI secrets are not followed",
  [`secretproviderclass.${RELOADER}/reload`]: "CSI secrets are not followed",
  [`secretproviderclasses.exclude.${RELOADER}/reload`]: "CSI secrets are not followed",
};
const CHOOSING: readonly string[] = [
  AUTO,
  SEARCH,
  ...KINDS.flatMap((kind) => [autoOf(kind), reloadOf(kind)]),
];

/** The workload's annotations count; the pod's only if the workload has none that chooses objects, as in Reloader. */
export class ReloaderRules {
  readonly #used: Annotations;
  readonly #all: Annotations;
  readonly #named: Readonly<Record<ConfigKind, NameList>>;
  readonly #excluded: Readonly<Record<ConfigKind, ReadonlySet<string>>>;
  readonly problems: readonly string[];
  /** How long a Deployment is paused after a restart. */
  readonly pauseMs: number | undefined;

  constructor(workload: Annotations, pod: Annotations) {
    this.#used = CHOOSING.some((name) => workload[name] !== undefined) ? workload : pod;
    this.#all = { ...pod, ...workload };
    const problems: string[] = [];
    this.#named = {
      ConfigMap: namesIn(this.#used, reloadOf("ConfigMap"), problems),
      Secret: namesIn(this.#used, reloadOf("Secret"), problems),
    };
    this.#excluded = {
      ConfigMap: new Set(wordsOf(this.#all[excludeOf("ConfigMap")])),
      Secret: new Set(wordsOf(this.#all[excludeOf("Secret")])),
    };
    this.pauseMs = pauseOf(this.#all, problems);
    this.problems = [...problems, ...wordProblems(this.#used), ...unsupported(this.#all)];
  }

  get asksForSomething(): boolean {
    return (
      this.#used[SEARCH] === "true" ||
      [AUTO, ...KINDS.map(autoOf)].some((name) => isTrue(this.#used[name])) ||
      this.namesAny
    );
  }

  /** False: `names` is true of nothing. */
  get namesAny(): boolean {
    return KINDS.some((kind) => !isEmpty(this.#named[kind]));
  }

  /** The annotation that asks for a restart when this object changes, if the pod uses it. */
  restartsFor(object: AskedObject): string | undefined {
    if (this.refusalOf(object) !== undefined) return undefined;
    const named = this.names(object);
    if (named !== undefined) return named;
    if (this.#used[SEARCH] === "true" && object.annotations[MATCH] === "true") return SEARCH;
    return [AUTO, autoOf(object.kind)].find((name) => isTrue(this.#used[name]));
  }

  /** The annotation that lists the object: it asks for a restart even if nothing in the pod refers to the object. */
  names(object: AskedObject): string | undefined {
    const { words, patterns } = this.#named[object.kind];
    const isNamed = words.has(object.name) || patterns.some((matches) => matches(object.name));
    return isNamed && this.refusalOf(object) === undefined ? reloadOf(object.kind) : undefined;
  }

  /** What keeps the object from restarting this workload, if anything asks for it. */
  refusalOf({ kind, name, annotations }: AskedObject): string | undefined {
    if (annotations[IGNORE] === "true") return `${IGNORE} on the object`;
    return this.#excluded[kind].has(name) ? excludeOf(kind) : undefined;
  }
}

/** What a list says: most are names as they are. */
interface NameList {
  readonly words: ReadonlySet<string>;
  readonly patterns: readonly ((name: string) => boolean)[];
}

/** Each is tried on every object of the namespace. Names have no limit. */
const MAX_PATTERNS = 100;

function namesIn(annotations: Annotations, annotation: string, problems: string[]): NameList {
  const listed = wordsOf(annotations[annotation]);
  const isPlain = (word: string): boolean => /^[a-z0-9-]+$/.test(word);
  const patterns = listed.filter((word) => !isPlain(word));
  if (patterns.length > MAX_PATTERNS) {
    problems.push(`${annotation}: only the first ${MAX_PATTERNS} patterns count`);
  }
  return {
    words: new Set(listed.filter(isPlain)),
    patterns: patterns.slice(0, MAX_PATTERNS).flatMap((word) => {
      try {
        return [namePattern(word)];
      } catch (err) {
        if (!(err instanceof NamePatternError)) throw err;
        problems.push(`${annotation}: the pattern ${JSON.stringify(word)} ${err.message}`);
        return [];
      }
    }),
  };
}

function isEmpty({ words, patterns }: NameList): boolean {
  return words.size === 0 && patterns.length === 0;
}

function wordProblems(annotations: Annotations): readonly string[] {
  return [AUTO, SEARCH, ...KINDS.map(autoOf)].flatMap((name) => {
    const value = annotations[name];
    return value === undefined || BOOLEANS.has(value)
      ? []
      : [`${name}: ${JSON.stringify(value)} is neither "true" nor "false"`];
  });
}

function unsupported(annotations: Annotations): readonly string[] {
  return Object.entries(UNSUPPORTED).flatMap(([name, why]) =>
    annotations[name] === undefined ? [] : [`${name} is not supported: ${why}`],
  );
}

function wordsOf(list: string | undefined): readonly string[] {
  const words = (list ?? "").split(",").map((word) => word.trim());
  return words.filter((word) => word !== "");
}

function autoOf(kind: ConfigKind): string {
  return `${PREFIX[kind]}.${RELOADER}/auto`;
}

function reloadOf(kind: ConfigKind): string {
  return `${PREFIX[kind]}.${RELOADER}/reload`;
}

function excludeOf(kind: ConfigKind): string {
  return `${PREFIX[kind]}s.exclude.${RELOADER}/reload`;
}

/** The words of Go's ParseBool. */
const TRUE: ReadonlySet<string> = new Set(["1", "t", "T", "TRUE", "true", "True"]);
const BOOLEANS: ReadonlySet<string> = new Set([...TRUE, "0", "f", "F", "FALSE", "false", "False"]);

function isTrue(value: string | undefined): boolean {
  return value !== undefined && TRUE.has(value);
}

function pauseOf(annotations: Annotations, problems: string[]): number | undefined {
  const text = annotations[PAUSE_PERIOD];
  if (text === undefined) return undefined;
  const ms = goDurationMs(text);
  if (ms !== undefined && ms > 0) return ms;
  problems.push(`${PAUSE_PERIOD}: ${JSON.stringify(text)} is not a time such as "5m" or "1h30m"`);
  return undefined;
}

const UNITS_MS: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};

/** Go's durations: "1h30m", "1.5s". */
function goDurationMs(text: string): number | undefined {
  if (!/^\+?(\d+(\.\d*)?(ns|us|µs|μs|ms|s|m|h))+$/.test(text)) return undefined;
  let sum = 0;
  for (const [, count, unit = ""] of text.matchAll(/(\d+(?:\.\d*)?)(ns|us|µs|μs|ms|s|m|h)/g)) {
    sum += Number(count) * (UNITS_MS[unit] ?? 0);
  }
  return sum;
}
