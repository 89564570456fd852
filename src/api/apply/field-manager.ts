// Field ownership, as a handler uses it. All functions are pure; objects are decoded ones, unless said otherwise.
//
//   trackUpdate({ type, live?, next, manager, apiVersion, subresource, now, ignored }) → managedFields of `next`
//   applyObject({ type, kind, live?, applied, force, decode, … same … }) → the object to store, or a StatusError
//   settleTimes(live, next) → `next`, or `next` with the old times if it says nothing else that is new
//
// In the order of a request: patch or decode → defaults → trackUpdate or applyObject → prepareForUpdate → validate →
// settleTimes → store if it differs from live.

import { isJsonObject, type JsonObject } from "../json.ts";
import type { ApiObject } from "../object.ts";
import { zeroOf } from "../object-form.ts";
import { jsonEqual } from "../patch/json-equal.ts";
import { omit } from "../patch/own-property.ts";
import type { TypeSchema } from "../schema/schema.ts";
import { badRequest, StatusError } from "../status-error.ts";
import type { ManagedFieldsEntry } from "../types.ts";
import { faultOf } from "./check-applied.ts";
import { type Changes, compareObjects } from "./compare-objects.ts";
import { type ApplyConflict, conflictError } from "./conflicts.ts";
import {
  difference,
  emptySet,
  type FieldSet,
  hasPath,
  intersection,
  isEmptySet,
  pathsOf,
  union,
} from "./field-set.ts";
import { type IgnoredFields, withoutFields, withoutIdentity } from "./ignored-fields.ts";
import { kubectl, lastAppliedFields, withLastApplied } from "./last-applied.ts";
import {
  capped,
  clearsEntries,
  decodeEntries,
  type Entries,
  entryOf,
  isOwnedBy,
  type Owner,
  ownerOf,
  setOf,
  sorted,
  withoutChanges,
} from "./managed-fields.ts";
import { mergeObjects } from "./merge-objects.ts";
import { fieldsOf } from "./object-fields.ts";
import { ListItemError } from "./path-element.ts";
import { prune } from "./prune.ts";

export interface Write {
  readonly type: TypeSchema;
  /** Undefined if the object is being created. */
  readonly live: ApiObject | undefined;
  /** "" counts as "unknown". */
  readonly manager: string;
  /** Of the endpoint. Entries of other versions are dropped, as the API does with versions that it does not serve. */
  readonly apiVersion: string;
  /** "" for the object itself. */
  readonly subresource: string;
  /** RFC 3339 with seconds, as metadata has it. */
  readonly now: string;
  /** What the strategy of the endpoint resets: `resetFields("status")`. */
  readonly ignored: IgnoredFields;
}

export interface UpdateWrite extends Write {
  readonly next: ApiObject;
}

export interface ApplyWrite extends Write {
  readonly kind: string;
  /** As the client sent it: not decoded, because nulls and zero values count. */
  readonly applied: JsonObject;
  readonly force: boolean;
  /** Decodes what merging made and fills in defaults. */
  readonly decode: (merged: JsonObject) => ApiObject;
}

/** What an object becomes that existed before anybody applied. */
const beforeFirstApply = "before-first-apply";

/**
 * The managedFields that `next` gets; live's own list if nothing about it changes. Owners may be sent along by the
 * client; what cannot be read is ignored, and `[]` or `[{}]` makes the object one that is not tracked.
 *
 * Nothing is decoded: sets are worked on as they are stored, and every step follows only the paths that changed. If
 * nothing changed, or only values that this manager owns alone, every set comes out as the same object that went in.
 */
export function trackUpdate(write: UpdateWrite): ManagedFieldsEntry[] | undefined {
  const { live, next, subresource } = write;
  const before = live?.metadata.managedFields;
  const sent = subresource === "" ? next.metadata.managedFields : undefined;
  const entries = entriesFor(before, sent);
  if (live !== undefined && entries.length === 0) {
    return undefined;
  }
  try {
    return listOf(updatedEntries(write, entries), before);
  } catch (err) {
    // Duplicates are no problem, but an item without its key is. Then nobody's ownership changes.
    if (err instanceof ListItemError) {
      return before;
    }
    throw err;
  }
}

/**
 * The object that applying makes of the live one, with its managedFields; the live object itself if nothing changes.
 * Throws a StatusError: 409 on conflicts unless forced, 400 or 500 if the configuration is not one.
 */
export function applyObject(write: ApplyWrite): ApiObject {
  checkConfiguration(write);
  try {
    const base = baseOf(write);
    return applyOver(base, write);
  } catch (err) {
    if (err instanceof ApplyConflicts) {
      throw conflictError(err.conflicts);
    }
    // The configuration was checked, so it is the live object that has an item without its key.
    throw err instanceof ListItemError ? unreadable("live object", write, err.message) : err;
  }
}

