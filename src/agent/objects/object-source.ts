// Asks the server for one ConfigMap or Secret. Decodes what comes, and counts.

import type { ApiObject } from "../../api/object.ts";
import { isNotFound } from "../../api/status-error.ts";
import type { ConfigMap, Secret } from "../../api/types.ts";
import type { ApiClient } from "../../client/api-client.ts";
import { ResourceClient } from "../../client/resource-client.ts";
import type { ResourceKind } from "../../client/resource-path.ts";
import { ConfigObject, type ObjectKind, type ObjectReference } from "./config-object.ts";
import type { FetchResult, ObjectMetrics } from "./object-metrics.ts";

/** What the server had at one of its versions. */
export interface Seen {
  /** Undefined: there was none. */
  readonly object: ConfigObject | undefined;
  /** Nothing that came later is older than this. */
  readonly asOf: string;
}

export const resourceKinds: Readonly<Record<ObjectKind, ResourceKind>> = {
  ConfigMap: {
    group: "",
    version: "v1",
    kind: "ConfigMap",
    resource: "configmaps",
    namespaced: true,
  },
  Secret: { group: "", version: "v1", kind: "Secret", resource: "secrets", namespaced: true },
};

export function decodedObject(kind: ObjectKind, object: ApiObject): ConfigObject {
  return kind === "ConfigMap"
    ? ConfigObject.fromConfigMap(object as unknown as ConfigMap)
    : ConfigObject.fromSecret(object as unknown as Secret);
}

export class ObjectSource {
  readonly #clients: Readonly<Record<ObjectKind, ResourceClient<ApiObject>>>;
  readonly #metrics: ObjectMetrics;

  constructor(client: ApiClient, metrics: ObjectMetrics) {
    this.#clients = {
      ConfigMap: new ResourceClient(client, resourceKinds.ConfigMap),
      Secret: new ResourceClient(client, resourceKinds.Secret),
    };
    this.#metrics = metrics;
  }

  /** The newest there is; or with version "0" whatever the server has at hand. Throws what it says. */
  async get(
    of: ObjectReference,
    options: { readonly signal: AbortSignal; readonly resourceVersion?: "0" },
  ): Promise<ConfigObject> {
    try {
      const object = await this.#clients[of.kind].get(of, options);
      this.#count(of, "success");
      return decodedObject(of.kind, object);
    } catch (err) {
      if (!options.signal.aborted) this.#count(of, isNotFound(err) ? "not_found" : "error");
      throw err;
    }
  }

  /**
   * The newest there is, or that there is none. NotFound says not when that was, so it could not be told apart from what a
   * watch says; a list of one name does.
   */
  async newest(of: ObjectReference, signal: AbortSignal): Promise<Seen> {
    try {
      const object = await this.get(of, { signal });
      return { object, asOf: object.resourceVersion };
    } catch (err) {
      if (!isNotFound(err)) throw err;
    }
    const { kind, namespace, name } = of;
    const fieldSelector = `metadata.name=${name}`;
    const listed = await this.#clients[kind].list({ namespace, fieldSelector, signal });
    const [object] = listed.items;
    return { object: object && decodedObject(kind, object), asOf: listed.resourceVersion };
  }

  #count({ kind }: ObjectReference, result: FetchResult): void {
    this.#metrics.fetches.inc({ kind, result });
  }
}
