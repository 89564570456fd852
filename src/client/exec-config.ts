// What a kubeconfig says about the program that logs a user in.

import type { ExecConfig } from "./exec-plugin.ts";
import type { Connection } from "./kubeconfig.ts";
import type { KubeconfigFields } from "./kubeconfig-fields.ts";

const API_VERSIONS = ["client.authentication.k8s.io/v1", "client.authentication.k8s.io/v1beta1"];
const MODES = ["Never", "IfAvailable", "Always"];
/** Where a cluster keeps what its login programs want to know. */
const EXTENSION = "client.authentication.k8s.io/exec";

export interface ExecConfigOptions {
  readonly user: KubeconfigFields;
  readonly cluster: KubeconfigFields;
  readonly server: Pick<Connection, "server" | "authority" | "isInsecure" | "serverName">;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Nothing if the user has no exec. */
export function execConfigOf(options: ExecConfigOptions): { readonly exec?: ExecConfig } {
  const { user, env } = options;
  const exec = user.under("exec");
  if (exec === undefined) return {};
  const command = exec.text("command");
  if (command === undefined) throw exec.problem(`${exec.path} has no command`);
  const apiVersion = exec.text("apiVersion") ?? "";
  if (!API_VERSIONS.includes(apiVersion)) {
    throw exec.problem(`${exec.path}.apiVersion must be one of ${API_VERSIONS.join(", ")}`);
  }
  checkMode(exec, apiVersion);
  return {
    exec: {
      where: `${exec.file}, ${exec.path}`,
      apiVersion,
      // With a slash it is a file beside the kubeconfig, without one a name in PATH.
      command: command.includes("/") ? exec.resolve(command) : command,
      args: exec.texts("args"),
      env: { ...definedOf(env), ...environmentOf(exec) },
      installHint: exec.text("installHint")?.trim() ?? "",
      ...(exec.flag("provideClusterInfo") && { cluster: clusterInfo(options) }),
    },
  };
}

/** There is nobody at a terminal. */
function checkMode(exec: KubeconfigFields, apiVersion: string): void {
  const mode = exec.text("interactiveMode") ?? (apiVersion.endsWith("/v1") ? "" : "IfAvailable");
  if (!MODES.includes(mode)) {
    throw exec.problem(`${exec.path}.interactiveMode must be one of ${MODES.join(", ")}`);
  }
  if (mode === "Always") {
    throw exec.problem(
      `${exec.path}.interactiveMode is Always, and nobody can answer the program here`,
    );
  }
}

function environmentOf(exec: KubeconfigFields): Readonly<Record<string, string>> {
  return Object.fromEntries(
    exec.objects("env").map((one) => {
      const name = one.text("name");
      if (name === undefined) throw one.problem(`${one.path} has no name`);
      return [name, one.text("value") ?? ""];
    }),
  );
}

function clusterInfo({ cluster, server }: ExecConfigOptions): Readonly<Record<string, unknown>> {
  const extension = cluster.named("extensions", EXTENSION)?.values["extension"];
  return {
    server: server.server,
    ...(server.serverName !== undefined && { "tls-server-name": server.serverName }),
    ...(server.isInsecure && { "insecure-skip-tls-verify": true }),
    ...(server.authority !== undefined && {
      "certificate-authority-data": Buffer.from(server.authority).toString("base64"),
    }),
    config: extension ?? null,
  };
}

function definedOf(
  env: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string>> {
  const pairs = Object.entries(env).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  );
  return Object.fromEntries(pairs);
}