/** kubectl has a second chance: what it applied in its former way is its own. */
function applyOver(base: Base, write: ApplyWrite): ApiObject {
  try {
    return applyTo(base, write);
  } catch (err) {
    if (err instanceof ApplyConflicts && write.manager === kubectl) {
      refuseOthers(base, write, err);
      return applyTo(base, { ...write, force: true });
    }
    throw err;
  }
}

/** Times say when an owner last changed something. If nothing changed but them, nothing did. */
export function settleTimes(live: ApiObject, next: ApiObject): ApiObject {
  const before = live.metadata.managedFields;
  const after = next.metadata.managedFields;
  if (before === after || before === undefined || before.length !== after?.length) {
    return next;
  }
  const sameOwners = after.every((entry, i) =>
    jsonEqual(omit(entry, "time"), omit(before[i] ?? {}, "time")),
  );
  if (!sameOwners || !jsonEqual(withoutEntries(live), withoutEntries(next))) {
    return next;
  }
  return { ...next, metadata: { ...next.metadata, managedFields: before } };
}

function entriesFor(before: Entries | undefined, sent: Entries | undefined): Entries {
  // Most clients send back what they got.
  if (sent === undefined || sent === before) {
    return before ?? [];
  }
  if (clearsEntries([...sent])) {
    return [];
  }
  if (before !== undefined && jsonEqual([...sent], [...before])) {
    return before;
  }
  const decoded = decodeEntries(sent) ?? [];
  return decoded.length > 0 ? decoded : (before ?? []);
}

function updatedEntries(write: UpdateWrite, entries: Entries): Entries {
  const { type, live, next, ignored } = write;
  const changes = compareObjects(type, live ?? emptyObject(type), next, ignored.all);
  const known = ofVersion(entries, write.apiVersion);
  return isEmptySet(changes.written)
    ? withoutChanges(known, changes)
    : capped(withWritten(write, known, changes));
}

/** Gives what was written to this manager. */
function withWritten(write: Write, known: Entries, changes: Changes): Entries {
  const owner = ownerFor(write, "Update");
  const mine = known.filter((entry) => isOwnedBy(entry, owner));
  const others = known.filter((entry) => !isOwnedBy(entry, owner));
  // More than one entry only after a write through the scale subresource.
  const [kept = emptySet, ...more] = mine.map((entry) => difference(setOf(entry), changes.removed));
  const fields = union(more.reduce(union, kept), changes.written);
  const [own] = mine;
  const isSame = mine.length === 1 && own?.time === write.now && fields === setOf(own);
  const entry = isSame ? own : entryOf(owner, fields, write.now);
  return [...withoutChanges(others, changes), entry];
}

function ofVersion(entries: Entries, apiVersion: string): Entries {
  return entries.every((entry) => entry.apiVersion === apiVersion)
    ? entries
    : entries.filter((entry) => entry.apiVersion === apiVersion);
}

/** In order; `before` itself if it holds the same entries. */
function listOf(
  entries: Entries,
  before: ManagedFieldsEntry[] | undefined,
): ManagedFieldsEntry[] | undefined {
  if (entries === before || entries.length === 0) {
    return entries.length === 0 ? undefined : before;
  }
  const list = sorted(entries);
  const isSame = list.length === before?.length && list.every((entry, i) => entry === before[i]);
  return isSame ? before : list;
}

/** What the configuration is applied to. */
interface Base {
  /** Without managedFields. */
  readonly object: JsonObject;
  readonly entries: Entries;
}

class ApplyConflicts extends Error {
  override readonly name = "ApplyConflicts";
  readonly conflicts: readonly ApplyConflict[];

  constructor(conflicts: readonly ApplyConflict[]) {
    super("Cannot apply: other managers own some of the fields");
    this.conflicts = conflicts;
  }
}

function checkConfiguration(write: ApplyWrite): void {
  const { type, kind, apiVersion, applied } = write;
  const wanted = gvkText(apiVersion, kind);
  const given = gvkText(textOf(applied["apiVersion"]), textOf(applied["kind"]));
  if (given !== wanted) {
    throw badRequest(`invalid object type: ${given}`);
  }
  const metadata = isJsonObject(applied["metadata"]) ? applied["metadata"] : {};
  if (Array.isArray(metadata["managedFields"])) {
    throw badRequest("metadata.managedFields must be nil");
  }
  const fault = faultOf(type, applied);
  if (fault !== undefined) {
    throw unreadable("patch object", write, fault);
  }
}

