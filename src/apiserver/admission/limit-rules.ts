// The rules of one entry of a LimitRange, and their texts.

import { parseQuantity, type Quantity } from "../../api/quantity.ts";
import type { LimitRangeItem } from "../../api/types.ts";
import { entry } from "../../api/validation/absent.ts";

type Amounts = { readonly [name: string]: string };

export interface Asked {
  readonly requests: Amounts;
  readonly limits: Amounts;
}

interface Rule {
  readonly type: string;
  readonly name: string;
  /** As it is written. */
  readonly bound: string;
}

/** Thousandths are compared where they fit into 64 bits, and whole units beyond. */
const maxMilli = (2n ** 63n - 1n) / 1000n;

/** For containers and pods. */
export function limitProblems(limit: LimitRangeItem, asked: Asked): string[] {
  return [
    ...rulesOf(limit, limit.min).flatMap((rule) => minProblem(rule, asked) ?? []),
    ...rulesOf(limit, limit.max).flatMap((rule) => maxProblem(rule, asked) ?? []),
    ...rulesOf(limit, limit.maxLimitRequestRatio).flatMap(
      (rule) => ratioProblem(rule, asked) ?? [],
    ),
  ];
}

/** For claims, which have requests only. */
export function requestProblems(limit: LimitRangeItem, requests: Amounts): string[] {
  return [
    ...rulesOf(limit, limit.min).flatMap(
      (rule) => minProblem(rule, { requests, limits: {} }) ?? [],
    ),
    ...rulesOf(limit, limit.max).flatMap((rule) => maxRequestProblem(rule, requests) ?? []),
  ];
}

function rulesOf({ type }: LimitRangeItem, bounds: Amounts = {}): Rule[] {
  return Object.entries(bounds).map(([name, bound]) => ({ type, name, bound }));
}

function minProblem({ type, name, bound }: Rule, { requests, limits }: Asked): string | undefined {
  const [request, limit] = [entry(requests, name), entry(limits, name)];
  const text = `minimum ${name} usage per ${type} is ${bound}`;
  if (request === undefined) return `${text}.  No request is specified`;
  const [asked, most, least] = comparable(request, limit ?? "0", bound);
  if (asked < least) return `${text}, but request is ${request}`;
  return limit !== undefined && most < least ? `${text}, but limit is ${limit}` : undefined;
}

function maxProblem({ type, name, bound }: Rule, { requests, limits }: Asked): string | undefined {
  const [request, limit] = [entry(requests, name), entry(limits, name)];
  const text = `maximum ${name} usage per ${type} is ${bound}`;
  if (limit === undefined) return `${text}.  No limit is specified`;
  const [asked, most, allowed] = comparable(request ?? "0", limit, bound);
  if (most > allowed) return `${text}, but limit is ${limit}`;
  return asked > allowed ? `${text}, but request is ${request}` : undefined;
}

function maxRequestProblem({ type, name, bound }: Rule, requests: Amounts): string | undefined {
  const request = entry(requests, name);
  const text = `maximum ${name} usage per ${type} is ${bound}`;
  if (request === undefined) return `${text}.  No request is specified`;
  const [asked, , allowed] = comparable(request, "0", bound);
  return asked > allowed ? `${text}, but request is ${request}` : undefined;
}

function ratioProblem(
  { type, name, bound }: Rule,
  { requests, limits }: Asked,
): string | undefined {
  const text = `${name} max limit to request ratio per ${type} is ${bound}`;
  const [asked, most] = comparable(entry(requests, name) ?? "0", entry(limits, name) ?? "0", bound);
  if (asked === 0n) return `${text}, but no request is specified or request is 0`;
  if (most === 0n) return `${text}, but no limit is specified or limit is 0`;
  const ratio = Number(most) / Number(asked);
  const allowed = parseQuantity(bound);
  const isFine = allowed.value() <= maxMilli;
  const isTooMuch = isFine
    ? ratio * 1000 > Number(allowed.milliValue())
    : ratio > Number(allowed.value());
  return isTooMuch ? `${text}, but provided ratio is ${ratio.toFixed(6)}` : undefined;
}

function comparable(request: string, limit: string, bound: string): [bigint, bigint, bigint] {
  const [a, b, c] = [parseQuantity(request), parseQuantity(limit), parseQuantity(bound)];
  const areSmall = [a, b, c].every((quantity) => quantity.value() <= maxMilli);
  const scaled = (quantity: Quantity): bigint =>
    areSmall ? quantity.milliValue() : quantity.value();
  return [scaled(a), scaled(b), scaled(c)];
}
