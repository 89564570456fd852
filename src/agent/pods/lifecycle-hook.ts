// Runs one hook of a container, postStart or preStop. What it answers is nobody's business; that it failed is.

import { request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import type { Readable } from "node:stream";
import type { HTTPGetAction, LifecycleHandler, Pod } from "../../api/types.ts";
import type { Clock } from "../../base/clock.ts";
import { isErrno } from "../../base/errors.ts";
import type { Events } from "../../controller/event-recorder.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import type { AnyContainer } from "../all-containers.ts";
import {
  type HttpHeaders,
  type HttpPlace,
  httpHeaders,
  httpPlace,
  redirectPlace,
} from "../probes/http-request.ts";
import { dialFailure } from "../probes/network-error.ts";
import { aboutPod, podText } from "./pod-events.ts";
import { unlessAborted } from "./unless-aborted.ts";

export interface HookParts {
  readonly runtime: Pick<Runtime, "exec">;
  /** The first address is where pods of this node listen. */
  readonly node: { readonly addresses: readonly string[] };
  readonly events: Events;
  readonly clock: Clock;
}

export interface Hook {
  readonly pod: Pod;
  readonly container: AnyContainer;
  readonly containerId: string;
  readonly handler: LifecycleHandler;
}

/** In the original's words, with what the program said: for a container's status, not for events. */
class HookError extends Error {
  override readonly name = "HookError";
}

const USER_AGENT = "kube-lifecycle/1.36";
/** What a failed program said is kept so far. */
const MAX_OUTPUT_BYTES = 10 * 1024;
const MAX_REQUESTS = 10;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** Throws HookError, or what `signal` aborted with; then nothing of the hook goes on. */
export async function runHook(parts: HookParts, hook: Hook, signal: AbortSignal): Promise<void> {
  const { exec, httpGet, sleep } = hook.handler;
  if (exec !== undefined) await runProgram(parts, hook, signal);
  else if (httpGet !== undefined) await runRequest(parts, { ...hook, action: httpGet }, signal);
  else if (sleep !== undefined) await parts.clock.sleep(1000 * sleep.seconds, signal);
  // As in the original, where tcpSocket may be asked for and cannot be done.
  else throw new HookError("Cannot run handler: invalid handler");
}

async function runProgram({ runtime }: HookParts, hook: Hook, signal: AbortSignal): Promise<void> {
  const argv = hook.handler.exec?.command ?? [];
  let output = "";
  try {
    await using session = await runtime.exec(hook.containerId, {
      argv,
      hasStdin: false,
      hasTty: false,
    });
    const saidOut = kept(session.stdout);
    const saidErr = kept(session.stderr);
    const { exitCode } = await unlessAborted(session.ended, signal);
    const errors = saidErr();
    output = saidOut() + errors;
    if (exitCode !== 0) {
      throw new Error(`command '${argv.join(" ")}' exited with ${exitCode}: ${errors}`);
    }
  } catch (err) {
    signal.throwIfAborted();
    const text = `Exec lifecycle hook ([${argv.join(" ")}]) for ${whom(hook)} failed`;
    throw new HookError(`${text} - error: ${wordsOf(err)}, message: ${JSON.stringify(output)}`, {
      cause: err,
    });
  }
}

/** Reads all of it, so that the program never waits, and keeps the beginning. */
function kept(stream: Readable | undefined): () => string {
  const chunks: Buffer[] = [];
  let bytes = 0;
  stream?.on("data", (chunk: Buffer) => {
    if (bytes < MAX_OUTPUT_BYTES) chunks.push(chunk);
    bytes += chunk.length;
  });
  // How the program ended is all that counts.
  stream?.on("error", () => undefined);
  return () => {
    // What was given to the stream in this turn is not told of yet.
    while (stream !== undefined && stream.read() !== null);
    return Buffer.concat(chunks).subarray(0, MAX_OUTPUT_BYTES).toString();
  };
}

interface HttpHook extends Hook {
  readonly action: HTTPGetAction;
}

async function runRequest(
  { node, events }: HookParts,
  { action, ...hook }: HttpHook,
  signal: AbortSignal,
): Promise<void> {
  try {
    const place = httpPlace(action, hook.container, node.addresses[0] ?? "127.0.0.1");
    const scheme = await ask(place, httpHeaders(action.httpHeaders, USER_AGENT), signal);
    if (scheme === place.scheme) return;
    const message = `request to HTTPS lifecycle hook ${place.authority} got HTTP response, retry with HTTP succeeded`;
    aboutPod(events, hook.pod)("Warning", "LifecycleHTTPFallback", message);
  } catch (err) {
    signal.throwIfAborted();
    const text = `HTTP lifecycle hook (${action.path ?? ""}) for ${whom(hook)} failed`;
    throw new HookError(`${text} - error: ${wordsOf(err)}`, { cause: err });
  }
}

/**
 * Who speaks HTTP where TLS was expected is asked again in HTTP, without what is meant for TLS only. Returns how it was asked in
 * the end.
 */
async function ask(
  place: HttpPlace,
  headers: HttpHeaders,
  signal: AbortSignal,
): Promise<HttpPlace["scheme"]> {
  try {
    await follow(place, headers, signal);
    return place.scheme;
  } catch (err) {
    const isPlain = isErrno(err, "EPROTO", "ERR_SSL_WRONG_VERSION_NUMBER");
    if (place.scheme !== "https" || !isPlain) throw err;
    const { Authorization: _, ...rest } = headers;
    await follow({ ...place, scheme: "http", url: `http${place.url.slice(5)}` }, rest, signal);
    return "http";
  }
}

/** Any answer will do, but one that leads to another place on the same host. */
async function follow(start: HttpPlace, headers: HttpHeaders, signal: AbortSignal): Promise<void> {
  let place = start;
  let lines = headers;
  for (let sent = 1; ; sent++) {
    const location = await answered(place, lines, signal);
    if (location === undefined) return;
    const next = redirectPlace(place, location);
    const text = `Get ${JSON.stringify(place.url)}`;
    if (next === undefined) {
      throw new Error(`${text}: failed to parse Location header ${JSON.stringify(location)}`);
    }
    if (next.host !== start.host) return;
    if (sent >= MAX_REQUESTS) throw new Error(`${text}: stopped after 10 redirects`);
    // A name that the pod's author gave stays as long as the server does not give a whole URL.
    if (/^[a-z][a-z0-9+.-]*:/i.test(location)) lines = { ...lines, Host: [] };
    place = next;
  }
}

/** Returns where a redirect leads; undefined if the answer is none. */
function answered(
  place: HttpPlace,
  headers: HttpHeaders,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { scheme, host, port, path, authority } = place;
  return new Promise((resolve, reject) => {
    const onAnswer = (answer: IncomingMessage): void => {
      answer.destroy();
      const isRedirect = REDIRECTS.has(answer.statusCode ?? 0);
      resolve(isRedirect ? answer.headers.location : undefined);
    };
    const { Host = [authority], ...others } = headers;
    const lines = { ...others, Host: Host[0] ?? authority };
    // The certificate is the pod's own, and the machine is this one.
    const options = { host, port, path, headers: lines, signal, agent: false as const };
    const asked =
      scheme === "https"
        ? httpsRequest({ ...options, rejectUnauthorized: false }, onAnswer)
        : httpRequest(options, onAnswer);
    asked.on("error", (err) => reject(inWords(err, place))).end();
  });
}

/** Keeps its code. */
function inWords(err: Error, { url, host, port }: HttpPlace): Error {
  const message = `Get ${JSON.stringify(url)}: ${dialFailure(err, host, port)}`;
  return Object.assign(new Error(message, { cause: err }), {
    code: (err as NodeJS.ErrnoException).code,
  });
}

function whom({ container, pod }: Omit<HttpHook, "action">): string {
  return `Container ${JSON.stringify(container.name)} in Pod ${JSON.stringify(podText(pod))}`;
}

function wordsOf(err: unknown): string {
  return err instanceof Error ? err.message : String(err);
}
