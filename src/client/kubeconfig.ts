// Reads a kubeconfig: ours, and what kubectl's users have. Files that it names are relative to it. What needs another
// program to log in is refused, with the name of what it asked for.

import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { parse } from "yaml";

/** Where the server is, and who we are there. */
export interface Connection {
  readonly server: string;
  /** PEM; the system's authorities if missing. */
  readonly authority?: string;
  /** The certificate is not looked at: anybody may be the server. */
  readonly isInsecure: boolean;
  /** The name that the server's certificate must have, if not the one in the address. */
  readonly serverName?: string;
  readonly certificate?: string;
  readonly key?: string;
  /** Asked for each request: files with tokens are written anew while we run. */
  readonly token?: () => string;
  /** "default" if the context says none. */
  readonly namespace: string;
}

type Fields = Readonly<Record<string, unknown>>;

/** Uses the current context unless another is named. Throws with the file's name. */
export function readKubeconfig(file: string, contextName?: string): Connection {
  const config = parsed(file);
  const wanted = contextName ?? text(config, "current-context");
  if (wanted === undefined) throw problem(file, "it has no current-context, and none was named");
  const context = entry(file, config, { list: "contexts", field: "context", name: wanted });
  const name = (field: string): string => text(context, field) ?? "";
  const cluster = entry(file, config, {
    list: "clusters",
    field: "cluster",
    name: name("cluster"),
  });
  const user = entry(file, config, { list: "users", field: "user", name: name("user") });
  return {
    ...serverOf(file, cluster),
    ...identityOf(file, user),
    namespace: text(context, "namespace") ?? "default",
  };
}

function serverOf(
  file: string,
  cluster: Fields,
): Pick<Connection, "server" | "authority" | "isInsecure" | "serverName"> {
  const server = text(cluster, "server");
  if (server === undefined) throw problem(file, "its cluster has no server");
  const authority = dataOrFile(file, cluster, "certificate-authority");
  const serverName = text(cluster, "tls-server-name");
  return {
    server: server.replace(/\/+$/, ""),
    isInsecure: cluster["insecure-skip-tls-verify"] === true,
    ...(authority !== undefined && { authority }),
    ...(serverName !== undefined && { serverName }),
  };
}

function identityOf(file: string, user: Fields): Pick<Connection, "certificate" | "key" | "token"> {
  for (const field of ["exec", "auth-provider", "username"]) {
    if (user[field] !== undefined)
      throw problem(file, `its user logs in by ${field}, which is not supported`);
  }
  const certificate = dataOrFile(file, user, "client-certificate");
  const key = dataOrFile(file, user, "client-key");
  if ((certificate === undefined) !== (key === undefined)) {
    throw problem(file, "its user has one of client-certificate and client-key, and needs both");
  }
  const token = tokenOf(file, user);
  return {
    ...(certificate !== undefined && { certificate }),
    ...(key !== undefined && { key }),
    ...(token !== undefined && { token }),
  };
}

/** The file wins, as for kubectl. */
function tokenOf(file: string, user: Fields): (() => string) | undefined {
  const tokenFile = text(user, "tokenFile");
  if (tokenFile !== undefined) {
    const path = resolve(dirname(file), tokenFile);
    return () => readFileSync(path, "utf8").trim();
  }
  const token = text(user, "token");
  return token === undefined ? undefined : () => token;
}

/** The data wins over the file, as for kubectl. */
function dataOrFile(file: string, fields: Fields, name: string): string | undefined {
  const data = text(fields, `${name}-data`);
  if (data !== undefined) return Buffer.from(data, "base64").toString("utf8");
  const path = text(fields, name);
  return path === undefined ? undefined : readFileSync(resolve(dirname(file), path), "utf8");
}

function parsed(file: string): Fields {
  const content = readFileSync(file, "utf8");
  let value: unknown;
  try {
    value = parse(content);
  } catch {
    // The parser's words quote lines, which may hold keys.
    throw problem(file, "it is not YAML");
  }
  if (!isFields(value)) throw problem(file, "it is not a kubeconfig");
  return value;
}

function entry(
  file: string,
  config: Fields,
  { list, field, name }: { readonly list: string; readonly field: string; readonly name: string },
): Fields {
  const all = Array.isArray(config[list]) ? (config[list] as readonly unknown[]) : [];
  const found = all.filter(isFields).find((one) => text(one, "name") === name);
  const value = found?.[field];
  if (!isFields(value))
    throw problem(file, `it has no ${field} ${JSON.stringify(name)} in ${list}`);
  return value;
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** "" counts as missing. */
function text(fields: Fields, name: string): string | undefined {
  const value = fields[name];
  return typeof value === "string" && value !== "" ? value : undefined;
}

function problem(file: string, how: string): Error {
  return new Error(`Cannot use the kubeconfig ${file}: ${how}`);
}
