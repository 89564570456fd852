// What the flooding client asks for. It lists a thousand objects, and writes and reads others.

import { LISTED_NAMESPACE, WRITTEN, WRITTEN_NAMESPACE } from "./flood-names.ts";

const BODY_BYTES = 1024;

export type FloodOperation = "create" | "update" | "get" | "list";

export interface FloodRequest {
  readonly method: string;
  readonly path: string;
  /** "" for none. */
  readonly body: string;
  readonly expected: number;
}

const payload = "x".repeat(BODY_BYTES);

/** `number` is another one each time: no update repeats what is there, no create takes a name twice. */
export function floodRequest(operation: FloodOperation, number: number): FloodRequest {
  const all = `/api/v1/namespaces/${WRITTEN_NAMESPACE}/configmaps`;
  const name = `object-${number % WRITTEN}`;
  switch (operation) {
    case "create":
      return {
        method: "POST",
        path: all,
        body: JSON.stringify({ metadata: { name: `made-${number}` }, data: { payload } }),
        expected: 201,
      };
    case "update":
      return {
        method: "PUT",
        path: `${all}/${name}`,
        body: JSON.stringify({ metadata: { name }, data: { number: String(number), payload } }),
        expected: 200,
      };
    case "get":
      return { method: "GET", path: `${all}/${name}`, body: "", expected: 200 };
    case "list":
      return {
        method: "GET",
        path: `/api/v1/namespaces/${LISTED_NAMESPACE}/configmaps`,
        body: "",
        expected: 200,
      };
  }
}
