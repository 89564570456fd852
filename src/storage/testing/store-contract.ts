// The specification of a store, as tests. Every implementation calls storeContract() in its own test file
// and passes all of it. Revisions are compared, never counted: a shared store may take some for others.

import { describe } from "node:test";
import { compactionContract } from "./compaction-contract.ts";
import { lifeContract, sharedContract } from "./life-contract.ts";
import { modelContract } from "./model-contract.ts";
import { getContract, rangeContract } from "./read-contract.ts";
import type { StoreContract } from "./running-store.ts";
import { watchContract } from "./watch-contract.ts";
import { writeContract } from "./write-contract.ts";

/** A watch that misses an event waits for ever. Long enough for a busy machine. */
const timeout = 60_000;

/** Declares the tests of one implementation. */
export function storeContract(contract: StoreContract): void {
  const { name, skip = false, isShared = false } = contract;
  describe(`${name} is a store:`, { skip }, () => {
    describe("get", () => getContract(contract));
    describe("range", () => rangeContract(contract));
    describe("a write", () => writeContract(contract));
    describe("compaction", () => compactionContract(contract));
    describe("its life", () => lifeContract(contract));
    describe("a watch", { timeout }, () => watchContract(contract));
    if (isShared) describe("shared by servers", () => sharedContract(contract));
    describe("random commands", { timeout }, () => modelContract(contract));
  });
}
