// As whom the node of `driftless up` speaks to the server beside it: as a node like any other, with a certificate that the server signs
// without being asked for a token. What it was given is in DIR/node, as with every node, and is used again by the next start.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { newKey } from "../agent/join/certificate-request.ts";
import { writeDurably } from "../agent/join/durable-file.ts";
import { NodeFiles } from "../agent/join/node-files.ts";
import { loadIdentity, type NodeIdentity } from "../agent/join/node-identity.ts";
import { nodeNameOf, refuseNodeName } from "../agent/join/node-name.ts";
import type { OwnMachine } from "../apiserver/join/own-machine.ts";
import { MisuseError } from "./misuse-error.ts";

export interface OwnIdentityOptions {
  readonly dataDir: string;
  /** Undefined: what it was called before, or else what the machine is called. */
  readonly nodeName: string | undefined;
  readonly hostname: string;
  /** The server's address, from this machine. */
  readonly server: string;
  /** PEM of the server's. */
  readonly authority: string;
  readonly ownMachine: Pick<OwnMachine, "enrol">;
}

/** Throws if the machine is a node of another name or server already, or another machine is the node of this name. */
export async function ownIdentity(options: OwnIdentityOptions): Promise<NodeIdentity> {
  const { dataDir, server, authority, ownMachine } = options;
  const files = new NodeFiles({ dataDir });
  const held = loadIdentity(files);
  const nodeName = options.nodeName ?? held?.nodeName ?? nodeNameOf(options.hostname);
  refuseNodeName(nodeName);
  if (held !== undefined) refuseOther(held, { ...options, nodeName });
  const key = await files.joiningKey(newKey);
  const certificate = files.identity()?.certificate;
  const mayReplace = wasOwn(dataDir, nodeName);
  const given = await ownMachine.enrol({ nodeName, key, held: certificate, mayReplace });
  if (!mayReplace) writeDurably(ownNodeFile(dataDir), nodeName);
  if (given !== certificate || held?.connection.authority !== authority) {
    files.becomeMember({ server, authority, key, certificate: given });
  } else if (held.connection.server !== server) {
    files.moveTo(server);
  }
  return loaded(files);
}

function loaded(files: NodeFiles): NodeIdentity {
  const identity = loadIdentity(files);
  if (identity === undefined) throw new Error(`Cannot read ${files.kubeconfig}: it is gone`);
  return identity;
}

/** Its pods are another server's: this one would end them. */
function refuseOther(
  held: NodeIdentity,
  { dataDir, server, authority, nodeName }: OwnIdentityOptions & { readonly nodeName: string },
): void {
  const leave = `To leave that behind run "driftless node --drain --data-dir ${dataDir}" first`;
  if (held.nodeName !== nodeName) {
    throw new MisuseError(
      `--node-name ${nodeName}: this machine is the node ${held.nodeName} already. ${leave}`,
    );
  }
  const { connection } = held;
  if (connection.authority !== authority && connection.server !== server) {
    throw new Error(
      `Cannot make this machine a node: with ${dataDir} it is a node of ${connection.server}. ${leave}, or say --data-dir for another directory, or --no-node`,
    );
  }
}

/** Which node this machine was, for the case that somebody drained it: then its key is gone, and the server has its Node. */
function ownNodeFile(dataDir: string): string {
  return join(dataDir, "own-node");
}

function wasOwn(dataDir: string, nodeName: string): boolean {
  const file = ownNodeFile(dataDir);
  return existsSync(file) && readFileSync(file, "utf8") === nodeName;
}
