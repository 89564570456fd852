import { deepEqual, equal } from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import fc from "fast-check";
import type { OwnerReference } from "../../api/types.ts";
import { DependencyGraph } from "./dependency-graph.ts";
import type { Identity } from "./identity.ts";

describe("DependencyGraph", () => {
  let told: string[];
  let graph: DependencyGraph;

  beforeEach(() => {
    told = [];
    graph = new DependencyGraph({
      lookAt: ({ identity }) => told.push(`look ${text(identity)}`),
      lookAtLater: ({ identity }) => told.push(`later ${text(identity)}`),
      orphan: ({ identity }) => told.push(`orphan ${text(identity)}`),
      isAbsent: (identity) => told.push(`absent ${text(identity)}`),
      isInvalid: (dependent, owner) => told.push(`invalid ${text(dependent)} ${text(owner)}`),
    });
  });

  const observe = (identity: Identity, owners: readonly OwnerReference[] = []): void =>
    graph.observe(identity, { metadata: { ownerReferences: [...owners] } });

  const since = (act: () => void): string[] => {
    told.length = 0;
    act();
    return told;
  };

  it("has an owner looked at that nobody has seen", () => {
    observe(id("child"), [ref("parent")]);
    deepEqual(told, ["look default/parent"]);
    equal(graph.get("parent")?.isVirtual, true);
  });

  it("has nobody looked at when the owner is known", () => {
    observe(id("parent"));
    observe(id("child"), [ref("parent")]);
    deepEqual(told, []);
  });

  it("forgets an owner that nobody has seen when nobody names it any more", () => {
    observe(id("child"), [ref("parent")]);
    observe(id("child"));
    equal(graph.get("parent"), undefined);
  });

  it("has dependents looked at when their owner goes, and knows that it is gone", () => {
    observe(id("parent"));
    observe(id("child"), [ref("parent")]);
    deepEqual(
      since(() => graph.remove("parent", true)),
      ["absent default/parent", "look default/child"],
    );
  });

  it("does not believe that an owner is gone which nobody saw go", () => {
    observe(id("parent"));
    observe(id("child"), [ref("parent")]);
    deepEqual(
      since(() => graph.remove("parent", false)),
      ["look default/parent"],
    );
    observe(id("parent"));
    equal(graph.get("parent")?.isVirtual, false);
    equal(graph.get("parent")?.dependents.size, 1);
  });

  it("has an owner looked at that waits for a dependent which is gone, or blocks it no more", () => {
    const waiting = { deletionTimestamp: "now", finalizers: ["foregroundDeletion"] };
    observe(id("parent"));
    for (const uid of ["a", "b", "c"])
      observe(id(uid), [{ ...ref("parent"), blockOwnerDeletion: true }]);
    deepEqual(
      since(() => graph.observe(id("parent"), { metadata: waiting })),
      ["look default/a", "look default/b", "look default/c", "look default/parent"],
    );
    deepEqual(
      since(() => graph.remove("a", true)),
      ["look default/parent"],
    );
    deepEqual(
      since(() => observe(id("b"))),
      ["look default/parent"],
    );
    deepEqual(
      since(() => observe(id("c"), [ref("parent")])),
      ["look default/parent"],
    );
    const before = { metadata: waiting };
    deepEqual(
      since(() => graph.observe(id("parent"), { metadata: waiting }, before)),
      [],
    );
  });

  it("has dependents orphaned when the deletion of their owner begins so", () => {
    const metadata = { deletionTimestamp: "now", finalizers: ["orphan"] };
    observe(id("parent"));
    deepEqual(
      since(() => graph.observe(id("parent"), { metadata })),
      ["orphan default/parent"],
    );
    deepEqual(
      since(() => graph.observe(id("parent"), { metadata }, { metadata })),
      [],
    );
  });

  it("doubts a dependent whose owner is in another namespace, whichever comes first", () => {
    const elsewhere = { ...id("parent"), namespace: "other" };
    observe(elsewhere);
    deepEqual(
      since(() => observe(id("child"), [ref("parent")])),
      ["invalid default/child default/parent", "look default/child"],
    );
    graph.remove("child", true);
    graph.remove("parent", true);
    observe(id("child"), [ref("parent")]);
    deepEqual(
      since(() => observe(elsewhere)),
      ["invalid default/child default/parent", "look default/child"],
    );
  });

  it("doubts a dependent that calls its owner by another name or kind", () => {
    observe(id("parent"));
    observe(id("child"), [{ ...ref("parent"), name: "wrong" }]);
    deepEqual(told, ["look default/child"]);
  });

  it("tries all that dependents call an owner that is not there", () => {
    observe(id("a"), [ref("parent")]);
    observe({ ...id("b"), namespace: "other" }, [ref("parent")]);
    const here = id("parent");
    const there = { ...here, namespace: "other" };
    deepEqual(
      since(() => graph.confirmAbsent(here)),
      ["absent default/parent", "look default/a", "later other/parent"],
    );
    graph.remove("a", true);
    deepEqual(
      since(() => graph.confirmAbsent(there)),
      ["absent other/parent", "look other/b"],
    );
    equal(graph.get("parent"), undefined);
  });

  it("keeps an owner that is there, whatever one dependent calls it", () => {
    observe(id("parent"));
    observe(id("child"), [{ ...ref("parent"), name: "wrong" }]);
    const wrong = { ...id("parent"), name: "wrong" };
    deepEqual(
      since(() => graph.confirmAbsent(wrong)),
      ["absent default/wrong", "look default/child"],
    );
    equal(graph.get("parent")?.isVirtual, false);
  });

  it("has owners looked at that nobody watches any more", () => {
    observe(id("parent"));
    observe(id("alone"));
    observe(id("child"), [ref("parent")]);
    deepEqual(
      since(() => {
        for (const uid of ["parent", "alone"]) graph.lose(uid);
      }),
      ["look default/parent"],
    );
    deepEqual(
      since(() => graph.confirmAbsent(id("parent"))),
      ["absent default/parent", "look default/child"],
    );
  });

  it("does not keep what nobody watches any more, nor has an owner wait for it", () => {
    const deletionTimestamp = "2024-01-01T00:00:00Z";
    const finalizers = ["foregroundDeletion"];
    graph.observe(id("parent"), { metadata: { deletionTimestamp, finalizers } });
    observe(id("child"), [{ ...ref("parent"), blockOwnerDeletion: true }]);
    deepEqual(
      since(() => graph.lose("child")),
      ["look default/parent"],
    );
    equal(graph.size, 1);
    equal(graph.get("parent")?.dependents.size, 0);
  });

  it("always has every node among the dependents of its owners, and of no other", () => {
    const uid = fc.constantFrom("a", "b", "c", "d", "e");
    const change = fc.oneof(
      fc.record({ do: fc.constant("observe" as const), uid, owners: fc.uniqueArray(uid) }),
      fc.record({
        do: fc.constantFrom("remove" as const, "absent" as const, "lose" as const),
        uid,
      }),
    );
    fc.assert(
      fc.property(fc.array(change, { maxLength: 40 }), (changes) => {
        const silent = {
          lookAt() {},
          lookAtLater() {},
          orphan() {},
          isAbsent() {},
          isInvalid() {},
        };
        graph = new DependencyGraph(silent);
        const owners = new Map<string, readonly string[]>();
        const lose = (lost: string): void => {
          if (graph.get(lost)?.dependents.size === 0) owners.delete(lost);
          graph.lose(lost);
        };
        for (const one of changes) {
          if (one.do === "observe") {
            owners.set(one.uid, one.owners);
            observe(id(one.uid), one.owners.map(ref));
          } else if (one.do === "lose") {
            lose(one.uid);
          } else {
            owners.delete(one.uid);
            if (one.do === "remove") graph.remove(one.uid, true);
            else graph.confirmAbsent(id(one.uid));
          }
        }
        for (const parent of ["a", "b", "c", "d", "e"]) {
          const node = graph.get(parent);
          const dependents = Array.from(node?.dependents ?? [], ({ identity }) => identity.uid);
          const named = [...owners].filter(([, of]) => of.includes(parent)).map(([child]) => child);
          if (node !== undefined && !owners.has(parent)) equal(node.isVirtual, true);
          equal(
            dependents.every((child) => named.includes(child)),
            true,
          );
          if (owners.has(parent)) equal(node !== undefined, true);
        }
      }),
    );
  });
});

function id(uid: string): Identity {
  return { apiVersion: "v1", kind: "ConfigMap", namespace: "default", name: uid, uid };
}

function ref(uid: string): OwnerReference {
  return { apiVersion: "v1", kind: "ConfigMap", name: uid, uid };
}

function text({ namespace, name }: Identity): string {
  return `${namespace}/${name}`;
}
