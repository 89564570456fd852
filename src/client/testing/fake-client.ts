// A client whose server is in memory, and all that parts on top of it want.

import type { Logger } from "../../base/logger.ts";
import type { Random } from "../../base/random.ts";
import { CaptureLogger } from "../../base/testing/capture-logger.ts";
import { FakeClock } from "../../base/testing/fake-clock.ts";
import { ApiClient } from "../api-client.ts";
import type { ResourceKind } from "../resource-path.ts";
import { FakeApiServer } from "./fake-api-server.ts";

export const configMaps: ResourceKind = {
  group: "",
  version: "v1",
  kind: "ConfigMap",
  resource: "configmaps",
  namespaced: true,
};

/** Half of every jitter: a reflector's first pause is 400 ms, its second 800 ms, a watch lasts 450 s. */
export const halfRandom: Random = { next: () => 0.5, uint32: () => 0 };

export interface FakeClientParts {
  readonly server: FakeApiServer;
  readonly clock: FakeClock;
  readonly random: Random;
  readonly logger: Logger & Pick<CaptureLogger, "records">;
  readonly client: ApiClient;
}

export function fakeClient(
  server: FakeApiServer = new FakeApiServer(),
  random: Random = halfRandom,
): FakeClientParts {
  const clock = new FakeClock();
  const connection = { server: "https://fake", isInsecure: false, namespace: "default" };
  const client = new ApiClient({ connection, clock, timeoutMs: 60_000, random, transport: server });
  return { server, clock, random, logger: new CaptureLogger(), client };
}
