// Finds out where the server is and who we are there, as kubectl does: from a file, from the files in KUBECONFIG (the first
// that names a thing wins), or from what a pod is given. Files that a kubeconfig names are relative to it.

import { homedir } from "node:os";
import { delimiter, join } from "node:path";
import { isErrno } from "../base/errors.ts";
import type { CredentialSources } from "./credentials.ts";
import { execConfigOf } from "./exec-config.ts";
import { inClusterConnection } from "./in-cluster.ts";
import { KubeconfigFields } from "./kubeconfig-fields.ts";

/** Where the server is, and who we are there. */
export interface Connection extends Omit<CredentialSources, "authority" | "certificate" | "key"> {
  readonly server: string;
  /** PEM, as it is now; the system's authorities if missing. */
  readonly authority?: string;
  /** The certificate is not looked at: anybody may be the server. */
  readonly isInsecure: boolean;
  /** The name that the server's certificate must have, if not the one in the address. */
  readonly serverName?: string;
  readonly certificate?: string;
  readonly key?: string;
  /** Those that are in files and may change, in place of the three above. */
  readonly followed?: Pick<CredentialSources, "authority" | "certificate" | "key">;
  /** "default" if the context says none. */
  readonly namespace: string;
}

export interface LoadOptions {
  /** In place of KUBECONFIG and the file in the home directory. */
  readonly file?: string;
  /** In place of current-context. */
  readonly context?: string;
  /** KUBECONFIG, what says that we are in a pod, and what login programs get. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home?: string;
}

/** The file that is named, or those in KUBECONFIG, or ~/.kube/config, or what a pod is given. */
export function loadConnection(options: LoadOptions): Connection {
  const { file, context, env, home = homedir() } = options;
  const named = file === undefined ? filesOf(env["KUBECONFIG"]) : [file];
  const files = named.length > 0 ? named : [join(home, ".kube", "config")];
  // A file that was asked for has to be there. The environment may be somebody else's: images set KUBECONFIG for all who start from them.
  const configs = file === undefined ? readExisting(files) : [KubeconfigFields.read(file)];
  if (configs.length > 0) return connectionOf(configs, { context, env });
  const inCluster = inClusterConnection({ env });
  if (inCluster !== undefined) return inCluster;
  if (named.length > 0) {
    throw new Error(
      `Cannot use the kubeconfig ${named.join(delimiter)} (from KUBECONFIG): there is no such file, and this is not a pod, which would have an account`,
    );
  }
  throw new Error(
    `Cannot find an API server: there is no ${files.join(" and no ")}, and this is not a pod. Name a kubeconfig`,
  );
}

/** Uses the current context unless another is named. Login programs get no environment but their own. */
export function readKubeconfig(file: string, contextName?: string): Connection {
  return connectionOf([KubeconfigFields.read(file)], { context: contextName, env: {} });
}

function connectionOf(
  configs: readonly KubeconfigFields[],
  {
    context: contextName,
    env,
  }: Pick<LoadOptions, "env"> & { readonly context: string | undefined },
): Connection {
  const wanted = contextName ?? firstOf(configs, (one) => one.text("current-context"));
  if (wanted === undefined) {
    throw problem(configs, "it has no current-context, and none was named");
  }
  const context = entry(configs, { list: "contexts", field: "context", name: wanted });
  const cluster = entry(configs, {
    list: "clusters",
    field: "cluster",
    name: context.text("cluster") ?? "",
  });
  const user = entry(configs, { list: "users", field: "user", name: context.text("user") ?? "" });
  const server = serverOf(cluster);
  return {
    ...server,
    ...identityOf(user),
    ...followedOf(cluster, user),
    ...execConfigOf({ user, cluster, server, env }),
    namespace: context.text("namespace") ?? "default",
  };
}

function serverOf(
  cluster: KubeconfigFields,
): Pick<Connection, "server" | "authority" | "isInsecure" | "serverName"> {
  const server = cluster.text("server");
  if (server === undefined) throw cluster.problem(`${cluster.path} has no server`);
  if (!/^https?:\/\//.test(server) || !URL.canParse(server)) {
    throw cluster.problem(`${cluster.path}.server must be an address with https:// or http://`);
  }
  if (cluster.text("proxy-url") !== undefined) {
    throw cluster.problem(
      `${cluster.path}.proxy-url is not supported: the server has to be reached without a proxy`,
    );
  }
  const authority = currentOf(cluster.dataOrFile("certificate-authority"));
  const serverName = cluster.text("tls-server-name");
  return {
    server: server.replace(/\/+$/, ""),
    isInsecure: cluster.flag("insecure-skip-tls-verify"),
    ...(authority !== undefined && { authority }),
    ...(serverName !== undefined && { serverName }),
  };
}

function identityOf(user: KubeconfigFields): Pick<Connection, "certificate" | "key" | "token"> {
  // Left out, "as" would be worse than refused: we would be somebody with other rights.
  for (const field of ["auth-provider", "username", "as", "as-uid", "as-groups"]) {
    if (user.values[field] !== undefined) {
      throw user.problem(`${user.path} says who it is by ${field}, which is not supported`);
    }
  }
  const certificate = currentOf(user.dataOrFile("client-certificate"));
  const key = currentOf(user.dataOrFile("client-key"));
  if ((certificate === undefined) !== (key === undefined)) {
    throw user.problem(`${user.path} has one of client-certificate and client-key, and needs both`);
  }
  const token = tokenOf(user);
  return {
    ...(certificate !== undefined && { certificate }),
    ...(key !== undefined && { key }),
    ...(token !== undefined && { token }),
  };
}

/** The file wins, as for kubectl. */
function tokenOf(user: KubeconfigFields): (() => string) | undefined {
  const followed = user.followed("tokenFile");
  if (followed !== undefined) return () => followed().trim();
  const token = user.text("token");
  return token === undefined ? undefined : () => token;
}

function followedOf(
  cluster: KubeconfigFields,
  user: KubeconfigFields,
): Pick<Connection, "followed"> {
  const authority = cluster.dataOrFile("certificate-authority");
  const certificate = user.dataOrFile("client-certificate");
  const key = user.dataOrFile("client-key");
  if (![authority, certificate, key].some((one) => typeof one === "function")) return {};
  return {
    followed: {
      ...(authority !== undefined && { authority }),
      ...(certificate !== undefined && { certificate }),
      ...(key !== undefined && { key }),
    },
  };
}

function currentOf(source: string | (() => string) | undefined): string | undefined {
  return typeof source === "function" ? source() : source;
}

function filesOf(list: string | undefined): readonly string[] {
  return [...new Set((list ?? "").split(delimiter).filter((file) => file !== ""))];
}

function readExisting(files: readonly string[]): readonly KubeconfigFields[] {
  return files.flatMap((file) => {
    try {
      return [KubeconfigFields.read(file)];
    } catch (err) {
      if (isErrno(err, "ENOENT")) return [];
      throw err;
    }
  });
}

function entry(
  configs: readonly KubeconfigFields[],
  { list, field, name }: { readonly list: string; readonly field: string; readonly name: string },
): KubeconfigFields {
  const found = firstOf(configs, (one) => one.named(list, name)?.under(field));
  if (found === undefined) {
    throw problem(configs, `it has no ${field} ${JSON.stringify(name)} in ${list}`);
  }
  return new KubeconfigFields(found.file, `${list}[${name}].${field}`, found.values);
}

function firstOf<T>(
  configs: readonly KubeconfigFields[],
  look: (config: KubeconfigFields) => T | undefined,
): T | undefined {
  for (const config of configs) {
    const found = look(config);
    if (found !== undefined) return found;
  }
  return undefined;
}

function problem(configs: readonly KubeconfigFields[], how: string): Error {
  const files = configs.map(({ file }) => file).join(delimiter);
  return new Error(`Cannot use the kubeconfig ${files}: ${how}`);
}
