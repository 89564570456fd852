// What an object held before, from the history that the server keeps of it (ConfigRevisions).

import type { ApiObject } from "../../api/object.ts";
import type { ConfigRevision } from "../../api/types.ts";
import type { ApiClient } from "../../client/api-client.ts";
import { ResourceClient } from "../../client/resource-client.ts";
import type { ResourceKind } from "../../client/resource-path.ts";
import { ConfigObject, type ObjectReference } from "../objects/config-object.ts";

export interface PastContent {
  readonly object: ConfigObject;
  readonly changedAtMs: number;
}

export interface PastContents {
  /** The newest first; those of earlier objects by this name are among them. Throws what the server says. */
  of(reference: ObjectReference, signal: AbortSignal): Promise<readonly PastContent[]>;
}

const REVISIONS: ResourceKind = {
  group: "driftless.dev",
  version: "v1",
  kind: "ConfigRevision",
  resource: "configrevisions",
  namespaced: true,
};

export class ConfigRevisions implements PastContents {
  readonly #revisions: ResourceClient<ConfigRevision & ApiObject>;

  constructor(client: ApiClient) {
    this.#revisions = new ResourceClient(client, REVISIONS);
  }

  async of(
    { kind, namespace, name }: ObjectReference,
    signal: AbortSignal,
  ): Promise<readonly PastContent[]> {
    // What a node must say to be allowed to ask.
    const fieldSelector = `object.kind=${kind},object.name=${name}`;
    const { items } = await this.#revisions.list({ namespace, fieldSelector, signal });
    return items
      .toSorted((a, b) => b.number - a.number)
      .map((revision) => ({
        object: ConfigObject.fromRevision(revision),
        changedAtMs: Date.parse(revision.changedAt ?? "") || 0,
      }));
  }
}
