// A container is well if its gRPC health service says SERVING. The messages have one field each and are written out here.

import { Client, credentials, Metadata, type ServiceError, status } from "@grpc/grpc-js";
import type { GRPCAction } from "../../api/types.ts";
import { deadline } from "../../base/abort.ts";
import { goSeconds } from "./go-seconds.ts";
import { hostAndPort } from "./network-error.ts";
import type { Outcome, ProbeLimits } from "./probe-outcome.ts";

const CHECK = "/grpc.health.v1.Health/Check";
const STATUSES = ["UNKNOWN", "SERVING", "NOT_SERVING", "SERVICE_UNKNOWN"] as const;

export interface GrpcTarget {
  readonly action: GRPCAction;
  readonly host: string;
  readonly userAgent: string;
}

export async function probeGrpc(
  { action, host, userAgent }: GrpcTarget,
  { clock, timeoutSeconds, signal }: ProbeLimits,
): Promise<Outcome> {
  signal.throwIfAborted();
  using limit = deadline({ clock, timeoutMs: timeoutSeconds * 1000, signal });
  const address = hostAndPort(host, action.port);
  const client = new Client(address, credentialsFor(action), {
    "grpc.primary_user_agent": userAgent,
    "grpc.enable_retries": 0,
    "grpc.enable_http_proxy": 0,
    "grpc.service_config_disable_resolution": 1,
    // Each question has a connection of its own.
    "grpc.use_local_subchannel_pool": 1,
  });
  const within = goSeconds(timeoutSeconds);
  try {
    await connected(client, limit.signal);
    return judge(await check(client, action.service ?? "", limit.signal));
  } catch (err) {
    signal.throwIfAborted();
    const output =
      err === notConnected
        ? `timeout: failed to connect service ${JSON.stringify(address)} within ${within}: context deadline exceeded`
        : callFailure(err as ServiceError, { isLate: limit.signal.aborted, within });
    return { result: "failure", output };
  } finally {
    client.close();
  }
}

const notConnected: Error = new Error("not connected in time");

function credentialsFor({ mode }: GRPCAction): ReturnType<typeof credentials.createInsecure> {
  if (mode !== "TLS") return credentials.createInsecure();
  return credentials.createSsl(null, null, null, { rejectUnauthorized: false });
}

/** However often it has to be tried: only the time ends it. */
function connected(client: Client, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(notConnected);
    signal.addEventListener("abort", onAbort, { once: true });
    client.waitForReady(Number.POSITIVE_INFINITY, (err) => {
      signal.removeEventListener("abort", onAbort);
      if (err === undefined) resolve();
      else reject(notConnected);
    });
  });
}

function check(client: Client, service: string, signal: AbortSignal): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const call = client.makeUnaryRequest(
      CHECK,
      encodeRequest,
      (answer: Buffer) => answer,
      service,
      new Metadata(),
      {},
      (err: ServiceError | null, answer?: Buffer) => {
        signal.removeEventListener("abort", onAbort);
        if (err === null) resolve(answer ?? Buffer.alloc(0));
        else reject(err);
      },
    );
    const onAbort = (): void => call.cancel();
    signal.addEventListener("abort", onAbort, { once: true });
  });
}

function callFailure(
  { code, details }: ServiceError,
  { isLate, within }: { readonly isLate: boolean; readonly within: string },
): string {
  if (isLate || code === status.DEADLINE_EXCEEDED) {
    return `timeout: health rpc did not complete within ${within}`;
  }
  if (code === status.UNIMPLEMENTED) {
    return `error: this server does not implement the grpc health protocol (grpc.health.v1.Health): ${details}`;
  }
  return `error: health rpc probe failed: rpc error: code = ${codeName(code)} desc = ${details}`;
}

/** "NOT_FOUND" is "NotFound" to Go, but for OK and one that it spells in its own way. */
function codeName(code: status): string {
  if (code === status.CANCELLED) return "Canceled";
  const words = status[code].toLowerCase().split("_");
  return words.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join("");
}

function judge(answer: Buffer): Outcome {
  const value = servingStatus(answer);
  if (value === 1) return { result: "success", output: "service healthy" };
  const name = JSON.stringify(STATUSES[value] ?? String(value));
  return { result: "failure", output: `service unhealthy (responded with ${name})` };
}

/** HealthCheckRequest: 1 is the service's name, left out if it is empty. */
function encodeRequest(service: string): Buffer {
  const name = Buffer.from(service);
  if (name.length === 0) return name;
  const length: number[] = [];
  let rest = name.length;
  for (; rest > 127; rest >>>= 7) length.push((rest & 127) | 128);
  return Buffer.concat([Buffer.from([0x0a, ...length, rest]), name]);
}

/** HealthCheckResponse: 1 is the status, a small number; 0 is left out. Anything before or after it is not known to the protocol. */
function servingStatus(answer: Buffer): number {
  return answer[0] === 0x08 ? (answer[1] ?? 0) : 0;
}
