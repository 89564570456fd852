// What a LimitRange may demand: its numbers have to fit together.

import { parseQuantity, type Quantity } from "../quantity.ts";
import type { LimitRange, LimitRangeItem } from "../types.ts";
import {
  duplicate,
  type FieldError,
  forbidden,
  invalid,
  invalids,
  required,
} from "./field-error.ts";
import { FieldPath } from "./field-path.ts";
import { nameIsDnsSubdomain, qualifiedName } from "./names.ts";
import { validateObjectMeta, validateObjectMetaUpdate } from "./object-meta.ts";
import {
  isOvercommitAllowed,
  validateContainerResourceName,
  validateResourceName,
} from "./resources.ts";

type Field = "min" | "max" | "default" | "defaultRequest" | "maxLimitRequestRatio";

/** `low` may not be greater than `high`. */
interface Order {
  readonly low: Field;
  readonly high: Field;
  /** Where the error is. */
  readonly at: Field;
  /** Which of the two is shown; not always the one that the error is at. */
  readonly shown: Field;
}

const types = ["Pod", "Container", "PersistentVolumeClaim"];
const told: Readonly<Record<Field, string>> = {
  min: "min value",
  max: "max value",
  default: "default value",
  defaultRequest: "default request value",
  maxLimitRequestRatio: "ratio",
};
const orders: readonly Order[] = [
  { low: "min", high: "max", at: "min", shown: "min" },
  { low: "min", high: "defaultRequest", at: "defaultRequest", shown: "defaultRequest" },
  { low: "defaultRequest", high: "max", at: "defaultRequest", shown: "defaultRequest" },
  { low: "defaultRequest", high: "default", at: "defaultRequest", shown: "defaultRequest" },
  { low: "min", high: "default", at: "default", shown: "min" },
  { low: "default", high: "max", at: "default", shown: "max" },
];
const one = parseQuantity("1");

export function validateLimitRange(range: LimitRange): FieldError[] {
  const path = FieldPath.of("spec", "limits");
  const limits = range.spec.limits ?? [];
  return [
    ...validateObjectMeta(range.metadata, { namespaced: true, name: nameIsDnsSubdomain }),
    ...limits.flatMap((item, i) => {
      const at = path.index(i);
      const isRepeated = limits.slice(0, i).some(({ type }) => type === item.type);
      return [
        ...validateType(item.type, at.child("type")),
        ...(isRepeated ? [duplicate(at.child("type"), item.type)] : []),
        ...validateNames(item, at),
        ...validateNumbers(item, at),
      ];
    }),
  ];
}

export function validateLimitRangeUpdate(range: LimitRange, old: LimitRange): FieldError[] {
  return [...validateObjectMetaUpdate(range.metadata, old.metadata), ...validateLimitRange(range)];
}

function validateType(type: string, path: FieldPath): FieldError[] {
  const details = qualifiedName(type);
  if (details.length > 0) return invalids(path, type, details);
  if (type.includes("/") || types.includes(type)) return [];
  return [invalid(path, type, "must be a standard limit type or fully qualified")];
}

function validateNames(item: LimitRangeItem, path: FieldPath): FieldError[] {
  const rule =
    item.type === "Pod" || item.type === "Container"
      ? validateContainerResourceName
      : validateResourceName;
  const names = (field: Field): FieldError[] =>
    Object.keys(item[field] ?? {}).flatMap((name) => rule(name, path.child(field).key(name)));
  const errors = [...names("max"), ...names("min")];
  for (const field of ["default", "defaultRequest"] as const) {
    if (item.type !== "Pod") errors.push(...names(field));
    else if (Object.keys(item[field] ?? {}).length > 0) {
      errors.push(forbidden(path.child(field), "may not be specified when `type` is 'Pod'"));
    }
  }
  const unlimited = item.min?.["storage"] === undefined && item.max?.["storage"] === undefined;
  if (item.type === "PersistentVolumeClaim" && unlimited) {
    const text = "either minimum or maximum storage value is required, but neither was provided";
    errors.push(required(path.child("limits"), text));
  }
  return [...errors, ...names("maxLimitRequestRatio")];
}

function validateNumbers(item: LimitRangeItem, path: FieldPath): FieldError[] {
  const fields: readonly Field[] =
    item.type === "Pod"
      ? ["max", "min", "maxLimitRequestRatio"]
      : ["max", "min", "default", "defaultRequest", "maxLimitRequestRatio"];
  const names = new Set(fields.flatMap((field) => Object.keys(item[field] ?? {})));
  return [...names].sort().flatMap((name) => {
    const amounts = new Map<Field, Quantity>();
    for (const field of fields) {
      const text = item[field]?.[name];
      if (text !== undefined) amounts.set(field, parseQuantity(text));
    }
    return [
      ...validateOrder(amounts, name, path),
      ...validateRatio(amounts, path.child("maxLimitRequestRatio").key(name)),
      ...validateEqual(amounts, name, path.child("defaultRequest").key(name)),
    ];
  });
}

function validateOrder(
  amounts: ReadonlyMap<Field, Quantity>,
  name: string,
  path: FieldPath,
): FieldError[] {
  return orders.flatMap(({ low, high, at, shown }) => {
    const [lower, higher] = [amounts.get(low), amounts.get(high)];
    if (lower === undefined || higher === undefined || lower.compare(higher) <= 0) return [];
    const than =
      low === "defaultRequest" && high === "default" ? "default limit value" : told[high];
    const text = `${told[low]} ${lower.canonical()} is greater than ${than} ${higher.canonical()}`;
    const value = (shown === low ? lower : higher).canonical();
    return [invalid(path.child(at).key(name), value, text)];
  });
}

function validateRatio(amounts: ReadonlyMap<Field, Quantity>, path: FieldPath): FieldError[] {
  const ratio = amounts.get("maxLimitRequestRatio");
  if (ratio === undefined) return [];
  const shown = ratio.canonical();
  const errors =
    ratio.compare(one) < 0 ? [invalid(path, shown, `ratio ${shown} is less than 1`)] : [];
  const [min, max] = [amounts.get("min"), amounts.get("max")];
  if (min === undefined || max === undefined) return errors;
  const limit = Number(max.milliValue()) / Number(min.milliValue());
  if (Number(ratio.milliValue()) / 1000 <= limit) return errors;
  const text = `ratio ${shown} is greater than max/min = ${limit.toFixed(6)}`;
  return [...errors, invalid(path, shown, text)];
}

/** Of what cannot be promised twice, the default request is the default limit. */
function validateEqual(
  amounts: ReadonlyMap<Field, Quantity>,
  name: string,
  path: FieldPath,
): FieldError[] {
  const [limit, request] = [amounts.get("default"), amounts.get("defaultRequest")];
  if (limit === undefined || request === undefined || isOvercommitAllowed(name)) return [];
  if (limit.compare(request) === 0) return [];
  const text = `default value ${limit.canonical()} must equal to defaultRequest value ${request.canonical()} in ${name}`;
  return [invalid(path, request.canonical(), text)];
}