/** An oddity of the API: what it cannot make sense of is a bare 500. */
function unreadable(what: string, write: ApplyWrite, fault: string): StatusError {
  const { apiVersion, kind, applied } = write;
  const metadata = isJsonObject(applied["metadata"]) ? applied["metadata"] : {};
  const name = `${textOf(metadata["namespace"])}/${textOf(metadata["name"])}`;
  return new StatusError({
    code: 500,
    reason: "",
    message: `failed to create typed ${what} (${name}; ${gvkText(apiVersion, kind)}): ${fault}`,
  });
}

function baseOf(write: ApplyWrite): Base {
  const { type, live, apiVersion, ignored } = write;
  if (live === undefined) {
    return { object: emptyObject(type), entries: [] };
  }
  const object = withoutEntries(live);
  const entries = live.metadata.managedFields ?? [];
  if (entries.length > 0) {
    return { object, entries: ofVersion(entries, apiVersion) };
  }
  const { written } = compareObjects(type, emptyObject(type), object, ignored.all);
  const owner = ownerFor({ ...write, manager: beforeFirstApply }, "Update");
  return {
    object,
    entries: isEmptySet(written) ? [] : [entryOf(owner, union(emptySet, written), write.now)],
  };
}

function applyTo(base: Base, write: ApplyWrite): ApiObject {
  const { type, live, applied, ignored } = write;
  const owner = ownerFor(write, "Apply");
  const last = base.entries.find((entry) => isOwnedBy(entry, owner));
  const others = base.entries.filter((entry) => entry !== last);
  const set = withoutFields(fieldsOf(type, applied), ignored.reset);
  const object = prune({
    type,
    merged: mergeObjects(type, base.object, applied),
    last: last === undefined ? emptySet : setOf(last),
    current: set,
    others: others.map(setOf),
  });
  const changes = compareObjects(type, base.object, object, ignored.all);
  if (!write.force) {
    refuseConflicts(others, changes.written);
  }

  const isSame = live !== undefined && jsonEqual(base.object, object);
  const fields = withoutIdentity(set);
  const own = ownEntry(last, { owner, fields, time: isSame ? last?.time : write.now });
  const entries = listOf(
    [...withoutChanges(others, changes), ...own],
    live?.metadata.managedFields,
  );
  return finished(write, isSame && live !== undefined ? live : write.decode(object), entries);
}

function finished(
  write: ApplyWrite,
  object: ApiObject,
  managedFields: ManagedFieldsEntry[] | undefined,
): ApiObject {
  const { live, applied, manager } = write;
  const annotated = manager === kubectl ? withLastApplied(object, applied) : object;
  if (annotated === live && managedFields === live.metadata.managedFields) {
    return live;
  }
  const metadata = {
    ...omit(annotated.metadata, "managedFields"),
    ...(managedFields !== undefined && { managedFields }),
  };
  const next = { ...annotated, metadata };
  return live === undefined ? next : settleTimes(live, next);
}

function ownEntry(
  last: ManagedFieldsEntry | undefined,
  next: { readonly owner: Owner; readonly fields: FieldSet; readonly time: string | undefined },
): Entries {
  if (isEmptySet(next.fields)) {
    return [];
  }
  const entry = entryOf(next.owner, next.fields, next.time);
  return [last !== undefined && jsonEqual(last, entry) ? last : entry];
}

function refuseConflicts(others: Entries, written: FieldSet): void {
  const conflicts = others.flatMap((entry) => {
    const owner = ownerOf(entry);
    return [...pathsOf(intersection(setOf(entry), written))].map((path) => ({ owner, path }));
  });
  if (conflicts.length > 0) {
    throw new ApplyConflicts(conflicts);
  }
}

/** Throws the conflicts that are not with kubectl's own former way to apply. */
function refuseOthers(base: Base, write: ApplyWrite, { conflicts }: ApplyConflicts): void {
  const allowed = lastAppliedFields(write.type, base.object, write.apiVersion) ?? emptySet;
  const real = conflicts.filter(({ path }) => !hasPath(allowed, path));
  if (real.length > 0) {
    throw new ApplyConflicts(real);
  }
}

function ownerFor(write: Write, operation: Owner["operation"]): Owner {
  const { manager, apiVersion, subresource } = write;
  return { manager: manager === "" ? "unknown" : manager, operation, apiVersion, subresource };
}

function emptyObject(type: TypeSchema): JsonObject {
  const empty = zeroOf({ value: { is: "object", type: () => type } });
  return isJsonObject(empty) ? empty : {};
}

function withoutEntries(object: ApiObject): JsonObject {
  return { ...object, metadata: omit(object.metadata, "managedFields") };
}

/** "apps/v1, Kind=Deployment", "/v1, Kind=Pod", as the API names a kind with its version. */
function gvkText(apiVersion: string, kind: string): string {
  const parts = apiVersion.split("/");
  if (parts.length > 2) {
    return "/, Kind=";
  }
  return `${apiVersion === "" || parts.length === 1 ? "/" : ""}${apiVersion}, Kind=${kind}`;
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
