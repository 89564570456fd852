// The least that an app can do to know: one watch of one object, with our client, and a callback.

import type { ApiObject } from "../../src/api/object.ts";
import type { ConfigMap } from "../../src/api/types.ts";
import { systemClock } from "../../src/base/clock.ts";
import { systemRandom } from "../../src/base/random.ts";
import { CaptureLogger } from "../../src/base/testing/capture-logger.ts";
import { ApiClient } from "../../src/client/api-client.ts";
import { loadConnection } from "../../src/client/kubeconfig.ts";
import { ObjectWatch } from "../../src/client/object-watch.ts";

const KIND = {
  group: "",
  version: "v1",
  kind: "ConfigMap",
  resource: "configmaps",
  namespaced: true,
};

export class DirectWatch implements AsyncDisposable {
  readonly #client: ApiClient;
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;

  /** `onFile`: gets the file when it is there or has changed. */
  constructor(
    kubeconfig: string,
    of: {
      readonly name: string;
      readonly file: string;
      readonly onFile: (content: string) => void;
    },
  ) {
    const parts = { clock: systemClock, random: systemRandom, logger: new CaptureLogger() };
    const connection = loadConnection({ file: kubeconfig, env: {} });
    this.#client = new ApiClient({ connection, timeoutMs: 60_000, ...parts });
    const watch = new ObjectWatch<ConfigMap & ApiObject>({
      ...{ client: this.#client, kind: KIND, namespace: "default", name: of.name, ...parts },
      onChange: (object) => of.onFile(object?.data?.[of.file] ?? ""),
    });
    this.#running = watch.run(this.#stop.signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#running;
    await this.#client.close();
  }
}
