// What is known of ConfigMaps and Secrets, without their contents: enough to judge those who use them, and small enough to be kept for all of
// a cluster.

import type { ConfigKind } from "../api/config/pod-uses.ts";
import type { ConfigMap, Secret } from "../api/types.ts";
import { annotationsOf, type Subject } from "./subject.ts";

export interface KeyFacts {
  readonly bytes: number;
  /** Of a ConfigMap's binaryData. */
  readonly isBinary: boolean;
  readonly endsWithNewline: boolean;
}

export interface ConfigFacts {
  readonly kind: ConfigKind;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /** Undefined: nobody looked. */
  readonly keys: ReadonlyMap<string, KeyFacts> | undefined;
  readonly isImmutable: boolean;
  /** Those that mean something to reload rules. */
  readonly annotations: Readonly<Record<string, string>>;
  /** The annotation by which a tool deletes it and makes it anew, if there is one. */
  readonly recreatedBy: string | undefined;
}

/** Undefined for other kinds. */
export function configFacts(subject: Subject): ConfigFacts | undefined {
  const { kind, namespace, name, metadata } = subject;
  if (kind !== "ConfigMap" && kind !== "Secret") return undefined;
  const object = subject.object as ConfigMap | Secret;
  return {
    ...{ kind, namespace, name, uid: metadata.uid ?? "" },
    keys: kind === "Secret" ? secretKeys(object) : configMapKeys(object),
    isImmutable: object.immutable === true,
    annotations: reloadAnnotations(annotationsOf(metadata)),
    recreatedBy: recreatedBy(annotationsOf(metadata)),
  };
}

function recreatedBy(annotations: Readonly<Record<string, string>>): string | undefined {
  if (annotations["helm.sh/hook"] !== undefined) return "helm.sh/hook";
  const options = annotations["argocd.argoproj.io/sync-options"] ?? "";
  return /\b(?:Replace|Force)=true\b/.test(options) ? "argocd.argoproj.io/sync-options" : undefined;
}

export function reloadAnnotations(
  annotations: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const kept = Object.entries(annotations).filter(([key]) =>
    /(?:^|\.)reloader\.stakater\.com\/|^driftless\.dev\//.test(key),
  );
  return Object.fromEntries(kept);
}

function configMapKeys({ data, binaryData }: ConfigMap): ReadonlyMap<string, KeyFacts> {
  return new Map([
    ...Object.entries(binaryData ?? {}).map(
      ([key, value]) => [key, { ...bytesFacts(value), isBinary: true }] as const,
    ),
    ...Object.entries(data ?? {}).map(([key, value]) => [key, textFacts(value)] as const),
  ]);
}

function secretKeys({ data, stringData }: Secret): ReadonlyMap<string, KeyFacts> {
  return new Map([
    ...Object.entries(data ?? {}).map(([key, value]) => [key, bytesFacts(value)] as const),
    ...Object.entries(stringData ?? {}).map(([key, value]) => [key, textFacts(value)] as const),
  ]);
}

function textFacts(value: string): KeyFacts {
  const bytes = Buffer.byteLength(value);
  return { bytes, isBinary: false, endsWithNewline: value.endsWith("\n") };
}

function bytesFacts(base64: string): KeyFacts {
  const bytes = Buffer.from(base64, "base64");
  return { bytes: bytes.length, isBinary: false, endsWithNewline: bytes.at(-1) === 10 };
}
