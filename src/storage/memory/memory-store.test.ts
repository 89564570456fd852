import { storeContract } from "../testing/store-contract.ts";
import { MemoryStore } from "./memory-store.ts";

storeContract({
  name: "MemoryStore",
  open: async (options) => ({
    store: new MemoryStore(options),
    [Symbol.asyncDispose]: async () => undefined,
  }),
});
