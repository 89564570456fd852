// What is served by the node of a pod. Until agents connect, the checks that need only the pod are made here.

import type { ApiObject } from "../../api/object.ts";
import { badRequest, serviceUnavailable } from "../../api/status-error.ts";
import type { Pod } from "../../api/types.ts";
import type { Answer } from "../http/answer.ts";
import type { RequestContext } from "./context.ts";
import { readObject } from "./get.ts";

export async function podLog(context: RequestContext): Promise<Answer> {
  const pod = (await readObject(context)).object as ApiObject & Pod;
  checkContainer(pod, context.query.get("container") ?? "");
  if ((pod.spec.nodeName ?? "") === "") return { code: 204, contentType: "", body: [] };
  throw serviceUnavailable(
    `the log of pod ${pod.metadata.name} is on node ${pod.spec.nodeName}, which is not connected`,
  );
}

function checkContainer({ metadata, spec }: Pod, container: string): void {
  const names = [
    ...(spec.initContainers ?? []),
    ...(spec.containers ?? []),
    ...(spec.ephemeralContainers ?? []),
  ].map(({ name }) => name);
  if (container === "") {
    if (names.length === 1) return;
    throw badRequest(
      `a container name must be specified for pod ${metadata.name}, choose one of: [${names.join(" ")}]`,
    );
  }
  if (!names.includes(container)) {
    throw badRequest(`container ${container} is not valid for pod ${metadata.name}`);
  }
}

export async function notYetConnected(context: RequestContext): Promise<Answer> {
  const pod = (await readObject(context)).object as ApiObject & Pod;
  if (context.request.headers.upgrade === undefined) throw badRequest("Upgrade request required");
  throw serviceUnavailable(
    `pod ${pod.metadata.name} is on node ${JSON.stringify(pod.spec.nodeName ?? "")}, which is not connected`,
  );
}
