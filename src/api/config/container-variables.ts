// Which keys of which objects a container's variables come from. The agent's rules (env/build-environment.ts) followed without values: whole objects
// first, then the declared ones in order, each of which may replace or refer to those before it. What a whole object brings is known to the
// server alone, so a name that nobody declares may be a key of each of them.

import type { EnvFromSource, EnvVar } from "../types.ts";
import { isAbsent, list, text } from "../validation/absent.ts";
import { expand } from "./expansion.ts";
import type { ConfigKind } from "./pod-uses.ts";

/** A key that a variable's value comes from. */
interface KeyOrigin {
  readonly kind: ConfigKind;
  readonly name: string;
  readonly key: string;
  readonly optional: boolean;
}

/** An object that is used as a whole, or a key of one. */
type Origin = Omit<KeyOrigin, "key"> & { readonly key: string | undefined };

/** What variables a container declares. */
export interface Declares {
  readonly env?: readonly EnvVar[] | null | undefined;
  readonly envFrom?: readonly EnvFromSource[] | null | undefined;
}

export interface ContainerVariables {
  /** Every reference of the declaration, in its order, with the variables that it reaches. */
  readonly used: readonly (Origin & { readonly variables: readonly string[] })[];
  /** Where the value that $(NAME) stands for in command and args may come from; empty: from no object. */
  originsOf(variable: string): readonly KeyOrigin[];
  /** The text with its references replaced; undefined if that takes more than what the spec itself says. */
  expanded(text: string): string | undefined;
}

/** What is known of a variable without asking anybody. */
interface Known {
  readonly origins: readonly KeyOrigin[];
  /** Undefined: not known from the spec. */
  readonly value: string | undefined;
}

export function containerVariables({ env, envFrom }: Declares): ContainerVariables {
  const wholes = list(envFrom).flatMap((from) => wholeOf(from) ?? []);
  const declared = new Map<string, Known>();
  const lookup = (name: string): Known => declared.get(name) ?? fromWholes(wholes, name);
  for (const variable of list(env)) {
    const name = text(variable?.name);
    if (name !== "") declared.set(name, knownOf(variable, lookup));
  }
  const own = [...declared].flatMap(([name, { origins }]) =>
    origins.map((origin) => ({ origin, name })),
  );
  const reached = (of: Origin): readonly string[] =>
    own.flatMap(({ origin, name }) => (isSame(origin, of) ? [name] : []));
  const references: readonly Origin[] = [
    ...wholes.map(({ kind, name, optional }) => ({ kind, name, optional, key: undefined })),
    ...list(env).flatMap((variable) => keyOf(variable) ?? []),
  ];
  return {
    used: references.map((origin) => ({ ...origin, variables: [...new Set(reached(origin))] })),
    originsOf: (name) => lookup(name).origins,
    expanded: (value) => expandedBy(value, lookup).value,
  };
}

/** The names that a text refers to as $(NAME); $$(NAME) refers to nothing. */
export function referencesIn(value: string): readonly string[] {
  const names: string[] = [];
  expand(value, (name) => {
    names.push(name);
    return undefined;
  });
  return names;
}

type Whole = Omit<KeyOrigin, "key"> & { readonly prefix: string };

function wholeOf(from: EnvFromSource | null): Whole | undefined {
  const ref = from?.configMapRef ?? from?.secretRef;
  if (isAbsent(ref) || text(ref.name) === "") return undefined;
  const kind = from?.configMapRef ? "ConfigMap" : "Secret";
  return {
    ...{ kind, name: text(ref.name), optional: ref.optional === true },
    prefix: text(from?.prefix),
  };
}

/** A variable with a value does not look at its source. */
function keyOf(variable: EnvVar | null): KeyOrigin | undefined {
  const from = variable?.valueFrom;
  if (variable?.value || isAbsent(from) || from.fieldRef || from.resourceFieldRef) return undefined;
  const ref = from.configMapKeyRef ?? from.secretKeyRef;
  if (isAbsent(ref) || text(ref.name) === "" || text(ref.key) === "") return undefined;
  const kind = from.configMapKeyRef ? "ConfigMap" : "Secret";
  return { kind, name: text(ref.name), key: ref.key, optional: ref.optional === true };
}

function knownOf(variable: EnvVar, lookup: (name: string) => Known): Known {
  if (variable.value) return expandedBy(variable.value, lookup);
  const key = keyOf(variable);
  if (!key) return { origins: [], value: isAbsent(variable.valueFrom) ? "" : undefined };
  // What is optional and missing leaves the value that was there before.
  const before = key.optional ? lookup(variable.name).origins : [];
  return { origins: [...before, key], value: undefined };
}

function expandedBy(value: string, lookup: (name: string) => Known): Known {
  const origins: KeyOrigin[] = [];
  let isKnown = true;
  const result = expand(value, (name) => {
    const known = lookup(name);
    origins.push(...known.origins);
    if (known.value === undefined) isKnown = false;
    return known.value;
  });
  return { origins, value: isKnown ? result : undefined };
}

/** A key that is not there makes no variable; nor is one of another object hidden then. */
function fromWholes(wholes: readonly Whole[], variable: string): Known {
  const origins = wholes.flatMap(({ prefix, ...of }): readonly KeyOrigin[] => {
    const key = variable.startsWith(prefix) ? variable.slice(prefix.length) : "";
    return key === "" ? [] : [{ ...of, key, optional: true }];
  });
  return { origins, value: undefined };
}

function isSame(origin: KeyOrigin, of: Origin): boolean {
  return (
    origin.kind === of.kind &&
    origin.name === of.name &&
    (of.key === undefined || of.key === origin.key)
  );
}
