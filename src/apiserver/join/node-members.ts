// Which machine is which node. Joining makes the Node object, if there is none, and writes the machine's key on it; the
// certificate carries the object's uid. So the object is the membership: whoever deletes it ends it. What the machine
// has is good until it runs out, but is not renewed, even if an object of the same name is made again.

import { decodeObject } from "../../api/decode.ts";
import { isJsonObject } from "../../api/json.ts";
import type { ApiObject } from "../../api/object.ts";
import type { Node } from "../../api/types.ts";
import type { Clock } from "../../base/clock.ts";
import { timestamp } from "../handlers/context.ts";
import type { KeyHash } from "../pki/key-hash.ts";
import { beforeCreate, inTableOrder } from "../registry/metadata-rules.ts";
import type { Change, ObjectStore } from "../registry/object-store.ts";
import type { Resource } from "../registry/resource.ts";
import { refused } from "./refused.ts";

/**
 * The machine's key and, after a renewal, the one before, until the new one has been used: the answer with the new
 * certificate may never have arrived. Nodes must not be allowed to change it.
 */
export const MACHINE_KEY_ANNOTATION = "driftless.dev/machine-key";

export interface NodeMembersOptions {
  readonly objects: ObjectStore;
  readonly nodes: Resource;
  readonly clock: Clock;
}

export interface Claim {
  readonly nodeName: string;
  readonly key: KeyHash;
  /** Somebody who may said that this machine takes the place of the one before. */
  readonly mayReplace: boolean;
}

export interface Renewal {
  readonly nodeName: string;
  /** Of the Node for which the certificate that is shown was issued. */
  readonly uid: string;
  /** Of that certificate. */
  readonly oldKey: KeyHash | undefined;
  readonly newKey: KeyHash;
}

export class NodeMembers {
  readonly #options: NodeMembersOptions;

  constructor(options: NodeMembersOptions) {
    this.#options = options;
  }

  /** Throws Forbidden if claim() would, as things stand now. */
  async refuseTaken(claim: Claim): Promise<void> {
    const { objects, nodes } = this.#options;
    const found = await objects.get(nodes, claim.nodeName);
    if (found !== undefined) refuseOther(found.object, claim);
  }

  /** Makes the machine the node, and returns the Node's uid. Throws Forbidden if another machine is. */
  async claim(claim: Claim): Promise<string> {
    return this.#write(claim.nodeName, (current) => {
      if (current === undefined) return this.#newNode(claim);
      refuseOther(current, claim);
      return withKeys(this.#options.nodes, current, [claim.key]);
    });
  }

  /** From now on the machine may also be known by the new key. May come again, with any new key. */
  async renew({ nodeName, uid, oldKey, newKey }: Renewal): Promise<void> {
    await this.#write(nodeName, (current) => {
      if (current === undefined || current.metadata.uid !== uid) throw removed(nodeName);
      refuseLeaving(current);
      if (oldKey === undefined || !keysOf(current).includes(oldKey)) throw replaced(nodeName);
      return withKeys(this.#options.nodes, current, [newKey, oldKey]);
    });
  }

  /** The other node that says that it is reached there, if any. */
  async ownerOf(address: string, except: string): Promise<string | undefined> {
    for (const { object } of this.#options.nodes.cache.list("")) {
      const { metadata, status } = object as ApiObject & Node;
      const isThere = status.addresses?.some((one) => one.address === address) === true;
      if (isThere && metadata.name !== except) return metadata.name;
    }
    return undefined;
  }

  async #write(
    name: string,
    decide: (current: ApiObject | undefined) => ApiObject,
  ): Promise<string> {
    const { objects, nodes } = this.#options;
    const { object } = await objects.change(
      nodes,
      name,
      (current): Change => ({ do: "write", object: decide(current?.object) }),
    );
    return object?.object.metadata.uid ?? "";
  }

  #newNode({ nodeName, key }: Claim): ApiObject {
    const { nodes, clock } = this.#options;
    const given = { metadata: { name: nodeName, annotations: { [MACHINE_KEY_ANNOTATION]: key } } };
    const { metadata, ...rest } = decodeObject(nodes.kind.schema, given).object;
    const object: ApiObject = {
      kind: "Node",
      apiVersion: "v1",
      metadata: isJsonObject(metadata) ? metadata : {},
      ...rest,
    };
    nodes.strategy.applyDefaults?.(object);
    const nowMs = clock.now();
    beforeCreate(nodes, object, { now: timestamp(nowMs), nowMs, dryRun: false });
    return object;
  }
}

function keysOf({ metadata }: ApiObject): readonly string[] {
  return metadata.annotations?.[MACHINE_KEY_ANNOTATION]?.split(",") ?? [];
}

function withKeys(nodes: Resource, object: ApiObject, keys: readonly KeyHash[]): ApiObject {
  const value = [...new Set(keys)].join(",");
  const annotations = { ...object.metadata.annotations, [MACHINE_KEY_ANNOTATION]: value };
  return { ...object, metadata: inTableOrder(nodes, { ...object.metadata, annotations }) };
}

function refuseOther(object: ApiObject, { nodeName, key, mayReplace }: Claim): void {
  refuseLeaving(object);
  if (mayReplace || keysOf(object).includes(key)) return;
  throw refused(
    `there is a node ${JSON.stringify(nodeName)}, which another machine registered: join with another name; or, if this machine takes its place, with a token from "driftless token create --node ${nodeName}"`,
  );
}

function refuseLeaving({ metadata }: ApiObject): void {
  if ((metadata.deletionTimestamp ?? null) === null) return;
  throw refused(
    `the node ${JSON.stringify(metadata.name)} is being deleted: wait until it is gone`,
  );
}

function removed(nodeName: string): Error {
  return refused(
    `the node ${JSON.stringify(nodeName)} was deleted after this certificate was issued: join again with a new token`,
  );
}

function replaced(nodeName: string): Error {
  return refused(
    `another machine took the place of this one as node ${JSON.stringify(nodeName)}: join again with a new token`,
  );
}
