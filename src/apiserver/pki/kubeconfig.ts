// The file with which kubectl and every other client finds the server and proves who they are.

import type { CertificateAndKey } from "./issue.ts";

export interface KubeconfigOptions {
  readonly server: string;
  readonly authority: string;
  readonly user: string;
  readonly credentials: CertificateAndKey;
}

/** One value per line, so that people can read it; names that YAML could misread are quoted as JSON, which is YAML. */
export function kubeconfig({ server, authority, user, credentials }: KubeconfigOptions): string {
  const base64 = (text: string): string => Buffer.from(text).toString("base64");
  const name = isPlain(user) ? user : JSON.stringify(user);
  return `apiVersion: v1
kind: Config
clusters:
- name: driftless
  cluster:
    server: ${server}
    certificate-authority-data: ${base64(authority)}
users:
- name: ${name}
  user:
    client-certificate-data: ${base64(credentials.certificate)}
    client-key-data: ${base64(credentials.key)}
contexts:
- name: driftless
  context:
    cluster: driftless
    user: ${name}
current-context: driftless
`;
}

function isPlain(name: string): boolean {
  return (
    /^[a-z][a-z-]+$/.test(name) &&
    !["true", "false", "null", "yes", "no", "on", "off"].includes(name)
  );
}
