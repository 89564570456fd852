// Machines that join a real server: what the command line would give them, and a directory each.

import { join } from "../../src/agent/join/join.ts";
import { NodeFiles } from "../../src/agent/join/node-files.ts";
import type { NodeIdentity } from "../../src/agent/join/node-identity.ts";
import { newToken, tokenSecret } from "../../src/apiserver/join/token-secret.ts";
import { certificateKeyHash } from "../../src/apiserver/pki/key-hash.ts";
import { systemClock } from "../../src/base/clock.ts";
import { systemRandom } from "../../src/base/random.ts";
import { CaptureLogger } from "../../src/base/testing/capture-logger.ts";
import { type TempDir, tempDir } from "../../src/base/testing/temp-dir.ts";
import { driftless } from "../identity/command.ts";
import { type DriftlessServer, readCredentials } from "../support/driftless-server.ts";

/** What `driftless token create` says. */
export interface JoinWords {
  readonly token: string;
  readonly server: string;
  readonly caHash: string;
}

/** As people get them. */
export async function tokenFromCommand(server: DriftlessServer): Promise<JoinWords> {
  const command = ["token", "create", "-o", "json", "--data-dir", server.dataDir];
  const { code, stdout, stderr } = await driftless(...command);
  if (code !== 0) throw new Error(`no token was made: ${stderr}`);
  return JSON.parse(stdout) as JoinWords;
}

/** The same without starting a process; for the node if one is named. */
export async function tokenFor(server: DriftlessServer, nodeName = ""): Promise<JoinWords> {
  const { id, secret } = newToken(systemRandom);
  const expiresMs = systemClock.now() + 3600_000;
  const object = tokenSecret({ id, secret, salt: "ab", expiresMs, nodeName, description: "" });
  const path = "/api/v1/namespaces/kube-system/secrets";
  const { status, text } = await server.fetch("POST", path, object);
  if (status !== 201) throw new Error(`no token was made: ${text}`);
  const caHash = certificateKeyHash(readCredentials(server.kubeconfig).ca);
  return { token: `${id}.${secret}`, server: server.url, caHash };
}

export class JoiningMachine implements Disposable {
  readonly logger: CaptureLogger = new CaptureLogger();
  readonly files: NodeFiles;
  readonly #directory: TempDir = tempDir();

  constructor() {
    this.files = new NodeFiles({ dataDir: this.dataDir });
  }

  get dataDir(): string {
    return this.#directory.path;
  }

  join(words: JoinWords, nodeName: string, patienceMs = 0): Promise<NodeIdentity> {
    const { files, logger } = this;
    const parts = { clock: systemClock, random: systemRandom, logger };
    const { signal } = new AbortController();
    return join({ ...words, nodeName, files, patienceMs, ...parts }, signal);
  }

  [Symbol.dispose](): void {
    this.#directory[Symbol.dispose]();
  }
}
