// Nodes. What a node is made of changes; which addresses pods get on it does not, once given.

import type { ConfigMapNodeConfigSource, Node, NodeConfigSource } from "../types.ts";
import { isAbsent, list, text } from "./absent.ts";
import {
  duplicate,
  type FieldError,
  forbidden,
  internalError,
  invalid,
  invalids,
  required,
} from "./field-error.ts";
import { FieldPath } from "./field-path.ts";
import { goQuote } from "./go-text.ts";
import { isDualStack, parseCidr, validateCidr } from "./ip-address.ts";
import { configMapKey, nameIsDnsLabel, nameIsDnsSubdomain } from "./names.ts";
import { validateObjectMeta, validateObjectMetaUpdate } from "./object-meta.ts";
import { validateQuantity } from "./resources.ts";
import { validateTaints } from "./tolerations.ts";

const rules = { namespaced: false, name: nameIsDnsSubdomain };
const cidrsPath = FieldPath.of("spec", "podCIDRs");
/** The original looks for taints below metadata. */
const taintsPath = FieldPath.of("metadata", "taints");

export function validateNode(node: Node): FieldError[] {
  const swap = node.status.nodeInfo.swap?.capacity;
  return [
    ...validateObjectMeta(node.metadata, rules),
    ...validateTaints(node.spec.taints, taintsPath),
    ...validateAmounts(node),
    ...(isAbsent(swap) || swap > 0
      ? []
      : [
          invalid(
            FieldPath.of("metadata", "nodeSwapStatus", "capacity"),
            swap,
            "must be greater than zero",
          ),
        ]),
    ...validateFeatures(node),
    ...validateCidrs(list(node.spec.podCIDRs)),
  ];
}

/** What changes, also through the status. */
export function validateNodeChange(node: Node, old: Node): FieldError[] {
  const { configSource } = node.spec;
  const { config } = node.status;
  return [
    ...validateObjectMetaUpdate(node.metadata, old.metadata),
    ...validateAmounts(node),
    ...validateFeatures(node),
    ...validateAddresses(node),
    ...validateCidrsKept(list(node.spec.podCIDRs), list(old.spec.podCIDRs)),
    ...validateProvider(text(node.spec.providerID), text(old.spec.providerID)),
    ...(isAbsent(configSource)
      ? []
      : validateConfigSource(configSource, "spec", FieldPath.of("spec", "configSource"))),
    ...(["assigned", "active", "lastKnownGood"] as const).flatMap((name) => {
      const source = config?.[name];
      const path = FieldPath.of("status", "config", name);
      return isAbsent(source) ? [] : validateConfigSource(source, "status", path);
    }),
    ...validateTaints(node.spec.taints, taintsPath),
    ...(text(node.spec.externalID) === text(old.spec.externalID)
      ? []
      : [forbidden(FieldPath.of("spec", "externalID"), "may not be updated")]),
  ];
}

export function validateNodeUpdate(node: Node, old: Node): FieldError[] {
  return [...validateNode(node), ...validateNodeChange(node, old)];
}

function validateAmounts(node: Node): FieldError[] {
  return (["capacity", "allocatable"] as const).flatMap((kind) =>
    Object.entries(node.status[kind] ?? {}).flatMap(([name, value]) =>
      validateQuantity(name, value, FieldPath.of("status", kind, name)),
    ),
  );
}

function validateFeatures(node: Node): FieldError[] {
  const path = FieldPath.of("status", "declaredFeatures");
  const features = list(node.status.declaredFeatures);
  return features.flatMap((name, i) => {
    const errors = invalids(path.index(i), name, featureProblems(name));
    const next = features[i + 1];
    if (next === undefined || name < next) return errors;
    const at = path.index(i + 1);
    const detail = "list must be sorted alphabetically";
    return [...errors, name === next ? duplicate(at, next) : invalid(at, next, detail)];
  });
}

function featureProblems(name: string): string[] {
  const head = `invalid feature name ${goQuote(name)}:`;
  if (name.length > 253) return [`${head} must be no more than 253 characters`];
  if (/^[A-Z][a-zA-Z0-9]*(\/[a-zA-Z][a-zA-Z0-9]*)*$/.test(name)) return [];
  return [
    `${head} must start with an UpperCamelCase segment, with subsequent segments separated by '/' (e.g., MyFeature or MyFeature/mySubFeature), and contain only alphanumeric characters and slashes`,
  ];
}

function validateCidrs(cidrs: readonly string[]): FieldError[] {
  const errors = cidrs.flatMap((value, i) => validateCidr(cidrsPath.index(i), value));
  if (cidrs.length < 2) return errors;
  const parsed = cidrs.map(parseCidr);
  const bad = cidrs[parsed.indexOf(undefined)];
  if (bad !== undefined) {
    const why = `invalid CIDR address: ${bad}`;
    const detail = `invalid PodCIDRs. failed to check with dual stack with error:${why}`;
    errors.push(internalError(cidrsPath, detail));
  }
  const isDual = bad === undefined && isDualStack(parsed.map((cidr) => cidr?.address));
  if (isDual && cidrs.length === 2) return errors;
  const detail = "may specify no more than one CIDR for each IP family";
  return [...errors, invalid(cidrsPath, [...cidrs], detail)];
}

function validateAddresses(node: Node): FieldError[] {
  const seen = new Set<string>();
  return list(node.status.addresses).flatMap((address, i) => {
    const identity = JSON.stringify([address.type, address.address]);
    if (!seen.has(identity)) {
      seen.add(identity);
      return [];
    }
    const shown = { Type: address.type, Address: address.address };
    return [duplicate(FieldPath.of("status", "addresses").index(i), shown)];
  });
}

function validateCidrsKept(cidrs: readonly string[], old: readonly string[]): FieldError[] {
  if (old.length === 0) return [];
  const error = forbidden(cidrsPath, 'node updates may not change podCIDR except from "" to valid');
  if (cidrs.length !== old.length) return [error];
  return old.filter((value, i) => value !== cidrs[i]).map(() => error);
}

function validateProvider(id: string, old: string): FieldError[] {
  if (old === "" || id === old) return [];
  const how = id === "" ? "cleared" : "modified";
  return [invalid(FieldPath.of("spec", "providerID"), null, `field cannot be ${how} once set`)];
}

function validateConfigSource(
  source: NodeConfigSource,
  of: "spec" | "status",
  path: FieldPath,
): FieldError[] {
  if (isAbsent(source.configMap)) {
    const detail = "exactly one reference subfield must be non-nil";
    return [invalid(path, { ConfigMap: null }, detail)];
  }
  const at = path.child("configMap");
  return [
    ...(["uid", "resourceVersion"] as const).flatMap((name) => {
      const isSet = text(source.configMap?.[name]) !== "";
      if (of === "status") return isSet ? [] : [required(at.child(name))];
      return isSet ? [forbidden(at.child(name), `${name} must not be set in spec`)] : [];
    }),
    ...validateConfigReference(source.configMap, at),
  ];
}

function validateConfigReference(
  { namespace, name, kubeletConfigKey: key }: ConfigMapNodeConfigSource,
  path: FieldPath,
): FieldError[] {
  const judged = [
    ["namespace", namespace, nameIsDnsLabel(namespace, false)],
    ["name", name, nameIsDnsSubdomain(name, false)],
    ["kubeletConfigKey", key, configMapKey(key)],
  ] as const;
  return judged.flatMap(([field, value, details]) =>
    value === "" ? [required(path.child(field))] : invalids(path.child(field), value, details),
  );
}
