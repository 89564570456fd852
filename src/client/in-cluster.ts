// What a pod is given to reach the API: an address in its environment, a token that rotates, and an authority in files.

import { join } from "node:path";
import { FollowedFile } from "./followed-file.ts";
import type { Connection } from "./kubeconfig.ts";

const SERVICE_ACCOUNT = "/var/run/secrets/kubernetes.io/serviceaccount";

export interface InClusterOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where the service account's files are. */
  readonly directory?: string;
}

/** Nothing if this is not a pod. Throws if it is one and has no service account. */
export function inClusterConnection({
  env,
  directory = SERVICE_ACCOUNT,
}: InClusterOptions): Connection | undefined {
  const host = env["KUBERNETES_SERVICE_HOST"];
  const port = env["KUBERNETES_SERVICE_PORT"];
  if (host === undefined || host === "" || port === undefined || port === "") return undefined;
  const token = follow(directory, "token");
  const authority = follow(directory, "ca.crt");
  const namespace = follow(directory, "namespace");
  return {
    server: `https://${host.includes(":") ? `[${host}]` : host}:${port}`,
    isInsecure: false,
    authority: authority(),
    followed: { authority },
    token: () => token().trim(),
    namespace: namespace().trim(),
  };
}

function follow(directory: string, name: string): () => string {
  const path = join(directory, name);
  const followed = new FollowedFile(path);
  try {
    followed.read();
  } catch (err) {
    throw new Error(`Cannot use the service account of this pod: ${path} cannot be read`, {
      cause: err,
    });
  }
  return () => followed.read();
}
