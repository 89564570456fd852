// As whom the agent speaks to the server: as the node that this machine joined as, or as whoever a kubeconfig says.

import { type Connection, readKubeconfig } from "../../client/kubeconfig.ts";
import { nodeOfCertificate } from "./node-certificate.ts";
import type { NodeFiles } from "./node-files.ts";
import { refuseNodeName } from "./node-name.ts";

export interface NodeIdentity {
  readonly nodeName: string;
  /** Follows its files: what is renewed counts from the next request on, and open watches stay. */
  readonly connection: Connection;
  /** Where the certificate that has to be renewed is. Undefined: that is somebody else's work. */
  readonly files: NodeFiles | undefined;
}

/** Undefined if this machine has not joined. */
export function loadIdentity(files: NodeFiles): NodeIdentity | undefined {
  if (!files.isMember) return undefined;
  const identity = files.identity();
  const nodeName = identity && nodeOfCertificate(identity.certificate);
  if (nodeName === undefined) {
    throw new Error(
      `Cannot use ${files.directory}: it has no certificate of a node. Remove it, and join again with a new token`,
    );
  }
  return { nodeName, connection: readKubeconfig(files.kubeconfig), files };
}

export interface FromKubeconfigOptions {
  readonly file: string;
  /** The one in the certificate if missing. */
  readonly nodeName?: string | undefined;
}

/** For a machine that is given its credentials, such as one that is server and node at once. */
export function identityFromKubeconfig({ file, nodeName }: FromKubeconfigOptions): NodeIdentity {
  const connection = readKubeconfig(file);
  const { certificate } = connection;
  const certified = certificate === undefined ? undefined : nodeOfCertificate(certificate);
  const name = nodeName ?? certified;
  if (name === undefined) {
    throw new Error(`Cannot be a node with ${file}: it is not a node's. Say the node's name`);
  }
  // A node may write nothing of another one.
  if (certified !== undefined && certified !== name) {
    throw new Error(
      `Cannot be the node ${JSON.stringify(name)} with ${file}: it is of the node ${JSON.stringify(certified)}`,
    );
  }
  refuseNodeName(name);
  return { nodeName: name, connection, files: undefined };
}
