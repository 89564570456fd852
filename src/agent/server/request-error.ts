// What is answered to a request that cannot be served: a code and a text, as the kubelet's.

export class RequestError extends Error {
  override readonly name = "RequestError";
  readonly code: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: number, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.code = code;
    this.headers = headers;
  }
}
