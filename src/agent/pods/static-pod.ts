// From the text of a manifest to a pod as the server would have made it: decoded, defaulted, checked, and named after the node.
// Its uid is a hash of the text: another text is another pod.

import { createHash } from "node:crypto";
import { decodeObject } from "../../api/decode.ts";
import { setPodDefaults } from "../../api/defaults/pod.ts";
import { applyTableDefaults } from "../../api/defaults/table-defaults.ts";
import { restoreTableOrder } from "../../api/defaults/table-order.ts";
import { isJsonObject, type JsonObject } from "../../api/json.ts";
import { kindOf } from "../../api/kinds.ts";
import type { Pod } from "../../api/types.ts";
import { validatePod } from "../../api/validation/pod.ts";
import { parseYamlText } from "../../api/yaml-text.ts";
import { apiReference } from "./api-references.ts";

export const configAnnotations = {
  source: "kubernetes.io/config.source",
  hash: "kubernetes.io/config.hash",
  mirror: "kubernetes.io/config.mirror",
} as const;

/** Throws Error with what is wrong with it. */
export function staticPodOf(text: string, nodeName: string): Pod {
  const pod = decoded(text);
  const { metadata, spec } = pod;
  if ((metadata.name ?? "") === "") throw new Error("invalid pod: name is needed for the pod");
  const uid = uidOf(text, nodeName);
  metadata.uid = uid;
  metadata.name = `${metadata.name}-${nodeName.toLowerCase()}`;
  metadata.namespace ||= "default";
  metadata.annotations = {
    ...metadata.annotations,
    [configAnnotations.source]: "file",
    [configAnnotations.hash]: uid,
  };
  spec.nodeName = nodeName;
  // No taint drives it away: there is nobody who could put it elsewhere.
  spec.tolerations = [
    ...(spec.tolerations ?? []).filter((one) => one.operator !== "Exists" || one.key !== undefined),
    { operator: "Exists", effect: "NoExecute" },
  ];
  pod.status = { phase: "Pending" };
  const errors = validatePod(pod);
  if (errors.length > 0) {
    const told = errors.map(({ field, message }) => `${field}: ${message}`).join(", ");
    throw new Error(`invalid pod: [${told}]`);
  }
  const reference = apiReference(pod);
  if (reference !== undefined) throw new Error(`static pods may not reference ${reference}`);
  return pod;
}

/** A picture of a static pod, for people to look at: nothing is run for its sake. */
export function isMirror({ metadata }: Pick<Pod, "metadata">): boolean {
  return metadata.annotations?.[configAnnotations.mirror] !== undefined;
}

function decoded(text: string): Pod {
  const { value } = parseYamlText(text);
  const kind = kindOf("v1", "Pod");
  if (!isJsonObject(value) || kind === undefined) throw new Error("invalid pod: not an object");
  const { apiVersion, kind: name } = value;
  if (apiVersion !== "v1" || name !== "Pod") {
    const told = JSON.stringify({ apiVersion, kind: name });
    throw new Error(`invalid pod: it is ${told}, not a Pod of v1`);
  }
  const object: JsonObject = decodeObject(kind.schema, value).object;
  const pod = object as unknown as Pod;
  setPodDefaults(pod);
  applyTableDefaults(kind.schema, object);
  restoreTableOrder(kind.schema, object);
  return pod;
}

function uidOf(text: string, nodeName: string): string {
  return createHash("sha256").update(`host:${nodeName}\n`).update(text).digest("hex").slice(0, 32);
}
