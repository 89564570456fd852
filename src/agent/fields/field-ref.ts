// The fields of a pod that its files and its environment may ask for. Two sets of names: what changes after the pod's start, labels and
// annotations, only a volume can show as a whole; where the pod runs, only an environment says.

import type { Pod } from "../../api/types.ts";
import { goQuote } from "../../api/validation/go-text.ts";
import { qualifiedName } from "../../api/validation/names.ts";
import { compareUtf8 } from "../../base/content-version.ts";
import type { NodeFacts } from "../env/environment.ts";

type StringMap = Readonly<Record<string, string>>;

/** For a downwardAPI item. Throws with the original's text. */
export function volumeFieldValue(pod: Pod, fieldPath: string): string {
  const { metadata } = pod;
  const subscripted = splitSubscript(fieldPath);
  if (subscripted) return valueOfKey(pod, { fieldPath, ...subscripted });
  switch (fieldPath) {
    case "metadata.name":
      return metadata.name ?? "";
    case "metadata.namespace":
      return metadata.namespace ?? "";
    case "metadata.uid":
      return metadata.uid ?? "";
    case "metadata.labels":
      return mapText(metadata.labels ?? {});
    case "metadata.annotations":
      return mapText(metadata.annotations ?? {});
    default:
      throw new Error(`unsupported fieldPath: ${fieldPath}`);
  }
}

/** For `env[].valueFrom.fieldRef`. Throws with the original's text. Pods share the addresses of their node. */
export function envFieldValue(
  { pod, node }: { readonly pod: Pod; readonly node: NodeFacts },
  fieldPath: string,
): string {
  switch (fieldPath) {
    case "spec.nodeName":
    case "spec.host": // The name of very old clients.
      return pod.spec.nodeName ?? node.name;
    case "spec.serviceAccountName":
      return pod.spec.serviceAccountName ?? "";
    case "status.hostIP":
      return hostAddresses(node)[0] ?? "";
    case "status.hostIPs":
      return hostAddresses(node).join(",");
    case "status.podIP":
      return node.addresses[0] ?? "";
    case "status.podIPs":
      return node.addresses.join(",");
    default:
      return volumeFieldValue(pod, fieldPath);
  }
}

/** `metadata.labels['a']` in its two parts; undefined for what is not of this form. Split at the first `['`, as the original does. */
export function splitSubscript(
  fieldPath: string,
): { readonly field: string; readonly key: string } | undefined {
  const open = fieldPath.indexOf("['");
  if (open < 1 || !fieldPath.endsWith("']") || open + 4 > fieldPath.length) return undefined;
  return { field: fieldPath.slice(0, open), key: fieldPath.slice(open + 2, -2) };
}

/** A key that is not there is an empty text, not an error. */
function valueOfKey(
  { metadata }: Pod,
  of: { readonly fieldPath: string; readonly field: string; readonly key: string },
): string {
  const { fieldPath, field, key } = of;
  switch (field) {
    case "metadata.labels":
      checkKey(fieldPath, key);
      return ownValue(metadata.labels, key);
    case "metadata.annotations":
      checkKey(fieldPath, key.toLowerCase());
      return ownValue(metadata.annotations, key);
    default:
      throw new Error(`fieldPath ${goQuote(fieldPath)} does not support subscript`);
  }
}

function checkKey(fieldPath: string, key: string): void {
  const problems = qualifiedName(key);
  if (problems.length === 0) return;
  throw new Error(`invalid key subscript in ${fieldPath}: ${problems.join(";")}`);
}

/** "constructor" is a good name for a label, and every object inherits one. */
function ownValue(map: StringMap | undefined, key: string): string {
  return map && Object.hasOwn(map, key) ? (map[key] ?? "") : "";
}

/** One line per key, sorted by their bytes, values quoted, and no line end after the last. */
function mapText(map: StringMap): string {
  return Object.entries(map)
    .toSorted(([a], [b]) => compareUtf8(a, b))
    .map(([key, value]) => `${key}=${quoted(value)}`)
    .join("\n");
}

/** As `goQuote` does, which looks at single characters: annotations can be long, and most of their characters are plain. */
function quoted(text: string): string {
  return `"${text.replaceAll(/[^ !#-[\]-~]+/gu, (odd) => goQuote(odd).slice(1, -1))}"`;
}

function hostAddresses({ addresses }: NodeFacts): readonly string[] {
  if (addresses.length === 0) throw new Error("host IP unknown; known addresses: []");
  return addresses;
}
