// Where the everyday verbs find their server: what was named, then what "driftless up" has left, then what kubectl uses.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { isErrno } from "../base/errors.ts";
import { type Connection, loadConnection } from "../client/kubeconfig.ts";
import { CliError } from "./cli-error.ts";

export interface FindConnectionOptions {
  /** --kubeconfig */
  readonly kubeconfig?: string | undefined;
  readonly context?: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
}

/** Throws CliError with all that was tried. */
export function findConnection(options: FindConnectionOptions): Connection {
  const { kubeconfig, context, env, home } = options;
  const base = { env, home, ...(context !== undefined && { context }) };
  if (kubeconfig !== undefined) return loaded({ ...base, file: kubeconfig }, "--kubeconfig");
  if ((env["KUBECONFIG"] ?? "") !== "") return loaded(base, "KUBECONFIG");
  const own = join(home, ".driftless", "kubeconfig");
  if (existsSync(own)) return loaded({ ...base, file: own }, "driftless");
  const kube = join(home, ".kube", "config");
  if (existsSync(kube) || env["KUBERNETES_SERVICE_HOST"] !== undefined) return loaded(base, "kube");
  throw new CliError(
    `Cannot find an API server: there is no --kubeconfig, KUBECONFIG is not set, and there is neither ${own} nor ${kube}. "driftless up" starts a server here`,
  );
}

function loaded(options: Parameters<typeof loadConnection>[0], by: string): Connection {
  try {
    return loadConnection(options);
  } catch (err) {
    if (isErrno(err, "ENOENT", "EACCES", "EISDIR", "ENOTDIR")) {
      const how =
        err.code === "ENOENT" ? "there is no such file" : `it cannot be read (${err.code})`;
      const file = options.file ?? options.env["KUBECONFIG"] ?? "";
      throw new CliError(`Cannot use the kubeconfig ${file} (from ${by}): ${how}`, { cause: err });
    }
    throw err;
  }
}
