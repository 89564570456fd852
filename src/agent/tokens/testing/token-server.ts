// An API server that does nothing but give tokens, behind the client's transport.

import { StatusError } from "../../../api/status-error.ts";
import type { Clock } from "../../../base/clock.ts";
import type { Random } from "../../../base/random.ts";
import { CaptureLogger } from "../../../base/testing/capture-logger.ts";
import { FakeClock } from "../../../base/testing/fake-clock.ts";
import { ApiClient } from "../../../client/api-client.ts";
import type { Transport, TransportRequest, TransportResponse } from "../../../client/transport.ts";
import { TokenManager } from "../token-manager.ts";

export interface AskedToken {
  readonly path: string;
  readonly spec: {
    readonly audiences?: readonly string[];
    readonly expirationSeconds?: number;
    readonly boundObjectRef?: Readonly<Record<string, string>>;
  };
}

export class TokenServer implements Transport {
  readonly isConnected = true;
  readonly connections = 1;
  readonly asked: AskedToken[] = [];
  /** Of all tokens, whatever was asked for. Undefined: as asked, or an hour. */
  lifeSeconds: number | undefined;
  /** Leaves out how long a token lives. */
  isVague = false;
  failure: string | undefined;
  /** Never answers. */
  hangs = false;
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  answers(): Promise<boolean> {
    return Promise.resolve(true);
  }

  async send({ path, body, signal }: TransportRequest): Promise<TransportResponse> {
    await Promise.resolve();
    if (this.hangs) return whenAborted(signal);
    const { spec } = JSON.parse(Buffer.from(body ?? []).toString()) as AskedToken;
    this.asked.push({ path, spec });
    if (this.failure !== undefined) {
      const refusal = { code: 403, reason: "Forbidden", message: this.failure } as const;
      return answer(403, new StatusError(refusal).toStatus());
    }
    const life = this.lifeSeconds ?? spec.expirationSeconds ?? 3600;
    const expires = new Date(this.#clock.now() + life * 1000).toISOString();
    const status = { token: `token-${this.asked.length}`, expirationTimestamp: expires };
    const { expirationSeconds: _, ...vague } = spec;
    const said = this.isVague ? vague : { ...spec, expirationSeconds: life };
    return answer(201, { metadata: {}, spec: said, status });
  }

  async close(): Promise<void> {}
  [Symbol.dispose](): void {}
}

export interface TestTokens {
  readonly server: TokenServer;
  readonly tokens: TokenManager;
  readonly clock: FakeClock;
  readonly logger: CaptureLogger;
}

/** Without jitter, unless another chance is given. */
export function testTokens(random: Random = { next: () => 0, uint32: () => 0 }): TestTokens {
  const clock = new FakeClock();
  const logger = new CaptureLogger();
  const server = new TokenServer(clock);
  const connection = { server: "https://fake", isInsecure: false, namespace: "default" };
  const client = new ApiClient({ connection, clock, timeoutMs: 60_000, random, transport: server });
  return { server, clock, logger, tokens: new TokenManager({ client, clock, random, logger }) };
}

function answer(code: number, value: object): TransportResponse {
  return { code, retryAfter: undefined, body: once(Buffer.from(JSON.stringify(value))) };
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(bytes);
}

function whenAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
    if (signal.aborted) reject(signal.reason as Error);
  });
}
