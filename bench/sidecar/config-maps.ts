// ConfigMaps of the bench, each with one file of its own name.

import type { DriftlessServer } from "../../test/support/driftless-server.ts";

const PATH = "/api/v1/namespaces/default/configmaps";
export const LABEL = "bench";
/** Of each file besides what changes. */
const FILL = "x".repeat(500);

export function fileOf(name: string): string {
  return `${name}.conf`;
}

export function contentOf(value: string): string {
  return `${value}\n${FILL}\n`;
}

export async function makeConfigMaps(
  server: DriftlessServer,
  names: readonly string[],
): Promise<void> {
  for (const name of names) {
    const { status, text } = await server.fetch("POST", PATH, bodyOf(name, "first"));
    if (status !== 201) throw new Error(`Cannot make the ConfigMap ${name}: ${text}`);
  }
}

/** Settles when the server has acknowledged it. */
export async function putConfigMap(
  server: DriftlessServer,
  name: string,
  value: string,
): Promise<void> {
  const { status, text } = await server.fetch("PUT", `${PATH}/${name}`, bodyOf(name, value));
  if (status !== 200) throw new Error(`Cannot change the ConfigMap ${name}: ${text}`);
}

function bodyOf(name: string, value: string): object {
  const metadata = { name, labels: { [LABEL]: "yes" } };
  return { metadata, data: { [fileOf(name)]: contentOf(value) } };
}
