// What the node answers, as the kubelet does, over whatever connection it is asked:
//
//   GET       /containerLogs/NAMESPACE/POD/CONTAINER
//   GET|POST  /exec/NAMESPACE/POD[/UID]/CONTAINER, /attach/…       upgraded: SPDY or WebSocket
//   GET|POST  /portForward/NAMESPACE/POD[/UID]                     upgraded
//   GET       /pods, /healthz, /metrics
//
// Who may ask is decided by whoever hands the requests in.

import { type IncomingMessage, ServerResponse } from "node:http";
import { connect, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Clock } from "../../base/clock.ts";
import { describe, isErrno } from "../../base/errors.ts";
import type { Logger } from "../../base/logger.ts";
import type { Metrics } from "../../base/metrics.ts";
import { readLog } from "../../runtime/logs/read-log.ts";
import { type ContainerStatus, ExecError, type Runtime } from "../../runtime/runtime.ts";
import { acceptCommand } from "../../streams/accept-command.ts";
import { acceptPortForward } from "../../streams/accept-port-forward.ts";
import type { CommandRequest } from "../../streams/command-streams.ts";
import { isAnswering, type Upgrade, UpgradeError } from "../../streams/upgrade.ts";
import { podContainers, running } from "../pods/pod-containers.ts";
import {
  type ContainerPlace,
  findPod,
  loggedContainer,
  type PodPlace,
  runningContainer,
} from "./find-container.ts";
import { flag, logQueryOf } from "./log-query.ts";
import { hostsOf } from "./pod-ports.ts";
import { RequestError } from "./request-error.ts";
import { runAttach, runExec } from "./run-command.ts";
import type { ServedPods } from "./served-pods.ts";
import { Sessions } from "./sessions.ts";

export interface NodeApiOptions {
  readonly pods: ServedPods;
  readonly runtime: Pick<Runtime, "list" | "onExit" | "exec" | "attach">;
  readonly metrics: Pick<Metrics, "text" | "contentType">;
  readonly clock: Clock;
  readonly logger: Logger;
}

const MAX_SESSIONS = 200;
/** Of a request. A command is a part of its target: as long as Go's servers take. */
export const MAX_HEAD_BYTES: number = 1024 * 1024;
const MAX_PORT = 65_535;

export class NodeApi {
  readonly #options: NodeApiOptions;
  readonly #sessions = new Sessions(MAX_SESSIONS);

  constructor(options: NodeApiOptions) {
    this.#options = options;
  }

