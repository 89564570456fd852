// prometheus-config-reloader's $(VAR): a variable of the environment. One that is not set is an error; "$(" around anything else is text.

import { decoded, isGzip } from "./decode.ts";
import { type Input, MakeError, textOf } from "./make-error.ts";

export type Variables = Readonly<Record<string, string | undefined>>;

const REFERENCE = /\$\(([A-Za-z0-9_]+)\)/g;

export interface Substitution {
  readonly variables: Variables;
  /** A reference to what is not set stays as it is. */
  readonly keepsUnset: boolean;
}

export interface Substituted {
  readonly data: Uint8Array;
  /** What was kept. */
  readonly unset: readonly string[];
}

/** Unpacks gzip first, as that program does. All variables that are missing are named together. */
export function substituted(input: Input, { variables, keepsUnset }: Substitution): Substituted {
  const plain = isGzip(input.data) ? decoded(input, ["gzip"]) : input;
  const missing = new Set<string>();
  const text = textOf(plain).replace(REFERENCE, (whole, name: string) => {
    const value = Object.hasOwn(variables, name) ? variables[name] : undefined;
    if (value === undefined) missing.add(name);
    return value ?? whole;
  });
  if (missing.size > 0 && !keepsUnset) {
    throw new MakeError(
      `${input.address} refers to ${[...missing].map((name) => `$(${name})`).join(", ")}, which the environment does not have`,
    );
  }
  return { data: Buffer.from(text), unset: [...missing] };
}
