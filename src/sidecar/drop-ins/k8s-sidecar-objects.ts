// Which objects k8s-sidecar follows: by label in namespaces, or by name. One source for each kind, Secrets first, as it took them: where two files have the
// same name, the ConfigMap's counts.

import { parseLabelSelector } from "../../api/selectors/label-selector-parser.ts";
import { describe } from "../../base/errors.ts";
import type { ObjectUrlsSpec, SourceSpec } from "../compose-model.ts";
import { quoted, type Settings } from "./settings.ts";

type ObjectsSpec = Extract<SourceSpec, { readonly type: "objects" }>;
type ObjectKind = ObjectsSpec["kinds"][number];

export interface ObjectSourceOptions {
  readonly pollMs: number | undefined;
  readonly urls: ObjectUrlsSpec;
}

const KINDS: Readonly<Record<string, readonly ObjectKind[]>> = {
  configmap: ["ConfigMap"],
  secret: ["Secret"],
  both: ["Secret", "ConfigMap"],
};

export function objectSources(
  settings: Settings,
  { pollMs, urls }: ObjectSourceOptions,
): ReadonlyMap<string, SourceSpec> {
  const kinds = settings.choice("RESOURCE", KINDS, ["ConfigMap"]);
  const annotation = settings.isSet("FOLDER_ANNOTATION")
    ? settings.text("FOLDER_ANNOTATION")
    : "k8s-sidecar-target-directory";
  const names = namesOf(settings);
  const labelSelector = selectorOf(settings, names.length > 0);
  const listed = settings.list("NAMESPACE");
  const isEverywhere = listed.includes("ALL");
  const alike = {
    type: "objects",
    folderAnnotation: annotation,
    isUnique: settings.isTrue("UNIQUE_FILENAMES"),
    followsUrls: true,
    urls,
    // No object, or not yet, is no fault.
    optional: true,
    ...(pollMs === undefined ? {} : { pollMs }),
  } as const;
  if (names.length > 0 && !isEverywhere) {
    const groups = groupsOf(settings, { kinds, names, listed });
    return new Map(groups.map((group) => [group.source, { ...alike, ...group.of }]));
  }
  if (names.length > 0) {
    settings.note("RESOURCE_NAME has no effect with NAMESPACE=ALL: objects are chosen by LABEL");
  }
  const namespaces = isEverywhere ? "*" : listed.length === 0 ? undefined : listed;
  const of = { names: undefined, labelSelector, namespaces } as const;
  return new Map(kinds.map((kind) => [sourceName(kind), { ...alike, ...of, kinds: [kind] }]));
}

function sourceName(kind: ObjectKind): string {
  return kind === "Secret" ? "secrets" : "configmaps";
}

/** LABEL without LABEL_VALUE may be a whole selector. */
function selectorOf(settings: Settings, isByName: boolean): string | undefined {
  const label = settings.text("LABEL");
  const value = settings.text("LABEL_VALUE");
  if (label === undefined) {
    if (!isByName || !settings.isSet("LABEL")) {
      settings.problem("LABEL is missing: name the label of the objects to collect");
    }
    return undefined;
  }
  const selector = value === undefined ? label : `${label}=${value}`;
  try {
    parseLabelSelector(selector);
  } catch (err) {
    const names = value === undefined ? "LABEL" : "LABEL and LABEL_VALUE";
    settings.problem(`${names} make no label selector, ${quoted(selector)}: ${describe(err)}`);
  }
  return selector;
}

interface ObjectName {
  readonly text: string;
  readonly name: string;
  readonly kind: ObjectKind | undefined;
  readonly namespace: string | undefined;
}

/** NAME, KIND/NAME or NAMESPACE/KIND/NAME. */
function namesOf(settings: Settings): readonly ObjectName[] {
  return settings.list("RESOURCE_NAME").flatMap((text) => {
    const [name = "", kindText, namespace, ...more] = text.split("/").toReversed();
    const kind = kindText === undefined ? undefined : KINDS[kindText]?.[0];
    const isRight = name !== "" && namespace !== "" && more.length === 0;
    if (isRight && kindText !== "both" && (kindText === undefined || kind !== undefined)) {
      return [{ text, name, kind, namespace }];
    }
    settings.problem(
      `RESOURCE_NAME has ${quoted(text)}: must be NAME, secret/NAME, configmap/NAME or NAMESPACE/KIND/NAME`,
    );
    return [];
  });
}

interface GroupOptions {
  readonly kinds: readonly ObjectKind[];
  readonly names: readonly ObjectName[];
  /** Empty: the pod's own, and those that names say. */
  readonly listed: readonly string[];
}

interface Group {
  readonly source: string;
  readonly of: Pick<ObjectsSpec, "kinds" | "names" | "labelSelector" | "namespaces">;
}

/** A source for each kind and namespace that has names. */
function groupsOf(settings: Settings, { kinds, names, listed }: GroupOptions): readonly Group[] {
  const said = names.flatMap(({ namespace }) => namespace ?? []);
  const namespaces = listed.length > 0 ? listed : [undefined, ...new Set(said)];
  const used = new Set<ObjectName>();
  const groups = kinds.flatMap((kind) =>
    namespaces.flatMap((namespace): Group[] => {
      const here = names.filter((one) => {
        const isHere =
          one.namespace === namespace || (listed.length > 0 && one.namespace === undefined);
        return isHere && (one.kind ?? kind) === kind;
      });
      for (const one of here) used.add(one);
      if (here.length === 0) return [];
      const source =
        namespace === undefined ? sourceName(kind) : `${sourceName(kind)}-${namespace}`;
      const place = namespace === undefined ? undefined : [namespace];
      const of = { kinds: [kind], names: here.map(({ name }) => name), labelSelector: undefined };
      return [{ source, of: { ...of, namespaces: place } }];
    }),
  );
  for (const { text } of names.filter((one) => !used.has(one))) {
    const problem = `RESOURCE_NAME has ${quoted(text)}, which is not among what RESOURCE and NAMESPACE allow`;
    if (groups.length === 0) settings.problem(problem);
    else settings.note(`${problem}: it is left out`);
  }
  return groups;
}
