// Waits until an object is no more, by the server's word and without polling: a deletion may take a grace period and finalizers.

import { isJsonObject } from "../api/json.ts";
import type { ApiObject } from "../api/object.ts";
import { isNotFound, StatusError } from "../api/status-error.ts";
import type { ServedResource } from "../client/discovery.ts";
import { jsonLines } from "../client/json-lines.ts";
import { ResourceClient } from "../client/resource-client.ts";
import { resourcePath } from "../client/resource-path.ts";
import { isExpired } from "../client/status-answer.ts";
import type { CliContext } from "./cli-context.ts";

export interface GoingObject {
  readonly resource: ServedResource;
  readonly namespace: string | undefined;
  readonly name: string;
  /** Another one of the same name is not it. */
  readonly uid: string | undefined;
}

/** A watch lasts for minutes; one that ends at once must not be begun all the time. */
const AGAIN_MS = 1000;

/** Whoever may not look does not wait, as with kubectl. */
export async function waitGone(
  context: Pick<CliContext, "client" | "clock">,
  going: GoingObject,
  signal: AbortSignal,
): Promise<void> {
  const { resource, namespace, name } = going;
  const objects = new ResourceClient<ApiObject>(context.client, resource);
  try {
    for (;;) {
      const { metadata } = await objects.get({ namespace, name }, { signal });
      if (going.uid !== undefined && metadata.uid !== going.uid) return;
      await nextChange(context, { ...going, from: metadata.resourceVersion ?? "" }, signal);
    }
  } catch (err) {
    const isUnseen =
      err instanceof StatusError &&
      (err.reason === "Forbidden" || err.reason === "MethodNotAllowed");
    if (!isNotFound(err) && !isUnseen) throw err;
  }
}

/** Returns when it was deleted, or when it is time to look again. */
async function nextChange(
  { client, clock }: Pick<CliContext, "client" | "clock">,
  { resource, namespace, name, from }: GoingObject & { readonly from: string },
  signal: AbortSignal,
): Promise<void> {
  const query = {
    watch: true,
    resourceVersion: from,
    fieldSelector: `metadata.name=${name}`,
    timeoutSeconds: 300,
  };
  const path = resourcePath(resource, { namespace }, query);
  try {
    const body = await client.stream({ method: "GET", path, signal });
    for await (const event of jsonLines(body)) {
      const type = isJsonObject(event) ? event["type"] : undefined;
      if (type === "DELETED") return;
      if (type === "ERROR") break;
    }
  } catch (err) {
    if (!isExpired(err)) throw err;
  }
  await clock.sleep(AGAIN_MS, signal);
}
