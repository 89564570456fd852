// Which requests the API takes, by path. The same list is written out in the words of OpenAPI 2 and of OpenAPI 3.

import { apiVersionOf, type Kind, type Subresource, type Verb } from "../kind.ts";

type Method = "get" | "put" | "post" | "delete" | "patch";

export interface Parameter {
  readonly name: string;
  readonly in: "path" | "query";
  readonly type: "boolean" | "integer" | "string";
  readonly about: string;
}

export interface Operation {
  readonly method: Method;
  /** Kubernetes' word for it: "list", "post", "deletecollection" … */
  readonly action: string;
  readonly operationId: string;
  readonly tag: string;
  readonly about: string;
  readonly parameters: readonly Parameter[];
  /** What is sent and what is answered: the kind, a list of it, options, a Status. */
  readonly body: "kind" | "patch" | "deleteOptions" | "none";
  readonly answer: "kind" | "list" | "status";
  readonly codes: readonly number[];
  readonly target: Target;
}

/** What the operation is about: the kind itself, or what a subresource shows. */
type Target = Pick<Subresource, "group" | "version" | "kind" | "schema">;

export interface PathEntry {
  readonly path: string;
  /** Those that all operations share. */
  readonly parameters: readonly Parameter[];
  readonly operations: readonly Operation[];
}

interface Style {
  readonly method: Method;
  readonly action: string;
  readonly idVerb: string;
  readonly about: string;
  readonly parameters: readonly Parameter[];
  readonly body: Operation["body"];
  readonly answer: Operation["answer"];
  readonly codes: readonly number[];
}

const dryRun = query("dryRun", "string", "All: everything is checked and nothing is stored");
const fieldManager = query("fieldManager", "string", "Who makes this change");
const fieldValidation = query(
  "fieldValidation",
  "string",
  "What to do about unknown and duplicate fields: Ignore, Warn or Strict",
);
const force = query("force", "boolean", "Apply: take over fields that others manage");
const pretty = query("pretty", "string", "Indents the answer");
const writing = [dryRun, fieldManager, fieldValidation];
const selecting = [
  query("allowWatchBookmarks", "boolean", "Watch: tell now and then how far the stream is"),
  query("continue", "string", "Goes on where the previous page ended"),
  query("fieldSelector", "string", "Only objects with these fields"),
  query("labelSelector", "string", "Only objects with these labels"),
  query("limit", "integer", "The size of a page"),
  query("resourceVersion", "string", "The state to show or to start from"),
  query("resourceVersionMatch", "string", "Exact or NotOlderThan"),
  query("sendInitialEvents", "boolean", "Watch: start with what is there"),
  query("timeoutSeconds", "integer", "When to end the request"),
  query("watch", "boolean", "Stream changes instead of a list"),
];
const deleting = [
  dryRun,
  query("gracePeriodSeconds", "integer", "How long the object may take to end"),
  query("orphanDependents", "boolean", "Outdated: see propagationPolicy"),
  query(
    "propagationPolicy",
    "string",
    "What becomes of dependents: Orphan, Background or Foreground",
  ),
];

const styles: Readonly<Record<Exclude<Verb, "watch">, Style>> = {
  list: {
    ...{ method: "get", action: "list", idVerb: "list", about: "list or watch objects of kind" },
    ...{ parameters: selecting, body: "none", answer: "list", codes: [200] },
  },
  create: {
    ...{ method: "post", action: "post", idVerb: "create", about: "create" },
    ...{ parameters: writing, body: "kind", answer: "kind", codes: [200, 201, 202] },
  },
  deletecollection: {
    ...{
      method: "delete",
      action: "deletecollection",
      idVerb: "delete",
      about: "delete collection of",
    },
    ...{
      parameters: byName([
        ...selecting.filter(({ name }) => name !== "watch" && name !== "allowWatchBookmarks"),
        ...deleting,
      ]),
    },
    ...{ body: "deleteOptions", answer: "status", codes: [200] },
  },
  get: {
    ...{ method: "get", action: "get", idVerb: "read", about: "read the specified" },
    ...{ parameters: [], body: "none", answer: "kind", codes: [200] },
  },
  update: {
    ...{ method: "put", action: "put", idVerb: "replace", about: "replace the specified" },
    ...{ parameters: writing, body: "kind", answer: "kind", codes: [200, 201] },
  },
  delete: {
    ...{ method: "delete", action: "delete", idVerb: "delete", about: "delete" },
    ...{ parameters: deleting, body: "deleteOptions", answer: "status", codes: [200, 202] },
  },
  patch: {
    ...{
      method: "patch",
      action: "patch",
      idVerb: "patch",
      about: "partially update the specified",
    },
    ...{ parameters: [...writing, force], body: "patch", answer: "kind", codes: [200, 201] },
  },
};

