// As whom controllers ask which server: a kubeconfig that is named, the one that a server on this machine keeps for them, or what a
// pod is given. The server renews the certificate in its file long before it ends, so the file is followed.

import { join } from "node:path";
import { FollowedFile } from "../client/followed-file.ts";
import { inClusterConnection } from "../client/in-cluster.ts";
import { type Connection, readKubeconfig } from "../client/kubeconfig.ts";
import { defaultDataDir } from "./store-flags.ts";

export interface ControllersPlace {
  readonly dataDir?: string;
  readonly kubeconfig?: string;
}

/** Throws with what to do about it if there is none. */
export function controllersConnection(
  { dataDir, kubeconfig }: ControllersPlace,
  env: Readonly<Record<string, string | undefined>>,
): Connection {
  if (kubeconfig !== undefined) return followedConnection(kubeconfig);
  const inPod = dataDir === undefined ? inClusterConnection({ env }) : undefined;
  if (inPod !== undefined) return inPod;
  const file = join(dataDir ?? defaultDataDir, "controllers.kubeconfig");
  try {
    return followedConnection(file);
  } catch (err) {
    if ((err as NodeJS.ErrnoException).code !== "ENOENT") throw err;
    throw new Error(
      `Cannot reach a server: there is no ${file}. Say --kubeconfig FILE, or --data-dir for the directory of a server that has run`,
      { cause: err },
    );
  }
}

function followedConnection(file: string): Connection {
  const followed = new FollowedFile(file);
  let text = followed.read();
  let connection = readKubeconfig(file);
  const current = (): Connection => {
    const now = followed.read();
    if (now === text) return connection;
    try {
      connection = readKubeconfig(file);
      text = now;
    } catch {
      // It is being written: who we were is better than nobody, and the next request looks again.
    }
    return connection;
  };
  const { certificate, key, authority } = connection;
  const follow = (name: "certificate" | "key" | "authority", given: string): (() => string) => {
    return () => current()[name] ?? given;
  };
  return {
    ...connection,
    followed: {
      ...(certificate !== undefined && { certificate: follow("certificate", certificate) }),
      ...(key !== undefined && { key: follow("key", key) }),
      ...(authority !== undefined && { authority: follow("authority", authority) }),
      ...connection.followed,
    },
  };
}
