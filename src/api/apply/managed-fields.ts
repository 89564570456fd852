// The entries of metadata.managedFields: who owns what. An owner is a manager with an operation, a subresource and,
// unless it applies, a version. Entries are never changed.

import { isJsonObject, type JsonValue } from "../json.ts";
import type { ManagedFieldsEntry } from "../types.ts";
import type { Changes } from "./compare-objects.ts";
import { canonical, difference, emptySet, type FieldSet, isEmptySet, union } from "./field-set.ts";
import { canonicalElement } from "./path-element.ts";

export type Entries = readonly ManagedFieldsEntry[];

export interface Owner {
  readonly manager: string;
  readonly operation: "Apply" | "Update";
  readonly apiVersion: string;
  /** "" for the object itself. */
  readonly subresource: string;
}

/** Older updates beyond these are kept under one name. Appliers are not counted: they come back for their fields. */
const maxUpdateEntries = 10;
const oldUpdates = "ancient-changes";

export function setOf(entry: ManagedFieldsEntry): FieldSet {
  // What we store is canonical, and what clients send is made so before it is used.
  return isJsonObject(entry.fieldsV1) ? (entry.fieldsV1 as FieldSet) : emptySet;
}

export function entryOf(
  owner: Owner,
  fields: FieldSet,
  time: string | undefined,
): ManagedFieldsEntry {
  return {
    ...(owner.manager !== "" && { manager: owner.manager }),
    operation: owner.operation,
    apiVersion: owner.apiVersion,
    ...(time !== undefined && { time }),
    fieldsType: "FieldsV1",
    fieldsV1: fields,
    ...(owner.subresource !== "" && { subresource: owner.subresource }),
  };
}

export function ownerOf(entry: ManagedFieldsEntry): Owner {
  return {
    manager: entry.manager ?? "",
    operation: entry.operation === "Apply" ? "Apply" : "Update",
    apiVersion: entry.apiVersion ?? "",
    subresource: entry.subresource ?? "",
  };
}

/** Text by which owners are told apart and sorted. */
export function identityOf(owner: Owner): string {
  const { manager, operation, apiVersion, subresource } = owner;
  return JSON.stringify({
    ...(manager !== "" && { manager }),
    operation,
    ...(operation === "Update" && { apiVersion }),
    ...(subresource !== "" && { subresource }),
  });
}

export function isOwnedBy(entry: ManagedFieldsEntry, owner: Owner): boolean {
  return (
    (entry.manager ?? "") === owner.manager &&
    entry.operation === owner.operation &&
    (entry.subresource ?? "") === owner.subresource &&
    (owner.operation === "Apply" || entry.apiVersion === owner.apiVersion)
  );
}

/** Takes from every owner what was written or removed. An owner who is left with nothing is gone. */
export function withoutChanges(entries: Entries, changes: Changes): Entries {
  const left: ManagedFieldsEntry[] = [];
  let same = true;
  for (const entry of entries) {
    const owned = setOf(entry);
    const kept = difference(difference(owned, changes.written), changes.removed);
    same &&= kept === owned;
    if (!isEmptySet(kept)) {
      left.push(kept === owned ? entry : { ...entry, fieldsV1: kept });
    }
  }
  return same ? entries : left;
}

/** As the API lists them: appliers first, then by time, manager, version and subresource. */
export function sorted(entries: Entries): ManagedFieldsEntry[] {
  return [...entries].sort(
    (a, b) =>
      compare(a.operation, b.operation) ||
      compare(a.time, b.time) ||
      compare(a.manager, b.manager) ||
      compare(a.apiVersion, b.apiVersion) ||
      compare(a.subresource, b.subresource),
  );
}

