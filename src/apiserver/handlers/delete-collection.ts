// DELETE of a collection: every object that the selectors select, one after the other. Answers with the list of what
// was there.

import { isNotFound } from "../../api/status-error.ts";
import type { Answer } from "../http/answer.ts";
import { representationFor } from "../http/media-type.ts";
import { readBody } from "../http/read-body.ts";
import type { RequestContext } from "./context.ts";
import { deleted } from "./delete.ts";
import { deleteOptions } from "./delete-options.ts";
import { listPage } from "./list.ts";
import { listOptions } from "./list-options.ts";
import { listAnswer } from "./object-answer.ts";

/** Deletions that are under way at once: enough to share the store's commits, too few to starve others. */
const PARALLEL = 16;

export async function deleteCollection(context: RequestContext): Promise<Answer> {
  const representation = representationFor(context.request.headers.accept);
  const options = deleteOptions(context, await readBody(context));
  const page = await listPage(context, listOptions(context.query, false));
  const waiting = [...page.items];
  const worker = async (): Promise<void> => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) {
      const { name = "", namespace = "" } = item.object.metadata;
      try {
        await deleted(context, name, options, namespace);
      } catch (err) {
        if (!isNotFound(err)) throw err; // Somebody else was faster.
      }
    }
  };
  await Promise.all(Array.from({ length: PARALLEL }, worker));
  return listAnswer(context, page.items, page.meta, representation);
}
