// How a machine becomes a node: with a token that somebody made for it, and the hash of the authority that came with the
// token. A machine that has joined stays what it is when it is started with the same words again; it joins anew only if
// the server does not take its certificate any more.

import { StatusError } from "../../api/status-error.ts";
import { deadline } from "../../base/abort.ts";
import { Backoff } from "../../base/backoff.ts";
import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/logger.ts";
import type { Random } from "../../base/random.ts";
import { ApiClient } from "../../client/api-client.ts";
import { fetchAuthority } from "../../client/pinned-authority.ts";
import { certificateRequest, newKey } from "./certificate-request.ts";
import { finalJoinError, isUntrusted, JoinError } from "./join-error.ts";
import { lifetimeOf, signedCertificate } from "./node-certificate.ts";
import type { KeyAndCertificate, MemberOf, NodeFiles } from "./node-files.ts";
import { loadIdentity, type NodeIdentity } from "./node-identity.ts";
import { refuseNodeName } from "./node-name.ts";

export interface JoinOptions {
  /** https://host:port */
  readonly server: string;
  /** "ID.SECRET" */
  readonly token: string;
  /** "sha256:" and the hash of the key of the server's authority. */
  readonly caHash: string;
  readonly nodeName: string;
  readonly files: NodeFiles;
  /** How long to go on trying while the server cannot be reached. */
  readonly patienceMs: number;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

const JOIN_PATH = "/driftless/v1/join";
const REQUEST_MS = 10_000;

/** Throws JoinError if somebody has to do something first. */
export async function join(options: JoinOptions, signal: AbortSignal): Promise<NodeIdentity> {
  const { files, nodeName, logger } = options;
  refuseNodeName(nodeName);
  const held = loadIdentity(files);
  if (held !== undefined) {
    refuseOtherName(held, options);
    const standing = await standingOf(held, options, signal);
    if (standing !== "refused") return heldAt(held, { standing, options });
  }
  const membership = await patiently(options, signal);
  files.becomeMember(membership);
  warnOfClock(membership, options);
  logger.info("joined as a node", { server: membership.server, node: nodeName });
  return loaded(files);
}

function loaded(files: NodeFiles): NodeIdentity {
  const identity = loadIdentity(files);
  if (identity === undefined) throw new Error(`Cannot read ${files.kubeconfig}: it is gone`);
  return identity;
}

function refuseOtherName(held: NodeIdentity, { nodeName, files }: JoinOptions): void {
  if (held.nodeName === nodeName) return;
  throw new JoinError(
    `Cannot join as node ${JSON.stringify(nodeName)}: this machine is the node ${JSON.stringify(held.nodeName)} already. To leave that behind remove ${files.directory}`,
  );
}

/** The address that was named counts; it is remembered when the server was found there. */
function heldAt(
  held: NodeIdentity,
  { standing, options }: { readonly standing: Standing; readonly options: JoinOptions },
): NodeIdentity {
  const server = options.server.replace(/\/+$/, "");
  if (held.connection.server === server) return held;
  if (standing === "node") options.files.moveTo(server);
  return { ...held, connection: { ...held.connection, server } };
}

type Standing = "node" | "refused" | "unknown";

/** Refused only if the server says so: a node starts while its server is away, too. */
async function standingOf(
  { nodeName, connection }: NodeIdentity,
  { server, clock, logger }: JoinOptions,
  signal: AbortSignal,
): Promise<Standing> {
  using client = new ApiClient({
    connection: { ...connection, server },
    clock,
    timeoutMs: REQUEST_MS,
  });
  try {
    const path = `/api/v1/nodes/${encodeURIComponent(nodeName)}`;
    await client.request({ method: "GET", path, signal });
    return "node";
  } catch (err) {
    signal.throwIfAborted();
    const isRefused = err instanceof StatusError && [401, 403, 404].includes(err.code);
    if (!isRefused && !isUntrusted(err)) return "unknown";
    logger.warn("the server does not take this node's certificate: joining again", {
      server,
      node: nodeName,
      err,
    });
    return "refused";
  }
}

/** Tries again while the server is away or busy. */
async function patiently(
  options: JoinOptions,
  signal: AbortSignal,
): Promise<KeyAndCertificate & MemberOf> {
  const { clock, random, logger, server, nodeName, token, patienceMs } = options;
  const pauses = { baseMs: 500, factor: 2, maxMs: 10_000, jitter: 0.5, resetAfterMs: 600_000 };
  const backoff = new Backoff({ ...pauses, clock, random });
  const [tokenId = ""] = token.split(".");
  const endMs = clock.monotonicMs() + patienceMs;
  for (;;) {
    try {
      return await attempt(options, signal);
    } catch (err) {
      signal.throwIfAborted();
      const final = finalJoinError(err, { server, nodeName, tokenId, nowMs: clock.now() });
      if (final !== undefined) throw final;
      const waitMs = backoff.nextMs();
      if (clock.monotonicMs() + waitMs > endMs) throw away(options, err);
      logger.warn("cannot join yet: trying again", { server, node: nodeName, waitMs, err });
      await clock.sleep(waitMs, signal);
    }
  }
}

function away({ server, nodeName }: JoinOptions, cause: unknown): JoinError {
  return new JoinError(
    `Cannot join ${server} as node ${JSON.stringify(nodeName)}: the server cannot be reached, or is too busy to answer. Look whether it runs, and listens on an address that this machine reaches`,
    { cause },
  );
}

async function attempt(
  { server, caHash, token, nodeName, files, clock }: JoinOptions,
  signal: AbortSignal,
): Promise<KeyAndCertificate & MemberOf> {
  const authority = await fetchAuthority({ server, caHash, clock, timeoutMs: REQUEST_MS });
  const key = await files.joiningKey(newKey);
  const csr = await certificateRequest(key);
  const connection = { server, authority, isInsecure: false, namespace: "", token: () => token };
  using client = new ApiClient({ connection, clock, timeoutMs: REQUEST_MS });
  using limit = deadline({ clock, timeoutMs: REQUEST_MS, signal });
  const body = { nodeName, csr };
  const asked = { method: "POST", path: JOIN_PATH, body, signal: limit.signal } as const;
  const certificate = signedCertificate(await client.request(asked), { key, nodeName });
  return { server, authority, key, certificate };
}

/** The server has just made it: if it does not hold now, somebody's clock is wrong. */
function warnOfClock({ certificate }: KeyAndCertificate, { clock, logger }: JoinOptions): void {
  const { startMs, endMs } = lifetimeOf(certificate);
  const nowMs = clock.now();
  if (nowMs >= startMs && nowMs < endMs) return;
  logger.warn("the clocks of this machine and of the server differ: set them", {
    here: new Date(nowMs).toISOString(),
    certificateFrom: new Date(startMs).toISOString(),
    certificateUntil: new Date(endMs).toISOString(),
  });
}
