// GET pods/NAME/log: the node's text as it comes, for as long as it comes.

import type { IncomingMessage } from "node:http";
import { pipeline } from "node:stream/promises";
import type { Answer } from "../http/answer.ts";
import { warningHeader } from "../http/answer.ts";
import { askNode } from "../node-access/ask-node.ts";
import type { RequestContext } from "./context.ts";
import { logQuery } from "./log-options.ts";
import { nodeRefusal } from "./node-refusal.ts";
import { containerOf, pathOf, readPod } from "./pod-container.ts";
import { recheckRights } from "./recheck-rights.ts";

export async function podLog(context: RequestContext): Promise<Answer | undefined> {
  const { parts, query, info } = context;
  const wanted = logQuery(query, info.name);
  const pod = await readPod(context);
  const container = containerOf(pod, query.get("container") ?? "");
  const { namespace = "", name = "" } = pod.metadata;
  const { nodeName = "" } = pod.spec;
  if (nodeName === "") return { code: 204, contentType: "", body: [] };
  const connection = await parts.nodes.dial(nodeName);
  try {
    const path = `${pathOf("containerLogs", namespace, name, container)}?${wanted.toString()}`;
    const answer = await askNode(connection, { method: "GET", path, headers: {} }, parts.clock);
    if (answer.is !== "answered") throw new Error(`Cannot read a log on ${nodeName}: it upgrades`);
    const { response } = answer;
    if (response.statusCode !== 200) throw await nodeRefusal(response, parts);
    await relay(context, response, "text/plain");
    return undefined;
  } finally {
    connection.destroy();
  }
}

/** The answer is the node's; its code is 200. */
export async function relay(
  context: RequestContext,
  from: IncomingMessage,
  contentType: string,
): Promise<void> {
  const { response, headers, warnings, audit, seat } = context;
  response.writeHead(from.statusCode ?? 200, {
    ...headers,
    ...(contentType !== "" && { "content-type": contentType }),
    "cache-control": "no-cache, private",
    ...warningHeader(warnings),
  });
  response.flushHeaders();
  audit.respond(from.statusCode ?? 200);
  seat.release();
  using _rights = recheckRights(context, () => response.destroy());
  try {
    await pipeline(from, response);
  } catch {
    response.destroy(); // One of both is gone. A client sees that the end is missing.
  }
}
