// What a client wants to be sent, from its Accept header. Clauses are tried in order; one that names something we
// do not have disqualifies only itself.

import { StatusError } from "../../api/status-error.ts";

/** Protobuf is read but not written: clients that ask for it take JSON. */
type Format = "json" | "yaml";

export interface Representation {
  readonly format: Format;
  readonly as: "object" | "table" | "partial";
  /** Of meta.k8s.io, for tables and partial objects. */
  readonly metaVersion: "v1" | "v1beta1";
}

const plain: Representation = { format: "json", as: "object", metaVersion: "v1" };

const formats: ReadonlyMap<string, Format> = new Map([
  ["application/json", "json"],
  ["application/*", "json"],
  ["*/*", "json"],
  ["application/yaml", "yaml"],
  ["application/vnd.kubernetes.protobuf", "json"],
]);

export function representationFor(accept: string | undefined, isStream = false): Representation {
  if (accept === undefined || accept === "" || accept === "application/json") return plain;
  for (const clause of accept.split(",")) {
    const found = representationOf(clause);
    if (found !== undefined) return found;
  }
  // The type would do, but not what is asked of it.
  const isTransform = accept.split(",").some((clause) => formats.has(mediaType(clause).type));
  throw isTransform ? noSuchTransform() : notAcceptable(isStream);
}

export interface MediaType {
  /** Lower case, without parameters. */
  readonly type: string;
  readonly parameters: ReadonlyMap<string, string>;
}

/** Lenient: "@" in a type and quotes around values survive. */
export function mediaType(text: string): MediaType {
  const [type = "", ...rest] = text.split(";");
  const parameters = new Map(
    rest.map((parameter) => {
      const [key = "", value = ""] = parameter.split("=", 2);
      return [key.trim().toLowerCase(), value.trim().replace(/^"(.*)"$/, "$1")];
    }),
  );
  return { type: type.trim().toLowerCase(), parameters };
}

function representationOf(clause: string): Representation | undefined {
  const { type, parameters } = mediaType(clause);
  const format = formats.get(type);
  if (format === undefined || parameters.get("q") === "0") return undefined;
  const as = parameters.get("as");
  if (as === undefined) return format === "json" ? plain : { ...plain, format };
  const metaVersion = parameters.get("v");
  if (parameters.get("g") !== "meta.k8s.io") return undefined;
  if (metaVersion !== "v1" && metaVersion !== "v1beta1") return undefined;
  if (as === "Table") return { format, as: "table", metaVersion };
  if (as === "PartialObjectMetadata" || as === "PartialObjectMetadataList") {
    return { format, as: "partial", metaVersion };
  }
  return undefined;
}

const types = "application/json, application/yaml, application/vnd.kubernetes.protobuf";

function noSuchTransform(): StatusError {
  const message = `only the following media types are accepted: ${types}`;
  return new StatusError({ code: 406, reason: "NotAcceptable", message });
}

function notAcceptable(isStream: boolean): StatusError {
  const streams =
    ", application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch";
  return new StatusError({
    code: 406,
    reason: "NotAcceptable",
    message: `406: Not Acceptable\n\nAvailable representations: ${types}${isStream ? streams : ""}`,
    details: {},
  });
}
