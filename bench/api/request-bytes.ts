// Requests as bytes, made once. What differs from one to the next is a number of fixed width inside them.

import type { Operation, Target } from "./jobs.ts";

const DIGITS = 9;
const MARK = "#".repeat(DIGITS);

export interface ObjectRequest {
  readonly target: Target;
  readonly operation: Operation | "watch";
  readonly namespace: string;
  readonly name: string;
  readonly bytes: number;
}

export class RequestBytes {
  readonly bytes: Buffer;
  readonly #at: number;

  constructor(request: ObjectRequest) {
    this.bytes = encode(request);
    this.#at = this.bytes.indexOf(MARK);
  }

  /** The same request with another number in it, in the same bytes. */
  numbered(n: number): Buffer {
    if (this.#at !== -1) this.bytes.write(String(n).padStart(DIGITS, "0"), this.#at, "latin1");
    return this.bytes;
  }
}

function encode({ target, operation, namespace, name, bytes }: ObjectRequest): Buffer {
  const all = `/api/v1/namespaces/${namespace}/configmaps`;
  const one = `${all}/${name}`;
  const data = { number: MARK, payload: "x".repeat(bytes - DIGITS) };
  switch (operation) {
    case "create":
      return http(target, "POST", all, {
        metadata: { name: `${name}-${MARK}` },
        data: { payload: "x".repeat(bytes) },
      });
    case "update":
      return http(target, "PUT", one, { metadata: { name }, data });
    case "patch":
      return http(target, "PATCH", one, { data: { number: MARK } });
    case "get":
      return http(target, "GET", one);
    case "list":
      return http(target, "GET", all);
    case "watch":
      return http(target, "GET", watchPath(namespace, name));
  }
}

/** From now on: a watch without the state. */
export function watchPath(namespace: string, name: string): string {
  const query = `watch=true&fieldSelector=metadata.name%3D${name}&sendInitialEvents=false&resourceVersionMatch=NotOlderThan`;
  return `/api/v1/namespaces/${namespace}/configmaps?${query}`;
}

function http({ host, port }: Target, method: string, path: string, body?: object): Buffer {
  const text = body === undefined ? "" : JSON.stringify(body);
  const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
  const head = [
    `${method} ${path} HTTP/1.1`,
    `host: ${host}:${port}`,
    "accept: application/json",
    ...(body === undefined ? [] : [`content-type: ${type}`, `content-length: ${text.length}`]),
  ];
  return Buffer.from(`${head.join("\r\n")}\r\n\r\n${text}`);
}
