import { CaptureLogger } from "../../base/testing/capture-logger.ts";
import { tempDir } from "../../base/testing/temp-dir.ts";
import { MemoryStore } from "../memory/memory-store.ts";
import { SqliteStore } from "../sqlite/sqlite-store.ts";
import { encryptedContract } from "./testing/encrypted-contract.ts";

encryptedContract({
  name: "MemoryStore",
  open: async (options) => ({
    store: new MemoryStore(options),
    [Symbol.asyncDispose]: async () => undefined,
  }),
});

encryptedContract({
  name: "SqliteStore",
  open: async (options) => {
    const dir = tempDir();
    return {
      store: new SqliteStore({ ...options, directory: dir.path, logger: new CaptureLogger() }),
      [Symbol.asyncDispose]: async () => dir[Symbol.dispose](),
    };
  },
});
