// Bindings by the subjects that they name, so that what somebody has is found without looking at what others have.
// Kept in step with the cache: a changed binding costs as much as it has subjects.

import type { RoleBinding, Subject } from "../../api/types.ts";
import type { CachedObject } from "../cache/cached-object.ts";
import type { Follower } from "../cache/kind-cache.ts";
import { serviceAccountUserName } from "../service-account-user.ts";
import type { UserInfo } from "../user.ts";

/** A binding that applies to somebody, and the first of its subjects that does. */
export interface Grant {
  readonly binding: RoleBinding;
  readonly subject: Subject;
}

interface Entry {
  readonly binding: RoleBinding;
  /** Position of the first subject with this key. */
  readonly at: number;
}

/** Of RoleBindings or of ClusterRoleBindings, which differ in nothing that matters here. */
export class BindingIndex implements Follower {
  /** By subject key, then by the key of the binding. No inner map is empty. */
  readonly #bySubject = new Map<string, Map<string, Entry>>();

  reset(objects: Iterable<CachedObject>): void {
    this.#bySubject.clear();
    for (const object of objects) this.#add(object);
  }

  changed(now: CachedObject | undefined, before: CachedObject | undefined): void {
    if (before !== undefined) this.#remove(before);
    if (now !== undefined) this.#add(now);
  }

  /** Those in the namespace, or with "" the cluster-wide ones, in the order of their names. */
  grantsFor({ name, groups }: UserInfo, namespace: string): readonly Grant[] {
    const found = new Map<string, Entry>();
    const subjects = [
      userKey(namespace, name),
      ...groups.map((group) => groupKey(namespace, group)),
    ];
    for (const subject of subjects) {
      for (const [key, entry] of this.#bySubject.get(subject) ?? []) {
        if (entry.at < (found.get(key)?.at ?? Number.POSITIVE_INFINITY)) found.set(key, entry);
      }
    }
    return [...found.entries()].sort(byKey).flatMap(([, { binding, at }]) => {
      const subject = binding.subjects?.[at];
      return subject === undefined ? [] : [{ binding, subject }];
    });
  }

  #add({ key, object }: CachedObject): void {
    const binding = object as unknown as RoleBinding;
    for (const [at, subject] of (binding.subjects ?? []).entries()) {
      const wanted = subjectKey(subject, binding.metadata.namespace ?? "");
      if (wanted === undefined) continue;
      const entries = this.#bySubject.get(wanted) ?? new Map<string, Entry>();
      this.#bySubject.set(wanted, entries);
      if (!entries.has(key)) entries.set(key, { binding, at });
    }
  }

  #remove({ key, object }: CachedObject): void {
    const binding = object as unknown as RoleBinding;
    for (const subject of binding.subjects ?? []) {
      const gone = subjectKey(subject, binding.metadata.namespace ?? "");
      const entries = gone === undefined ? undefined : this.#bySubject.get(gone);
      if (gone === undefined || entries === undefined) continue;
      entries.delete(key);
      if (entries.size === 0) this.#bySubject.delete(gone);
    }
  }
}

/** Namespaces have no slash in them. Service accounts are users with a name of a certain form. */
function subjectKey(subject: Subject, bindingNamespace: string): string | undefined {
  switch (subject.kind) {
    case "User":
      return userKey(bindingNamespace, subject.name);
    case "Group":
      return groupKey(bindingNamespace, subject.name);
    case "ServiceAccount": {
      const namespace = subject.namespace || bindingNamespace;
      if (namespace === "") return undefined;
      return userKey(bindingNamespace, serviceAccountUserName({ namespace, name: subject.name }));
    }
    default:
      return undefined;
  }
}

function userKey(namespace: string, name: string): string {
  return `${namespace}/user:${name}`;
}

function groupKey(namespace: string, name: string): string {
  return `${namespace}/group:${name}`;
}

function byKey([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
