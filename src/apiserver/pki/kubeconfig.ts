// The file with which kubectl and every other client finds the server and proves who they are.

import type { CertificateAndKey } from "./issue.ts";

export interface KubeconfigOptions {
  readonly server: string;
  readonly authority: string;
  readonly user: string;
  readonly credentials: CertificateAndKey;
}

/** JSON is YAML. One value per line, so that people can read it. */
export function kubeconfig({ server, authority, user, credentials }: KubeconfigOptions): string {
  const base64 = (text: string): string => Buffer.from(text).toString("base64");
  return `apiVersion: v1
kind: Config
clusters:
- name: driftless
  cluster:
    server: ${server}
    certificate-authority-data: ${base64(authority)}
users:
- name: ${user}
  user:
    client-certificate-data: ${base64(credentials.certificate)}
    client-key-data: ${base64(credentials.key)}
contexts:
- name: driftless
  context:
    cluster: driftless
    user: ${user}
current-context: driftless
`;
}
