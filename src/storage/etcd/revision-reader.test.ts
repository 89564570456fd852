import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FakeClock } from "../../base/testing/fake-clock.ts";
import type { Revision } from "../store.ts";
import { RevisionReader } from "./revision-reader.ts";

/** A request that the test answers. */
function requests(): { ask: () => Promise<Revision>; made: PromiseWithResolvers<Revision>[] } {
  const made: PromiseWithResolvers<Revision>[] = [];
  const ask = (): Promise<Revision> => {
    const request = Promise.withResolvers<Revision>();
    made.push(request);
    return request.promise;
  };
  return { ask, made };
}

describe("RevisionReader", () => {
  it("shares one request among all who come while another is under way, but not that one", async () => {
    const { ask, made } = requests();
    const reader = new RevisionReader(ask);
    const first = reader.read();
    const later = [reader.read(), reader.read(), reader.read()];
    assert.equal(made.length, 1);

    made[0]?.resolve(1n);
    assert.equal(await first, 1n);
    await settled();
    assert.equal(made.length, 2);
    made[1]?.resolve(2n);

    assert.deepEqual(await Promise.all(later), [2n, 2n, 2n]);
    assert.equal(made.length, 2);
  });

  it("asks again for everyone who comes after an answer", async () => {
    const { ask, made } = requests();
    const reader = new RevisionReader(ask);
    for (const revision of [1n, 2n, 3n]) {
      const read = reader.read();
      made.at(-1)?.resolve(revision);
      assert.equal(await read, revision);
    }
    assert.equal(made.length, 3);
  });

  it("tells a failure to those who waited for that request, and not to the next", async () => {
    const { ask, made } = requests();
    const reader = new RevisionReader(ask);
    const first = assert.rejects(reader.read(), /no leader/);
    const second = reader.read();
    made[0]?.reject(new Error("no leader"));
    await first;
    await settled();
    made[1]?.resolve(5n);
    assert.equal(await second, 5n);
  });
});

/** Promises that can settle have settled. */
async function settled(): Promise<void> {
  await new FakeClock().step(0);
}
