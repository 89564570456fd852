// What becomes of variables that come from objects: names, sizes, and who wins.

import { list, text } from "../../api/validation/absent.ts";
import type { ConfigFacts, KeyFacts } from "../config-facts.ts";
import { type Finding, found } from "../finding.ts";
import {
  type PlacedContainer,
  placedContainers,
  type Reference,
  referencesOf,
} from "../references.ts";
import { nameOf } from "../subject.ts";
import type { JudgedPod, World } from "./world.ts";

/** Linux's limit for one variable with its name and value: 32 pages. */
const MAX_VARIABLE_BYTES = 131_072;
/** From here on it is worth saying. */
const NEAR_BYTES = 98_304;

export function environmentFindings(pod: JudgedPod, world: World): readonly Finding[] {
  const references = referencesOf(pod).filter(({ how }) => how !== "volume");
  return [
    ...placedContainers(pod).flatMap((placed) => [
      ...twiceFindings(pod, placed),
      ...shadowedFindings(pod, placed, world),
    ]),
    ...references.flatMap((reference) => {
      const [facts] = world.index.find({ ...reference, namespace: pod.subject.namespace });
      return facts?.keys === undefined ? [] : valueFindings(pod, reference, facts);
    }),
  ];
}

function twiceFindings(
  { subject }: JudgedPod,
  { container, path }: PlacedContainer,
): readonly Finding[] {
  const seen = new Set<string>();
  return list(container.env).flatMap(({ name }, index) => {
    const isTwice = seen.has(text(name));
    seen.add(text(name));
    if (!isTwice) return [];
    const at = { subject, path: [...path, "env", index, "name"] };
    const message = `${name} is set twice in container ${JSON.stringify(container.name)}; this one, the later, wins.`;
    return [found("env-twice", at, message)];
  });
}

/** envFrom whose variables somebody later sets again. */
function shadowedFindings(
  pod: JudgedPod,
  { container, path }: PlacedContainer,
  { index }: World,
): readonly Finding[] {
  const { subject } = pod;
  const sources = list(container.envFrom).map((from, place) => {
    const kind = from.secretRef ? ("Secret" as const) : ("ConfigMap" as const);
    const name = text((from.secretRef ?? from.configMapRef)?.name);
    const [facts] = index.find({ kind, name, namespace: subject.namespace });
    const keys = [...(facts?.keys ?? [])].filter(([, { isBinary }]) => !isBinary);
    return {
      place,
      object: nameOf({ kind, name }),
      names: keys.map(([key]) => text(from.prefix) + key),
    };
  });
  const own = new Set(list(container.env).map(({ name }) => text(name)));
  return sources.flatMap(({ place, object, names }, position) => {
    const later = new Set(sources.slice(position + 1).flatMap((source) => source.names));
    const lost = names.filter((name) => own.has(name) || later.has(name));
    if (lost.length === 0) return [];
    const at = { subject, path: [...path, "envFrom", place] };
    return [found("env-shadowed", at, `${listed(lost)} of ${object} is set again later.`)];
  });
}

function valueFindings(
  pod: JudgedPod,
  reference: Reference,
  { keys = new Map<string, KeyFacts>() }: ConfigFacts,
): readonly Finding[] {
  const isWhole = reference.how === "envFrom";
  const used = isWhole
    ? [...keys]
    : reference.keys.flatMap(({ key }) => {
        const facts = keys.get(key);
        return facts === undefined ? [] : [[key, facts] as const];
      });
  const text = used.filter(([, { isBinary }]) => !isBinary);
  const at = { subject: pod.subject, path: reference.keys[0]?.path ?? reference.path };
  const object = nameOf(reference);
  return [
    ...binaryFindings(used, isWhole, object, at),
    ...(isWhole ? oddNames(text, reference, at) : []),
    ...text.flatMap(([key, facts]) => sizeFinding({ key, facts, reference, at })),
    ...newlineFinding(text, object, at),
  ];
}

type At = Parameters<typeof found>[1];
type Used = readonly (readonly [string, KeyFacts])[];

function binaryFindings(used: Used, isWhole: boolean, object: string, at: At): readonly Finding[] {
  const binary = used.filter(([, { isBinary }]) => isBinary).map(([key]) => key);
  if (binary.length === 0) return [];
  const outcome = isWhole ? "envFrom leaves it out" : "the container does not start";
  const severity = isWhole ? "warning" : "error";
  const message = `${listed(binary)} of ${object} is in binaryData: ${outcome}.`;
  return [found("binary-in-env", at, message, { severity })];
}

function oddNames(used: Used, { prefix, ...named }: Reference, at: At): readonly Finding[] {
  const odd = used.map(([key]) => prefix + key).filter((name) => !/^[A-Za-z_]\w*$/.test(name));
  if (odd.length === 0) return [];
  return [
    found(
      "env-name-odd",
      at,
      `envFrom of ${nameOf(named)} makes ${listed(odd)}, not usual as a variable.`,
    ),
  ];
}

function sizeFinding(of: {
  readonly key: string;
  readonly facts: KeyFacts;
  readonly reference: Reference;
  readonly at: At;
}): readonly Finding[] {
  const { key, facts, reference, at } = of;
  const name = reference.variable || reference.prefix + key;
  // NAME=value and the zero byte at its end.
  const bytes = Buffer.byteLength(name) + facts.bytes + 2;
  if (bytes < NEAR_BYTES) return [];
  const isOver = bytes > MAX_VARIABLE_BYTES;
  const outcome = isOver
    ? "no process can be started with it"
    : "from 128 KiB on no process starts with it";
  const message = `${name} has ${Math.ceil(bytes / 1024)} KiB: ${outcome}.`;
  return [found("env-too-large", at, message, { severity: isOver ? "error" : "warning" })];
}

/** Certificates and keys end with one on purpose. */
function newlineFinding(used: Used, object: string, at: At): readonly Finding[] {
  const keys = used
    .filter(([key, facts]) => facts.endsWithNewline && !/\.(?:crt|key|pem|csr)$/i.test(key))
    .map(([key]) => key);
  if (keys.length === 0) return [];
  return [
    found(
      "newline-in-env",
      at,
      `${listed(keys)} of ${object} ends with a line break, which becomes part of the variable.`,
    ),
  ];
}

function listed(names: readonly string[]): string {
  const shown = names.slice(0, 3).join(", ");
  return names.length > 3 ? `${shown} and ${names.length - 3} more` : shown;
}
