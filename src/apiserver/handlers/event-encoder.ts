// The lines of a watch, one JSON object each, in the form that the client asked for.

import { apiVersionOf } from "../../api/kind.ts";
import type { StatusError } from "../../api/status-error.ts";
import { partialMetadataOf, tableOf } from "../../api/table/table.ts";
import type { EventEncoder, EventType } from "../cache/cache-event.ts";
import type { CachedObject } from "../cache/cached-object.ts";
import { chunkedFrame } from "../http/chunked-frame.ts";
import type { Representation } from "../http/media-type.ts";
import { shownObject } from "../registry/resource.ts";
import type { RequestContext } from "./context.ts";
import { includeObjectOf } from "./object-answer.ts";

/** Encoders of one kind and form share an id, and so the frames. */
export function eventEncoder(
  context: RequestContext,
  representation: Representation,
): EventEncoder {
  const { kind } = context.resource;
  const marks = bookmarks(context, representation);
  switch (representation.as) {
    case "object":
      return { id: `${apiVersionOf(kind)} object`, encode: objectFrames(context), ...marks };
    case "partial": {
      const { metaVersion } = representation;
      return {
        id: `${apiVersionOf(kind)} partial ${metaVersion}`,
        encode: (type, cached) =>
          frame(type, partialMetadataOf(shownObject(context.resource, cached), metaVersion)),
        ...marks,
      };
    }
    case "table":
      return tableEncoder(context, representation);
  }
}

type Encode = EventEncoder["encode"];
type Marks = Pick<EventEncoder, "bookmark" | "error">;

function objectFrames({ resource }: RequestContext): Encode {
  if (resource.view !== undefined) {
    return (type, cached) => frame(type, shownObject(resource, cached));
  }
  return (type, cached) => chunkedFrame(heads[type], cached.bytes, tail);
}

const tail = Buffer.from("}\n");
const heads: Readonly<Record<EventType, Buffer>> = {
  ADDED: Buffer.from('{"type":"ADDED","object":'),
  MODIFIED: Buffer.from('{"type":"MODIFIED","object":'),
  DELETED: Buffer.from('{"type":"DELETED","object":'),
};

/** Tables are a watcher's own: the first one has the columns, and ages depend on when they are made. */
function tableEncoder(context: RequestContext, { metaVersion }: Representation): EventEncoder {
  const { resource, parts } = context;
  const { kind } = resource;
  const includeObject = includeObjectOf(context);
  let isFirst = true;
  const table = (objects: readonly CachedObject[], resourceVersion: string): object => {
    const made = tableOf({
      kind,
      objects: objects.map((cached) => shownObject(resource, cached)),
      nowMs: parts.clock.now(),
      metadata: { resourceVersion },
      includeObject,
      version: metaVersion,
      headers: isFirst,
    });
    isFirst = false;
    return made;
  };
  return {
    id: undefined,
    encode: (type, cached) => frame(type, table([cached], String(cached.revision))),
    bookmark: (revision) => frame("BOOKMARK", table([], String(revision))),
    error: (error) => frame("ERROR", error.toStatus()),
  };
}

function bookmarks({ resource }: RequestContext, { as, metaVersion }: Representation): Marks {
  const { kind } = resource;
  const type =
    as === "partial"
      ? { kind: "PartialObjectMetadata", apiVersion: `meta.k8s.io/${metaVersion}` }
      : { kind: kind.kind, apiVersion: apiVersionOf(kind) };
  return {
    bookmark: (revision, endsInitial) =>
      frame("BOOKMARK", {
        ...type,
        metadata: {
          resourceVersion: String(revision),
          ...(endsInitial && { annotations: { "k8s.io/initial-events-end": "true" } }),
        },
      }),
    error: (error: StatusError) => frame("ERROR", error.toStatus()),
  };
}

function frame(type: string, object: object): Buffer {
  return chunkedFrame(Buffer.from(`${JSON.stringify({ type, object })}\n`));
}
