import assert from "node:assert/strict";
import { test } from "node:test";
import { validateControllerRevision } from "../../api/validation/controller-revision.ts";
import type { RevisionObject } from "./daemon-set-object.ts";
import { hashOf, isOf, newestRevision, outlived, revisionOf } from "./revision-data.ts";
import { madeDaemonSet } from "./testing/made-daemon-set.ts";

const revision = (number: number): RevisionObject => {
  const made = revisionOf(madeDaemonSet(), number);
  const labels = { "controller-revision-hash": `h${number}` };
  return { ...made, metadata: { ...made.metadata, name: `r${number}`, labels } };
};

test("A revision is a patch that replaces the template, named and labelled by its hash", () => {
  const set = madeDaemonSet({ annotations: { "kubernetes.io/change-cause": "because" } });
  const { metadata, data, revision: number } = revisionOf(set, 3);
  const hash = metadata.labels?.["controller-revision-hash"] ?? "";
  assert.equal(metadata.name, `agent-${hash}`);
  assert.deepEqual(metadata.labels, { app: "agent", "controller-revision-hash": hash });
  assert.deepEqual(metadata.annotations, { "kubernetes.io/change-cause": "because" });
  assert.deepEqual(data, { spec: { template: { ...set.spec.template, $patch: "replace" } } });
  assert.equal(number, 3);
});

test("A revision is found again whatever the server made of its keys and empty fields", () => {
  const set = madeDaemonSet();
  const { containers } = set.spec.template.spec;
  const data = {
    spec: {
      template: {
        $patch: "replace",
        spec: { containers, volumes: [] },
        metadata: { creationTimestamp: null, labels: set.spec.template.metadata.labels },
      },
    },
  };
  assert.ok(isOf(set, { data } as unknown as RevisionObject));
  assert.ok(!isOf(madeDaemonSet({ template: { hostNetwork: true } }), revisionOf(set, 1)));
});

test("A collision gives the same template another name", () => {
  const set = madeDaemonSet();
  const collided = { ...set, status: { ...set.status, collisionCount: 1 } };
  assert.notEqual(hashOf(revisionOf(collided, 1)), hashOf(revisionOf(set, 1)));
});

test("The name of a revision is valid however long the set's is", () => {
  const set = madeDaemonSet();
  const name = "a".repeat(253);
  const made = revisionOf({ ...set, metadata: { ...set.metadata, name } }, 1);
  assert.deepEqual(validateControllerRevision(made), []);
  assert.equal(made.metadata.name, `${"a".repeat(223)}-${hashOf(made)}`);
});

test("newestRevision of none is 0", () => {
  assert.equal(newestRevision([]), 0);
  assert.equal(newestRevision([revision(2), revision(7), revision(4)]), 7);
});

test("The oldest revisions go, except those that pods were made by", () => {
  const old = [4, 1, 3, 2].map(revision);
  const names = (limit: number, live: readonly string[]): (string | undefined)[] =>
    outlived(old, { limit, liveHashes: new Set(live) }).map(({ metadata }) => metadata.name);
  assert.deepEqual(names(2, []), ["r1", "r2"]);
  assert.deepEqual(names(2, ["h1"]), ["r2", "r3"]);
  assert.deepEqual(names(4, []), []);
  assert.deepEqual(names(0, ["h3"]), ["r1", "r2", "r4"]);
});
