import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FakeClock } from "../../base/testing/fake-clock.ts";
import type { NodeObject } from "./node-objects.ts";
import { Zones, zoneState } from "./zones.ts";

function node(
  name: string,
  of: { status?: string; labels?: Record<string, string> } = {},
): NodeObject {
  const { status = "True", labels = {} } = of;
  const conditions = [{ type: "Ready", status }];
  return { metadata: { name, labels }, spec: {}, status: { conditions } } as object as NodeObject;
}

const zone = (name: string): Record<string, string> => ({ "topology.kubernetes.io/zone": name });

describe("zoneState", () => {
  const cases: readonly (readonly [nodes: number, ready: number, state: string])[] = [
    [0, 0, "normal"],
    [1, 1, "normal"],
    [1, 0, "full"],
    [3, 1, "normal"],
    [5, 2, "partial"],
    [6, 3, "normal"],
    [100, 46, "normal"],
    [100, 45, "partial"],
    [100, 0, "full"],
  ];
  for (const [nodes, ready, state] of cases) {
    it(`is ${state} when ${ready} of ${nodes} nodes are ready`, () => {
      assert.equal(zoneState(nodes, ready), state);
    });
  }
});

describe("Zones", () => {
  it("gives each zone turns of its own, one in ten seconds", async () => {
    const clock = new FakeClock();
    const zones = new Zones(clock);
    const labels = zone("one");
    const gone = [1, 2].map((i) => node(`gone-${i}`, { status: "Unknown", labels }));
    const other = node("other", { status: "False", labels: zone("two") });
    for (const each of [...gone, other, node("a", { labels }), node("b", { labels: zone("two") })])
      zones.saw(each);

    assert.deepEqual(
      [...gone, other].map((each) => zones.takeTurn(each)),
      [0, 10_000, 0],
    );
    await clock.step(4000);
    assert.equal(zones.takeTurn(gone[1] ?? other), 6000);
    await clock.step(6000);
    assert.equal(zones.takeTurn(gone[1] ?? other), 0);
  });

  it("gives a turn back that was not used", () => {
    const zones = new Zones(new FakeClock());
    zones.saw(node("a"));
    zones.takeTurn(node("a"));
    zones.returnTurn(node("a"));

    assert.equal(zones.takeTurn(node("a")), 0);
  });

  it("slows down in a large zone of which much is gone, and gives no turns in a small one", () => {
    const [large, small] = [new Zones(new FakeClock()), new Zones(new FakeClock())];
    for (let i = 0; i < 60; i++) large.saw(node(`n${i}`, { status: i < 40 ? "False" : "True" }));
    for (let i = 0; i < 6; i++) small.saw(node(`n${i}`, { status: i < 4 ? "False" : "True" }));

    assert.deepEqual([large.takeTurn(node("n0")), large.takeTurn(node("n1"))], [0, 100_000]);
    assert.equal(small.takeTurn(node("n0")), Number.POSITIVE_INFINITY);
  });

  it("gives turns in a zone that is gone as long as another is not", () => {
    const zones = new Zones(new FakeClock());
    const gone = node("a", { status: "Unknown", labels: zone("one") });
    zones.saw(gone);
    zones.saw(node("b", { labels: zone("two") }));
    assert.equal(zones.isAllGone, false);
    assert.equal(zones.takeTurn(gone), 0);

    assert.equal(zones.saw(node("b", { status: "Unknown", labels: zone("two") })), true);
    assert.equal(zones.isAllGone, true);
    assert.equal(zones.takeTurn(gone), Number.POSITIVE_INFINITY);
  });

  it("says when something changes for others, and only then", () => {
    const zones = new Zones(new FakeClock());
    const changes = [
      zones.saw(node("a")),
      zones.saw(node("b")),
      zones.saw(node("b", { status: "False" })),
      zones.saw(node("b", { status: "False" })),
      zones.saw(node("a", { status: "False" })),
      zones.forget(node("a")),
      zones.forget(node("b")),
    ];

    assert.deepEqual(changes, [false, false, false, false, true, false, true]);
  });

  it("says when a node that moves changes something for those that it leaves", () => {
    const zones = new Zones(new FakeClock());
    for (const name of ["a", "b", "c", "d"])
      zones.saw(node(`far-${name}`, { labels: zone("far") }));
    zones.saw(node("a"));
    for (const name of ["b", "c", "d"]) zones.saw(node(name, { status: "False" }));
    assert.equal(zones.takeTurn(node("b")), Number.POSITIVE_INFINITY);

    assert.equal(zones.saw(node("d", { status: "False", labels: zone("far") })), true);
    assert.equal(zones.takeTurn(node("b")), 0);
  });

  it("forgets a zone that nobody is in", async () => {
    const clock = new FakeClock();
    const zones = new Zones(clock);
    for (let i = 0; i < 100; i++) {
      const moved = node("a", { labels: zone(`z${i}`) });
      zones.saw(moved);
      zones.takeTurn(moved);
      await clock.step(10_000);
    }
    assert.equal(zones.size, 1);
  });

  it("does not count nodes that are to be left out, and follows a node to another zone", () => {
    const zones = new Zones(new FakeClock());
    zones.saw(node("a", { status: "False" }));
    zones.saw(node("b", { labels: { "node.kubernetes.io/exclude-disruption": "" } }));
    assert.equal(zones.isAllGone, true);

    zones.saw(node("a", { labels: zone("two") }));
    assert.equal(zones.isAllGone, false);
    zones.saw(node("a", { status: "False", labels: zone("two") }));
    assert.equal(zones.isAllGone, true);
  });
});