  /** Never rejects: whatever happens becomes an answer. */
  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      await this.#answer(request, response);
    } catch (err) {
      this.#refuse(response, err);
    }
  }

  /** The same, for a request that wants its connection to become something else. */
  async upgrade(upgrade: Upgrade): Promise<void> {
    if (isAnswering(upgrade.socket)) {
      upgrade.socket.destroy();
      return;
    }
    try {
      await this.#stream(upgrade);
    } catch (err) {
      this.refuseUpgrade(upgrade, err);
    }
  }

  refuseUpgrade({ request, socket }: Upgrade, err: unknown): void {
    if (isAnswering(socket)) {
      socket.destroy();
      return;
    }
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    response.assignSocket(socket as Socket);
    response.once("finish", () => socket.end(() => socket.destroy()));
    this.#refuse(response, err);
  }

  #refuse(response: ServerResponse, err: unknown): void {
    if (response.headersSent) {
      response.destroy();
      return;
    }
    const isExpected = err instanceof RequestError || err instanceof UpgradeError;
    if (!isExpected) this.#options.logger.warn("cannot serve a request", { err });
    const code =
      err instanceof RequestError ? err.code : err instanceof UpgradeError ? err.status : 500;
    const headers = isExpected ? err.headers : {};
    text(response, code, describe(err), headers);
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { segments, query } = target(request);
    const [route] = segments;
    if (route === undefined || !routes.has(route))
      throw new RequestError(404, "404 page not found");
    if (streaming.has(route)) throw new RequestError(400, "Upgrade request required");
    if (request.method !== "GET" && request.method !== "HEAD") {
      throw new RequestError(405, "405: Method Not Allowed");
    }
    switch (route) {
      case "containerLogs":
        return this.#log(response, containerPlace(segments), query);
      case "pods":
        return this.#pods(response);
      case "metrics":
        return this.#metrics(response);
      default:
        text(response, 200, "ok");
    }
  }

  #pods(response: ServerResponse): void {
    const items = this.#options.pods.list().map(({ pod, status }) => ({ ...pod, status }));
    const list = { kind: "PodList", apiVersion: "v1", metadata: {}, items };
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(list));
  }

  async #metrics(response: ServerResponse): Promise<void> {
    const { metrics } = this.#options;
    text(response, 200, await metrics.text(), { "content-type": metrics.contentType });
  }

  async #log(
    response: ServerResponse,
    place: ContainerPlace,
    asked: URLSearchParams,
  ): Promise<void> {
    const { pods, runtime, clock } = this.#options;
    using _session = this.#sessions.enter();
    const found = pods.find(place.namespace, place.pod);
    if (found === undefined) {
      throw new RequestError(404, `pod ${JSON.stringify(place.pod)} does not exist`);
    }
    const isPrevious = flag(asked, "previous");
    const container = loggedContainer(runtime.list(), found, { ...place, isPrevious });
    const query = logQueryOf(asked, clock.now());
    const left = new AbortController();
    using ending = endOf(runtime, container);
    response.once("close", () => left.abort());
    const { signal } = left;
    const lines = readLog({ path: container.logPath, query, clock, signal, ended: ending.ended });
    response.writeHead(200, { "content-type": "text/plain" });
    response.flushHeaders();
    try {
      await pipeline(lines, response);
    } catch (err) {
      // A log that is gone is an empty one; who has left does not hear of anything.
      if (isErrno(err, "ENOENT")) response.end();
      else if (!signal.aborted) throw err;
    }
  }

  async #stream(upgrade: Upgrade): Promise<void> {
    const { segments, query } = target(upgrade.request);
    const { method } = upgrade.request;
    const [route] = segments;
    if (route === undefined || !streaming.has(route)) {
      throw new RequestError(404, "404 page not found");
    }
    if (method !== "GET" && method !== "POST") {
      throw new RequestError(405, "405: Method Not Allowed");
    }
    using _session = this.#sessions.enter();
    switch (route) {
      case "exec":
        return await this.#exec(upgrade, containerPlace(segments), query);
      case "attach":
        return await this.#attach(upgrade, containerPlace(segments), query);
      default:
        return await this.#portForward(upgrade, podPlace(segments), query);
    }
  }

  async #exec(upgrade: Upgrade, place: ContainerPlace, query: URLSearchParams): Promise<void> {
    const { pods, runtime, clock } = this.#options;
    const wanted = wantedOf(query);
    const { id } = runningContainer(runtime.list(), findPod(pods, place), place.container);
    const argv = query.getAll("command");
    if (argv.length === 0) throw new RequestError(400, "you must specify a command");
    const { hasStdin, hasTty } = wanted;
    const client = await acceptCommand(upgrade, wanted, { clock });
    await this.#told(place, () =>
      runExec(runtime, { id, spec: { argv, hasStdin, hasTty } }, client),
    );
  }

  async #attach(upgrade: Upgrade, place: ContainerPlace, query: URLSearchParams): Promise<void> {
    const { pods, runtime, clock } = this.#options;
    const wanted = wantedOf(query);
    const { id } = runningContainer(runtime.list(), findPod(pods, place), place.container);
    const attachment = await attached(runtime, id, wanted);
    try {
      const client = await acceptCommand(upgrade, wanted, { clock });
      await this.#told(place, () => runAttach(attachment, client));
    } finally {
      attachment[Symbol.dispose]();
    }
  }

  async #portForward(upgrade: Upgrade, place: PodPlace, query: URLSearchParams): Promise<void> {
    const { pods, runtime, clock, logger } = this.#options;
    const { pod } = findPod(pods, place);
    const { name = "", uid = "" } = pod.metadata;
    const pids = (): readonly number[] =>
      running(podContainers(runtime.list(uid), uid)).flatMap((one) => one.pid ?? []);
    if (pids().length === 0) {
      throw new RequestError(
        500,
        `pod not found (${JSON.stringify(`${place.pod}_${place.namespace}`)})`,
      );
    }
    const ports = (query.get("port") ?? "")
      .split(",")
      .filter((one) => one !== "")
      .map(portOf);
    const gone = new AbortController();
    upgrade.socket.once("close", () => gone.abort());
    const connectTo = (port: number): Promise<Duplex> => toPod(port, pids());
    const options = { pod: { name, uid }, connect: connectTo, clock, logger, ports };
    await acceptPortForward(upgrade, options, gone.signal);
  }

  /** From here on there is nobody to answer to. */
  async #told(
    { namespace, pod, container }: ContainerPlace,
    work: () => Promise<void>,
  ): Promise<void> {
    try {
      await work();
    } catch (err) {
      this.#options.logger.warn("a session broke", { err, namespace, name: pod, container });
    }
  }
}

