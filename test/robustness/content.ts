// What writers write: some labels and a mark that says which write it was. In every kind the mark is kept twice with
// ballast between, so that an object of two writes, or half of one, does not look like either.

import type { Key, KindName, SeenObject } from "./record.ts";

export interface Content {
  readonly labels: Readonly<Record<string, string>>;
  readonly mark: string;
}

/** The same text for the same content. */
export function contentText({ labels, mark }: Content): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}=${value}`);
  return `${mark} {${pairs.sort().join()}}`;
}

/** A mark "w3-17+500" has 500 bytes of ballast. */
export function ballastOf(mark: string): string {
  return "x".repeat(Number(mark.split("+")[1] ?? 0));
}

const paths: Readonly<Record<KindName, string>> = {
  configmaps: "/api/v1",
  secrets: "/api/v1",
  leases: "/apis/coordination.k8s.io/v1",
};

export function pathOf(kind: KindName, namespace?: string, name?: string): string {
  const place = namespace === undefined ? "" : `/namespaces/${namespace}`;
  return `${paths[kind]}${place}/${kind}${name === undefined ? "" : `/${name}`}`;
}

export function splitKey(key: Key): {
  readonly kind: KindName;
  readonly namespace: string;
  readonly name: string;
} {
  const [kind = "", namespace = "", name = ""] = key.split("/");
  return { kind: kind as KindName, namespace, name };
}

export function pathOfKey(key: Key): string {
  const { kind, namespace, name } = splitKey(key);
  return pathOf(kind, namespace, name);
}

/** The fields beside metadata that carry a mark. Also right as a merge patch. */
export function bodyOf(kind: KindName, mark: string): object {
  const ballast = ballastOf(mark);
  switch (kind) {
    case "configmaps":
      return { data: { a: mark, ballast, z: mark } };
    case "secrets":
      return { data: { a: base64(mark), ballast: base64(ballast), z: base64(mark) } };
    case "leases":
      return {
        metadata: { annotations: { ballast } },
        spec: { holderIdentity: mark, leaseDurationSeconds: mark.length },
      };
  }
}

/** An object as the API shows it, as far as this is concerned. */
export interface ShownObject {
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly uid: string;
    readonly resourceVersion: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly data?: Readonly<Record<string, string>>;
  readonly spec?: { readonly holderIdentity?: string; readonly leaseDurationSeconds?: number };
}

export function seen(kind: KindName, object: ShownObject): SeenObject {
  const { namespace, name, uid, resourceVersion, labels = {} } = object.metadata;
  return {
    key: interned(`${kind}/${namespace}/${name}`),
    revision: Number(resourceVersion),
    uid: interned(uid),
    content: interned(contentText({ labels, mark: markOf(kind, object) })),
  };
}

const texts = new Map<string, string>();

/** The same text is kept once, however many watchers were sent it. */
function interned(text: string): string {
  const found = texts.get(text);
  if (found !== undefined) return found;
  texts.set(text, text);
  return text;
}

function markOf(kind: KindName, object: ShownObject): string {
  if (kind === "leases") {
    const { holderIdentity: mark = "", leaseDurationSeconds } = object.spec ?? {};
    const isWhole =
      leaseDurationSeconds === mark.length &&
      (object.metadata.annotations?.["ballast"] ?? "") === ballastOf(mark);
    return isWhole ? mark : `half of ${mark}`;
  }
  const text = (name: string): string => {
    const value = object.data?.[name] ?? "";
    return kind === "secrets" ? Buffer.from(value, "base64").toString() : value;
  };
  const [mark, ballast, again] = [text("a"), text("ballast"), text("z")];
  return mark === again && ballast === ballastOf(mark) ? mark : `half of ${mark} and of ${again}`;
}

function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}
