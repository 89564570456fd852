// exec, attach and port-forward: the client's connection and one to the node become one.
//
// (1) What can be refused is, before anything is connected: options, pod, container, rights.
// (2) The node is asked with the client's own headers: which protocol is spoken is between the two.
// (3) What the node refuses is told as a Status; its 101 is passed on, and from then on bytes.

import type { IncomingHttpHeaders } from "node:http";
import { badRequest } from "../../api/status-error.ts";
import type { Answer } from "../http/answer.ts";
import { askNode } from "../node-access/ask-node.ts";
import { joinPipes } from "../node-access/join-pipes.ts";
import type { RequestContext } from "./context.ts";
import { nodeRefusal } from "./node-refusal.ts";
import { containerOf, pathOf, readPod, type StoredPod } from "./pod-container.ts";
import { recheckRights } from "./recheck-rights.ts";
import { queryBool } from "./write-options.ts";

/** Before what went wrong there, as clients of the original are told. */
const NO_UPGRADE = "unable to upgrade connection: ";

type Verb = "exec" | "attach" | "portForward";

export function podExec(context: RequestContext): Promise<Answer | undefined> {
  return stream(context, "exec");
}

export function podAttach(context: RequestContext): Promise<Answer | undefined> {
  return stream(context, "attach");
}

export function podPortForward(context: RequestContext): Promise<Answer | undefined> {
  return stream(context, "portForward");
}

async function stream(context: RequestContext, verb: Verb): Promise<undefined> {
  const { parts, upgrade } = context;
  // A GET becomes a connection that does more than read: who may not create may not have it.
  await context.demand("create"); // (1)
  const pod = await readPod(context);
  const path = nodePath(context, verb, pod);
  const { nodeName = "" } = pod.spec;
  if (nodeName === "") throw badRequest(`pod ${pod.metadata.name} does not have a host assigned`);
  if (upgrade === undefined) throw badRequest("Upgrade request required");
  const node = await parts.nodes.dial(nodeName);
  try {
    const headers = wireHeaders(context.request.headers);
    const { method = "GET" } = context.request;
    const answer = await askNode(node, { method, path, headers }, parts.clock); // (2)
    if (answer.is === "answered") {
      throw await nodeRefusal(answer.response, { clock: parts.clock, before: NO_UPGRADE });
    }
    const client = await upgrade.accept(answerHeaders(context, answer.headers)); // (3)
    context.audit.respond(101);
    context.seat.release();
    const lost = new AbortController();
    const rights = {
      parts,
      demandStill: async () => {
        await context.demandStill();
        await context.demand("create");
      },
    };
    using _rights = recheckRights(rights, () => lost.abort());
    await joinPipes(client, answer.connection, { clock: parts.clock, signal: lost.signal });
    return undefined;
  } finally {
    node.destroy();
  }
}

function nodePath({ query }: RequestContext, verb: Verb, pod: StoredPod): string {
  const { namespace = "", name = "" } = pod.metadata;
  if (verb === "portForward") {
    const ports = query.getAll("ports").map(checkedPort);
    const wanted = new URLSearchParams(ports.length === 0 ? {} : { port: ports.join(",") });
    return `${pathOf("portForward", namespace, name)}?${wanted.toString()}`;
  }
  const container = containerOf(pod, query.get("container") ?? "");
  const wanted = new URLSearchParams();
  for (const [asked, told] of [
    ["stdin", "input"],
    ["stdout", "output"],
    ["stderr", "error"],
    ["tty", "tty"],
  ] as const) {
    if (queryBool(query, asked)) wanted.set(told, "1");
  }
  if (verb === "exec") for (const word of query.getAll("command")) wanted.append("command", word);
  return `${pathOf(verb, namespace, name, container)}?${wanted.toString()}`;
}

function checkedPort(text: string): string {
  if (/^\d{1,5}$/.test(text)) return text;
  throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`);
}

/** Of the client's request: what says which protocol, and nothing that says who it is. */
const asked = [
  "connection",
  "upgrade",
  "sec-websocket-key",
  "sec-websocket-version",
  "sec-websocket-protocol",
  "sec-websocket-extensions",
  "x-stream-protocol-version",
  "origin",
];

function wireHeaders(headers: IncomingHttpHeaders): Record<string, string | readonly string[]> {
  return Object.fromEntries(
    asked.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]]])),
  );
}

const answered = [
  "connection",
  "upgrade",
  "sec-websocket-accept",
  "sec-websocket-protocol",
  "sec-websocket-extensions",
  "x-stream-protocol-version",
];

function answerHeaders(
  { headers: own }: RequestContext,
  headers: IncomingHttpHeaders,
): Record<string, string> {
  const passed = answered.flatMap((name) =>
    headers[name] === undefined ? [] : [[name, String(headers[name])]],
  );
  return { ...own, ...(Object.fromEntries(passed) as Record<string, string>) };
}
