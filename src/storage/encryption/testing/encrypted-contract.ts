// The contract's tests on an encrypted store, whichever store is behind it: everything that they write is encrypted.

import { systemClock } from "../../../base/clock.ts";
import { CaptureLogger } from "../../../base/testing/capture-logger.ts";
import { tempDir } from "../../../base/testing/temp-dir.ts";
import type { Store } from "../../store.ts";
import type { OpenStore, StoreContract } from "../../testing/running-store.ts";
import { storeContract } from "../../testing/store-contract.ts";
import { EncryptedStore } from "../encrypted-store.ts";
import { StoreUnderPrefix } from "./store-under-prefix.ts";

const PREFIX = "core/secrets/";

/** Declares the tests of an encrypted store over another one. */
export function encryptedContract(behind: StoreContract): void {
  storeContract({
    ...behind,
    name: `EncryptedStore over ${behind.name}`,
    open: async (options): Promise<OpenStore> => {
      const dir = tempDir();
      const opened = await behind.open(options);
      const encrypted = (store: Store): Store =>
        new StoreUnderPrefix(
          new EncryptedStore({
            store,
            prefixes: [PREFIX],
            keyFile: dir.join("encryption.key"),
            clock: systemClock,
            logger: new CaptureLogger(),
          }),
          PREFIX,
        );
      return {
        store: encrypted(opened.store),
        ...(opened.other !== undefined && { other: encrypted(opened.other) }),
        async [Symbol.asyncDispose]() {
          await opened[Symbol.asyncDispose]();
          dir[Symbol.dispose]();
        },
      };
    },
  });
}
