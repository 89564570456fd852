// What the client needs of HTTP, and no more: one request, one answer whose body is read while it comes. Tests put a
// server in memory behind it.

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

export interface TransportRequest {
  readonly method: Method;
  /** With its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  /** Ends the request, and the body of its answer too. */
  readonly signal: AbortSignal;
  /** Goes on trying to connect, with growing pauses, until the signal aborts. For watches. */
  readonly isPatient?: boolean;
}

export interface TransportResponse {
  readonly code: number;
  readonly retryAfter: string | undefined;
  /** To be read to its end, or left by `break`. Throws if it was cut off. */
  readonly body: AsyncIterable<Uint8Array>;
}

export interface Transport extends Disposable {
  /** The last word that was had with the server was not that there is none. */
  readonly isConnected: boolean;
  /** Settles with true when the server shows that it is there, with false if there is no connection, or when it is lost. */
  answers(): Promise<boolean>;
  /** How many connections are shared by requests; those of HTTP/1.1, which are not, do not count. */
  readonly connections: number;
  /** Throws ConnectError if the request cannot have reached the server. */
  send(request: TransportRequest): Promise<TransportResponse>;
  /** Takes no more requests, and settles when those that run are over. Disposing cuts them off. */
  close(): Promise<void>;
}

/** No connection, so nothing was sent: trying again can do no harm. */
export class ConnectError extends Error {
  override readonly name = "ConnectError";
}
