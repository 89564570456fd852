// Keys and values as environment variables, by the rules of envFrom: what cannot be one is left out, and said.

import type { Files } from "./settings.ts";

export interface Variables {
  readonly variables: ReadonlyMap<string, string>;
  /** Why keys were left out; never their values. */
  readonly skipped: readonly string[];
}

/** As Kubernetes takes them: any printable ASCII but "=". */
const NAME = /^[ -<>-~]+$/;
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

export function variablesOf(files: Files): Variables {
  const variables = new Map<string, string>();
  const skipped: string[] = [];
  for (const [name, data] of files) {
    const value = NAME.test(name) && !name.includes("/") ? textOf(data) : undefined;
    if (value === undefined) skipped.push(name);
    else variables.set(name, value);
  }
  return { variables, skipped };
}

/** Undefined for bytes that no variable can hold. */
function textOf(data: Uint8Array): string | undefined {
  if (data.includes(0)) return undefined;
  try {
    return utf8.decode(data);
  } catch {
    // Not text. Nothing of it may be shown.
    return undefined;
  }
}