async function attached(
  runtime: Pick<Runtime, "attach">,
  id: string,
  { hasStdin }: CommandRequest,
): Promise<Awaited<ReturnType<Runtime["attach"]>>> {
  try {
    return await runtime.attach(id, { hasStdin });
  } catch (err) {
    if (err instanceof ExecError) throw new RequestError(500, describe(err));
    throw err;
  }
}

/** Settles when it has; its log is finished then. */
function endOf(
  runtime: Pick<Runtime, "onExit">,
  { id, end }: ContainerStatus,
): Disposable & { readonly ended: Promise<void> } {
  const { promise, resolve } = Promise.withResolvers<void>();
  if (end !== undefined) resolve();
  const heard = runtime.onExit((status) => {
    if (status.id === id) resolve();
  });
  return { ended: promise, [Symbol.dispose]: () => heard[Symbol.dispose]() };
}

async function toPod(port: number, pids: readonly number[]): Promise<Duplex> {
  const hosts = hostsOf(port, { pids });
  if (hosts.length === 0) {
    throw new Error(`connection refused: no process of the pod listens on port ${port}`);
  }
  const failures: unknown[] = [];
  for (const host of hosts) {
    try {
      return await connected(port, host);
    } catch (err) {
      failures.push(err);
    }
  }
  throw failures[0];
}

function connected(port: number, host: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host, allowHalfOpen: true, noDelay: true });
    socket.once("connect", () => resolve(socket));
    socket.once("error", reject);
  });
}

function portOf(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  const quoted = JSON.stringify(text);
  if (port === 0) throw new RequestError(400, `port ${quoted} must be > 0`);
  if (port <= MAX_PORT) return port;
  const why = /^\d+$/.test(text) ? "value out of range" : "invalid syntax";
  const told = `strconv.ParseUint: parsing ${quoted}: ${why}`;
  throw new RequestError(400, `unable to parse ${quoted} as a port: ${told}`);
}

function wantedOf(query: URLSearchParams): CommandRequest {
  const on = (name: string): boolean => query.get(name) === "1";
  const hasTty = on("tty");
  const wanted = {
    hasStdin: on("input"),
    hasStdout: on("output"),
    hasStderr: on("error") && !hasTty,
    hasTty,
  };
  if (wanted.hasStdin || wanted.hasStdout || wanted.hasStderr) return wanted;
  throw new RequestError(400, "you must specify at least 1 of stdin, stdout, stderr");
}

const streaming: ReadonlySet<string> = new Set(["exec", "attach", "portForward"]);
const routes: ReadonlySet<string> = new Set([
  ...streaming,
  "containerLogs",
  "pods",
  "healthz",
  "metrics",
]);

interface Target {
  readonly segments: readonly string[];
  readonly query: URLSearchParams;
}

function target({ url = "/" }: IncomingMessage): Target {
  const at = url.indexOf("?");
  const path = at === -1 ? url : url.slice(0, at);
  try {
    const segments = path
      .split("/")
      .filter((part) => part !== "")
      .map(decodeURIComponent);
    return { segments, query: new URLSearchParams(at === -1 ? "" : url.slice(at + 1)) };
  } catch {
    throw new RequestError(400, "the path is not valid percent-encoding");
  }
}

function containerPlace(segments: readonly string[]): ContainerPlace {
  const [, namespace, pod, third, fourth, ...more] = segments;
  if (namespace === undefined || pod === undefined || third === undefined || more.length > 0) {
    throw new RequestError(404, "404 page not found");
  }
  return fourth === undefined
    ? { namespace, pod, uid: "", container: third }
    : { namespace, pod, uid: third, container: fourth };
}

function podPlace(segments: readonly string[]): PodPlace {
  const [, namespace, pod, uid = "", ...more] = segments;
  if (namespace === undefined || pod === undefined || more.length > 0) {
    throw new RequestError(404, "404 page not found");
  }
  return { namespace, pod, uid };
}

function text(
  response: ServerResponse,
  code: number,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  const type = { "content-type": "text/plain; charset=utf-8" };
  response.writeHead(code, { ...type, "content-length": Buffer.byteLength(body), ...headers });
  response.end(body);
}
