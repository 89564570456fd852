// Where to listen, as Go's programs are told: ":9533" is all addresses.

export interface ListenPlace {
  /** Undefined: all addresses. */
  readonly host: string | undefined;
  readonly port: number;
}

/** Undefined for what is no such place. */
export function parseListenText(text: string): ListenPlace | undefined {
  const found = /^(?:\[([^\]]+)\]|([^:[\]]*)):(\d{1,5})$/.exec(text);
  const port = Number(found?.[3]);
  if (found === null || port > 65_535) return undefined;
  const host = found[1] ?? found[2] ?? "";
  return { host: host === "" ? undefined : host, port };
}
