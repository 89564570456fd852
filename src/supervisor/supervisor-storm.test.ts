// Whatever happens, in whatever order: when it is calm again, one program runs, with what is wanted.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { FakeCopies, withCopies } from "./testing/fake-copies.ts";
import { World } from "./testing/world.ts";

/** Programs end with it. */
const BAD = "bad";

interface Scene {
  readonly world: World;
  readonly copies: FakeCopies;
}

const value = fc.constantFrom("1", "2", "3", BAD);

const anyAct = fc.oneof(
  fc.record({ variable: value }),
  fc.record({ file: value }),
  fc.record({ waitMs: fc.integer({ min: 0, max: 3000 }) }),
  fc.record({ isFull: fc.boolean() }),
  fc.record({ signal: fc.constantFrom<NodeJS.Signals>("SIGUSR1", "SIGHUP") }),
  fc.record({ isStubborn: fc.boolean() }),
  fc.record({ exitCode: fc.integer({ min: 0, max: 9 }) }),
);

type Act = typeof anyAct extends fc.Arbitrary<infer T> ? T : never;

async function act(what: Act, { world, copies }: Scene): Promise<void> {
  const [one] = living(world);
  if ("variable" in what) world.source.set({ A: what.variable });
  if ("file" in what) world.files.set({ conf: what.file });
  if ("waitMs" in what) await world.clock.step(what.waitMs);
  if ("isFull" in what) copies.isFull = what.isFull;
  if ("signal" in what && one !== undefined) world.supervisor.forward(what.signal);
  if ("isStubborn" in what && one !== undefined) one.isStubborn = what.isStubborn;
  if ("exitCode" in what) one?.exit(what.exitCode);
}

function living({ children }: World): World["children"] {
  return children.filter(({ status }) => status === undefined);
}

/** Programs cannot run with what is bad; a stubborn one ends later than it is asked to. */
function react({ world, copies }: Scene): void {
  for (const child of living(world)) {
    const isBad = child.env["A"] === BAD || copies.published.at(-1) === BAD;
    if (isBad || (child.isStubborn && child.got.includes("stop"))) child.exit(1);
  }
}

for (const overlaps of [false, true]) {
  test(`Supervisor comes to what is wanted after any storm${overlaps ? ", handing over" : ""}`, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyAct, { maxLength: 40 }), async (acts) => {
        const copies = new FakeCopies();
        const options = { revives: true, overlaps };
        const world = new World({ options, program: withCopies(copies) });
        const scene = { world, copies };
        for (const one of acts) {
          await act(one, scene);
          await world.clock.step(0);
          react(scene);
          assert.ok(living(world).length <= (overlaps ? 2 : 1), "too many at a time");
        }
        copies.isFull = false;
        world.source.set({ A: "9" });
        world.files.set({ conf: "9" });
        for (let i = 0; i < 30; i++) {
          await world.clock.step(10_000);
          react(scene);
        }
        const [one, ...others] = living(world);
        assert.deepEqual([one?.env["A"], copies.published.at(-1), others.length], ["9", "9", 0]);
        assert.equal(world.supervisor.problem, undefined);
        assert.equal(world.clock.waiting, 0);
        await world.end();
      }),
      { numRuns: 300 },
    );
  });
}
