import { deepEqual, rejects } from "node:assert/strict";
import { describe, it } from "node:test";
import { Gate } from "./gate.ts";

const never = new AbortController().signal;
const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 5; turn++) await Promise.resolve();
};

describe("Gate", () => {
  it("lets so many in, and the others in their order when somebody leaves", async () => {
    const gate = new Gate(2);
    const inside: number[] = [];
    const places = [1, 2, 3, 4].map(async (who) => {
      const place = await gate.enter(never);
      inside.push(who);
      return place;
    });
    await settle();
    deepEqual(inside, [1, 2]);
    (await places[0])?.[Symbol.dispose]();
    await settle();
    deepEqual(inside, [1, 2, 3]);
    (await places[1])?.[Symbol.dispose]();
    await settle();
    deepEqual(inside, [1, 2, 3, 4]);
  });

  it("keeps no place for one who gave up", async () => {
    const gate = new Gate(1);
    const first = await gate.enter(never);
    const impatient = new AbortController();
    const refused = rejects(gate.enter(impatient.signal), /had enough/);
    const inside: string[] = [];
    const next = gate.enter(never).then(() => inside.push("next"));
    impatient.abort(new Error("had enough"));
    await refused;
    deepEqual(inside, []);
    first[Symbol.dispose]();
    await next;
    deepEqual(inside, ["next"]);
  });
});