/** Folds the oldest updates of a version into one entry, until there are few enough. */
export function capped(entries: Entries): Entries {
  const updates = entries.filter(isUpdate);
  if (updates.length <= maxUpdateEntries) {
    return entries;
  }
  let excess = updates.length - maxUpdateEntries;
  const oldest = new Map<string, ManagedFieldsEntry>();
  const kept = new Set<ManagedFieldsEntry>();
  for (const entry of updates.sort(byAge)) {
    const version = entry.apiVersion ?? "";
    const old = oldest.get(version);
    if (excess > 0 && old !== undefined) {
      const both = folded(old, entry);
      kept.delete(old);
      kept.add(both);
      oldest.set(version, both);
      excess -= 1;
    } else {
      kept.add(entry);
      oldest.set(version, old ?? entry);
    }
  }
  return [...entries.filter((entry) => !isUpdate(entry)), ...kept];
}

function isUpdate(entry: ManagedFieldsEntry): boolean {
  return entry.operation !== "Apply";
}

/** What was folded before is older than everything else, whatever its time says. */
function byAge(a: ManagedFieldsEntry, b: ManagedFieldsEntry): number {
  return (
    Number(b.manager === oldUpdates) - Number(a.manager === oldUpdates) ||
    compare(a.time, b.time) ||
    compare(identityOf(ownerOf(a)), identityOf(ownerOf(b)))
  );
}

/** Both, at the time of the newer one. */
function folded(old: ManagedFieldsEntry, newer: ManagedFieldsEntry): ManagedFieldsEntry {
  const owner: Owner = {
    manager: oldUpdates,
    operation: "Update",
    apiVersion: newer.apiVersion ?? "",
    subresource: "",
  };
  return entryOf(owner, union(setOf(old), setOf(newer)), newer.time);
}

/** Whether a client asks to forget all owners. */
export function clearsEntries(sent: JsonValue | undefined): boolean {
  if (!Array.isArray(sent)) {
    return false;
  }
  const [first] = sent;
  return (
    sent.length === 0 ||
    (sent.length === 1 && isJsonObject(first) && Object.keys(first).length === 0)
  );
}

/** Entries that a client sent, in the form in which we write them. Undefined if one of them makes no sense. */
export function decodeEntries(sent: Entries): Entries | undefined {
  const entries = new Map<string, ManagedFieldsEntry>();
  for (const entry of sent) {
    const isKnown = entry.operation === "Apply" || entry.operation === "Update";
    if (!isKnown || (entry.apiVersion ?? "") === "" || entry.fieldsType !== "FieldsV1") {
      return undefined;
    }
    const fields = decodeFieldsV1(entry.fieldsV1 ?? {});
    if (fields === undefined) {
      return undefined;
    }
    const owner = ownerOf(entry);
    entries.set(identityOf(owner), entryOf(owner, fields, entry.time));
  }
  return [...entries.values()];
}

/** Undefined if the value is no set of fields. Kinds of steps that we do not know are left out. */
export function decodeFieldsV1(value: JsonValue): FieldSet | undefined {
  try {
    const node = decodeNode(value);
    return node === undefined ? undefined : canonical(withoutSelf(node));
  } catch {
    // A step that cannot be read. Whoever sent it loses all he sent, as in the API.
    return undefined;
  }
}

function decodeNode(value: JsonValue): FieldSet | undefined {
  if (value !== null && !isJsonObject(value)) {
    return undefined;
  }
  const node: Record<string, FieldSet> = {};
  for (const [text, child] of Object.entries(value ?? {})) {
    const element = text === "." ? text : canonicalElement(text);
    const inner = text === "." ? emptySet : decodeNode(child ?? null);
    if (inner === undefined) {
      return undefined;
    }
    if (element !== undefined) {
      node[element] = inner;
    }
  }
  // Alone, "." says no more than {} does.
  return Object.keys(node).length === 1 && node["."] !== undefined ? emptySet : node;
}

/** The object itself is nobody's. */
function withoutSelf(node: FieldSet): FieldSet {
  return Object.fromEntries(Object.entries(node).filter(([element]) => element !== "."));
}

function compare(a: string | undefined, b: string | undefined): number {
  const left = a ?? "";
  const right = b ?? "";
  if (left === right) {
    return 0;
  }
  return left < right ? -1 : 1;
}