const ofCollection = ["list", "create", "deletecollection"] as const;
const ofItem = ["get", "update", "delete", "patch"] as const;
const ofSubresource = ["get", "update", "create", "delete", "patch"] as const;

/** `/api/v1`, `/apis/apps/v1` */
export function groupPath(kind: { readonly group: string; readonly version: string }): string {
  return `${kind.group === "" ? "/api" : "/apis"}/${apiVersionOf(kind)}`;
}

export function pathsOf(kinds: readonly Kind[]): readonly PathEntry[] {
  return kinds.flatMap(pathsOfKind).sort((a, b) => (a.path < b.path ? -1 : 1));
}

function pathsOfKind(kind: Kind): readonly PathEntry[] {
  const base = groupPath(kind);
  const scope = kind.namespaced ? "/namespaces/{namespace}" : "";
  const collection = `${base}${scope}/${kind.resource}`;
  const namespace = kind.namespaced ? [inPath("namespace", "Where the object is")] : [];
  const shared = [...namespace, pretty];
  const named = [inPath("name", `Name of the ${kind.kind}`), ...shared];
  const has = (verb: Verb): boolean => kind.verbs.includes(verb);
  const entries: PathEntry[] = [
    {
      path: collection,
      parameters: shared,
      operations: ofCollection.filter(has).map((verb) => operation(kind, verb)),
    },
    {
      path: `${collection}/{name}`,
      parameters: named,
      operations: ofItem.filter(has).map((verb) => operation(kind, verb)),
    },
    ...kind.subresources.map((sub) => ({
      path: `${collection}/{name}/${sub.name}`,
      parameters: named,
      operations: ofSubresource
        .filter((verb) => sub.verbs.includes(verb))
        .map((verb) => operation(kind, verb, sub)),
    })),
  ];
  if (kind.namespaced && has("list")) {
    const everywhere = { ...operation(kind, "list"), operationId: allNamespacesId(kind) };
    entries.push({
      path: `${base}/${kind.resource}`,
      parameters: [pretty],
      operations: [everywhere],
    });
  }
  return entries.filter(({ operations }) => operations.length > 0);
}

function operation(kind: Kind, verb: Exclude<Verb, "watch">, sub?: Subresource): Operation {
  const { idVerb, ...style } = styles[verb];
  const target = sub ?? kind;
  const names = `${kind.namespaced ? "Namespaced" : ""}${kind.kind}${title(sub?.name ?? "")}`;
  const collection = verb === "deletecollection" ? "Collection" : "";
  const common = {
    ...style,
    operationId: `${idVerb}${groupTitle(kind)}${collection}${names}`,
    tag: `${lowerFirst(groupName(kind.group))}_${kind.version}`,
    about: `${style.about}${style.about === "create" ? " a" : ""} ${kind.kind}`,
    target,
  };
  if (!isConnection(target)) return common;
  const operationId = `connect${groupTitle(kind)}${title(style.method)}${names}`;
  return { ...common, action: "connect", operationId, body: "none", parameters: [] };
}

/** Whether a subresource opens a stream instead of showing an object: it then has options in place of a kind. */
export function isConnection(target: { readonly kind: string }): boolean {
  return target.kind.endsWith("Options");
}

function allNamespacesId(kind: Kind): string {
  return `list${groupTitle(kind)}${kind.kind}ForAllNamespaces`;
}

/** `CoreV1`, `AppsV1`, `RbacAuthorizationV1` */
function groupTitle({ group, version }: Kind): string {
  return groupName(group) + title(version);
}

function groupName(group: string): string {
  const words = (group === "" ? "core" : group.replace(/\.k8s\.io$/, "")).split(".");
  return words.map(title).join("");
}

function title(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

function lowerFirst(word: string): string {
  return word.charAt(0).toLowerCase() + word.slice(1);
}

function query(name: string, type: Parameter["type"], about: string): Parameter {
  return { name, in: "query", type, about };
}

function inPath(name: string, about: string): Parameter {
  return { name, in: "path", type: "string", about };
}

function byName(parameters: readonly Parameter[]): readonly Parameter[] {
  return parameters.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}
