// nodes/NAME/proxy/…: what the node itself serves over HTTP, for those who may ask it. Connections are not upgraded here: exec
// goes through the pod, where the right to it is looked at. And nodes/NAME/metrics, which the original does not have: the numbers of
// a node that has no port of its own, for those who may see these (`system:monitoring`) but no logs.

import { badRequest } from "../../api/status-error.ts";
import type { Answer } from "../http/answer.ts";
import { askNode } from "../node-access/ask-node.ts";
import type { RequestContext } from "./context.ts";
import { readObject } from "./get.ts";
import { relay } from "./pod-log.ts";

const passed = ["accept", "content-type", "content-length"];

export function nodeProxy(context: RequestContext): Promise<Answer | undefined> {
  return ask(context, pathBehind(context.request.url ?? ""));
}

export function nodeMetrics(context: RequestContext): Promise<Answer | undefined> {
  return ask(context, "/metrics");
}

async function ask(context: RequestContext, path: string): Promise<Answer | undefined> {
  const { parts, info, request } = context;
  await readObject(context);
  const { method = "GET", headers } = request;
  if (method !== "GET" && method !== "HEAD") throw badRequest("the node only answers GET");
  const connection = await parts.nodes.dial(info.name);
  try {
    const kept = passed.flatMap((name) => {
      const value = headers[name];
      return value === undefined ? [] : [[name, value]];
    });
    const question = { method, path, headers: Object.fromEntries(kept) as Record<string, string> };
    const answer = await askNode(connection, question, parts.clock);
    if (answer.is !== "answered") throw new Error(`Cannot ask ${info.name}: it upgrades`);
    const { response } = answer;
    await relay(context, response, response.headers["content-type"] ?? "");
    return undefined;
  } finally {
    connection.destroy();
  }
}

/** As it was sent: what is escaped in it is the node's to read. */
function pathBehind(url: string): string {
  const [, path = ""] = /\/nodes\/[^/]+\/proxy(?=[/?]|$)(.*)$/.exec(url) ?? [];
  return path.startsWith("/") ? path : `/${path}`;
}
