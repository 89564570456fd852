// The place where a list goes on: as of which revision, after which key. Opaque to clients; the form is Kubernetes'
// own, so that a token survives a change of servers.

import { isJsonObject } from "../../api/json.ts";
import { parseJsonText } from "../../api/json-text.ts";
import { badRequest } from "../../api/status-error.ts";

export interface Place {
  /** Undefined: as of whenever the next page is read. */
  readonly revision: bigint | undefined;
  /** The last key of the page before, without the prefix of the list. */
  readonly after: string;
}

/** "-1" in a token: the list goes on with what is there then. */
const ANY = -1n;

export function encodePlace({ revision, after }: Place): string {
  // By hand, since a revision may be larger than the numbers of JSON.stringify.
  const start = JSON.stringify(`/${after}\0`);
  const text = `{"v":"meta.k8s.io/v1","rv":${revision ?? ANY},"start":${start}}`;
  return Buffer.from(text).toString("base64url");
}

export function decodePlace(token: string): Place {
  const bytes = Buffer.from(token, "base64url");
  refuseGarbage(bytes);
  const text = bytes.toString();
  const found = parsed(text);
  if (found.v !== "meta.k8s.io/v1") {
    throw bad("server does not recognize this encoded version");
  }
  const version = /"rv":\s*(-?\d{1,20})\b/.exec(text)?.[1];
  if (version === undefined || version === "0") {
    throw bad("incorrect encoded start resourceVersion (version meta.k8s.io/v1)");
  }
  const { start } = found;
  if (typeof start !== "string" || start === "") {
    throw bad("encoded start key empty (version meta.k8s.io/v1)");
  }
  const revision = BigInt(version);
  return {
    revision: revision < 0n ? undefined : revision,
    after: start.replace(/^\//, "").replace(/\0$/, ""),
  };
}

/** In the API's words, which name the first byte. */
function refuseGarbage(bytes: Buffer): void {
  const [first] = bytes;
  if (first === undefined) throw bad("unexpected end of JSON input");
  if (first === 0x7b) return;
  const isPlain = first > 0x1f && first < 0x7f;
  const shown = isPlain
    ? String.fromCharCode(first)
    : `\\u00${first.toString(16).padStart(2, "0")}`;
  throw bad(`invalid character '${shown}' looking for beginning of value`);
}

function parsed(text: string): { readonly v?: unknown; readonly start?: unknown } {
  try {
    const { value } = parseJsonText(text);
    if (isJsonObject(value)) return value;
  } catch (err) {
    throw bad(err instanceof Error ? err.message : String(err));
  }
  throw bad("it is not an object");
}

function bad(why: string): Error {
  return badRequest(`invalid continue token: continue key is not valid: ${why}`);
}
