// Sends what a script says: as one of its users, with short names for paths and media types. An answer is there when its
// headers are; its body may still be growing, as a watch's does.

import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { Agent, request } from "node:https";
import { gunzipSync } from "node:zlib";
import type { JsonObject } from "../../src/api/json.ts";
import { kinds, typeOf } from "../../src/api/kinds.ts";
import { encodeProtobuf } from "../../src/api/protobuf/testing/encode-protobuf.ts";
import { type DriftlessServer, readCredentials } from "../support/driftless-server.ts";
import { type Answer, eventsOf } from "./compare-answer.ts";
import type { ScriptRequest } from "./script.ts";
import { substitute, type Variables } from "./script-variables.ts";

/** Users with a token, for the server's --token-file; the admin has a certificate, anonymous nothing. */
export const tokenFile: string = [
  'bob-token,bob,uid-2,"devs"',
  'root-token,root,uid-1,"system:masters"',
].join("\n");

const protobuf = "application/vnd.kubernetes.protobuf";
const contentTypes: Readonly<Record<string, string>> = {
  apply: "application/apply-patch+yaml",
  "json-patch": "application/json-patch+json",
  merge: "application/merge-patch+json",
  protobuf,
  strategic: "application/strategic-merge-patch+json",
  yaml: "application/yaml",
};
const acceptedTypes: Readonly<Record<string, string>> = {
  metadata: "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1",
  "metadata-list": "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1",
  protobuf,
  table: "application/json;as=Table;v=v1;g=meta.k8s.io",
  yaml: "application/yaml",
};
// Far beyond what it takes: on a busy machine a slow answer is not a wrong one.
export const patienceMs = 30_000;

export class ScriptClient implements Disposable {
  readonly #url: string;
  readonly #admin: Agent;
  readonly #others: Agent;

  constructor(server: DriftlessServer) {
    const { ca, cert, key } = readCredentials(server.kubeconfig);
    this.#url = server.url;
    this.#admin = new Agent({ ca, cert, key, keepAlive: true });
    this.#others = new Agent({ ca, keepAlive: true });
  }

  /** Resolves when the headers are there. A path without a slash in front is in `namespace`. */
  async send(
    asked: ScriptRequest,
    { namespace, variables }: { readonly namespace: string; readonly variables: Variables },
  ): Promise<GrowingAnswer> {
    const body =
      asked.body === undefined
        ? undefined
        : encodeBody(substitute(asked.body, variables), asked.type);
    const sent = request(this.#url + pathOf(substitute(asked.target, variables), namespace), {
      method: asked.method,
      agent: asked.user === "admin" ? this.#admin : this.#others,
      headers: {
        ...headersOf(asked, variables),
        // Said, because otherwise the body of a DELETE has no frame.
        ...(body !== undefined && { "content-length": Buffer.byteLength(body) }),
      },
    });
    sent.end(body);
    const [response] = (await once(sent, "response")) as [IncomingMessage];
    return new GrowingAnswer(response);
  }

  [Symbol.dispose](): void {
    this.#admin.destroy();
    this.#others.destroy();
  }
}

export class GrowingAnswer {
  readonly #response: IncomingMessage;
  readonly #chunks: Buffer[] = [];

  constructor(response: IncomingMessage) {
    this.#response = response;
    response.on("data", (chunk: Buffer) => this.#chunks.push(chunk));
    response.on("error", () => {
      // Closing a stream that still runs ends here; what came until then is compared.
    });
  }

  /** What has come by now. */
  now(): Answer {
    const { statusCode: status = 0, headers } = this.#response;
    const received = Buffer.concat(this.#chunks);
    const body = headers["content-encoding"] === "gzip" ? gunzipSync(received) : received;
    return { status, headers, text: body.toString() };
  }

  async whole(): Promise<Answer> {
    if (!this.#response.readableEnded) await once(this.#response, "end");
    return this.now();
  }

  /** What has come when there are that many events, or when patience is at its end, or the stream. */
  async withEvents(count: number): Promise<Answer> {
    const signal = AbortSignal.timeout(patienceMs);
    try {
      while (eventsOf(this.now().text).length < count && !this.#response.readableEnded) {
        await Promise.race([
          once(this.#response, "data", { signal }),
          once(this.#response, "end", { signal }),
        ]);
      }
    } catch (err) {
      if (!signal.aborted) throw err;
    }
    return this.now();
  }

  close(): void {
    this.#response.destroy();
  }
}

function headersOf(asked: ScriptRequest, variables: Variables): Record<string, string> {
  const type = asked.type ?? "application/json";
  const hasType = asked.body !== undefined && type !== "nothing";
  return {
    ...(hasType && { "content-type": contentTypes[type] ?? type }),
    ...(asked.wanted !== undefined && { accept: acceptedTypes[asked.wanted] ?? asked.wanted }),
    ...(!["admin", "anonymous"].includes(asked.user) && {
      authorization: `Bearer ${asked.user}-token`,
    }),
    ...Object.fromEntries(
      asked.headers.map(([name, value]) => [name.toLowerCase(), substitute(value, variables)]),
    ),
  };
}

function encodeBody(text: string, type: string | undefined): string | Uint8Array {
  if (type !== "protobuf") return text === "empty" ? "" : text;
  const object = JSON.parse(text) as JsonObject & { apiVersion: string; kind: string };
  const schema = typeOf(object.apiVersion, object.kind);
  if (schema === undefined) throw new Error(`There is no table for ${object.kind}`);
  return encodeProtobuf(schema, object);
}

/** "pods/a?labelSelector=x in (y)" as a path: in its group and in the namespace, and encoded. */
function pathOf(target: string, namespace: string): string {
  const [path = "", ...query] = target.split("?");
  const encoded = query
    .join("?")
    .split("&")
    .map((pair) => pair.replace(/=(.*)$/s, (_, value: string) => `=${encodeValue(value)}`))
    .join("&");
  const full = path.startsWith("/") ? path : expandPath(path, namespace);
  return query.length === 0 ? full : `${full}?${encoded}`;
}

function encodeValue(value: string): string {
  return value.includes("%") ? value : encodeURIComponent(value);
}

function expandPath(path: string, namespace: string): string {
  const resource = path.split("/")[0];
  const kind = kinds.find((one) => one.resource === resource);
  const root =
    kind === undefined || kind.group === "" ? "/api/v1" : `/apis/${kind.group}/${kind.version}`;
  return kind?.namespaced === false ? `${root}/${path}` : `${root}/namespaces/${namespace}/${path}`;
}
