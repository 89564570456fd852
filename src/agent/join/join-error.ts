// Why a machine could not join, in words that say what to do, and whether it is worth trying again.

import { StatusError } from "../../api/status-error.ts";

/** Trying again as things are gives the same answer: somebody has to do what the message says. */
export class JoinError extends Error {
  override readonly name = "JoinError";
}

export interface JoinAttempt {
  readonly server: string;
  readonly nodeName: string;
  /** The half that is no secret. */
  readonly tokenId: string;
  /** What this machine believes the time to be. */
  readonly nowMs: number;
}

const CLOCK_CODES = ["CERT_NOT_YET_VALID", "CERT_HAS_EXPIRED"];
/** How OpenSSL and Node say that the server is not who it should be. */
const UNTRUSTED =
  /^(ERR_TLS_CERT|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|CERT_(SIGNATURE|UNTRUSTED|REJECTED)|HOSTNAME_)/;

/** Undefined if trying again may help: the server is away or busy. */
export function finalJoinError(err: unknown, attempt: JoinAttempt): JoinError | undefined {
  const why = reasonOf(err, attempt);
  if (why === undefined) return undefined;
  const { server, nodeName } = attempt;
  return new JoinError(`Cannot join ${server} as node ${JSON.stringify(nodeName)}: ${why}`, {
    cause: err,
  });
}

/** Somebody answers there who is not the server that this machine knows. */
export function isUntrusted(err: unknown): boolean {
  return codesOf(err).some((code) => UNTRUSTED.test(code));
}

function reasonOf(err: unknown, attempt: JoinAttempt): string | undefined {
  if (err instanceof StatusError) return refusal(err, attempt);
  const codes = codesOf(err);
  if (codes.some((code) => CLOCK_CODES.includes(code))) {
    const now = new Date(attempt.nowMs).toISOString();
    return `the server's certificate does not hold at ${now}, which is what the clock of this machine says. Set the clock; if it is right, look at the server's`;
  }
  if (isUntrusted(err)) {
    return "its certificate is not for this address, or not from the authority that it showed. Use the address that the server was told to be reached by";
  }
  const isAway = err instanceof Error && err.message.startsWith("Cannot reach");
  if (isAway) return undefined;
  return err instanceof Error ? err.message : String(err);
}

function refusal({ code, message }: StatusError, { tokenId }: JoinAttempt): string | undefined {
  if (code === 429 || code >= 500) return undefined;
  if (code === 401) {
    return `the server does not know the join token ${JSON.stringify(tokenId)}: it is wrong, over or was deleted. Make a new one with "driftless token create"`;
  }
  return message.replace(/^forbidden: /, "");
}

function codesOf(err: unknown): readonly string[] {
  const codes: string[] = [];
  for (let at = err, depth = 0; at instanceof Error && depth < 10; at = at.cause, depth++) {
    if ("code" in at && typeof at.code === "string") codes.push(at.code);
  }
  return codes;
}
