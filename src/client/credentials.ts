// Who we are on a server, right now: certificates and tokens from the kubeconfig, from files that rotate, or from a program
// that logs in. Asked before every request.

import type { Clock } from "../base/clock.ts";
import { type ExecConfig, ExecPlugin } from "./exec-plugin.ts";

export interface Identity {
  /** PEM: whom we believe to be the server. The system's authorities if missing. */
  readonly authority?: string;
  readonly certificate?: string;
  readonly key?: string;
  readonly token?: string;
}

/** What a kubeconfig says of it. A function is asked each time: there is a file behind it that changes. */
export interface CredentialSources {
  readonly authority?: string | (() => string);
  readonly certificate?: string | (() => string);
  readonly key?: string | (() => string);
  readonly token?: () => string;
  readonly exec?: ExecConfig;
}

export interface CredentialsOptions {
  readonly sources: CredentialSources;
  readonly clock: Clock;
}

export class Credentials {
  readonly #sources: CredentialSources;
  readonly #plugin: ExecPlugin | undefined;

  constructor({ sources, clock }: CredentialsOptions) {
    this.#sources = sources;
    this.#plugin = sources.exec && new ExecPlugin({ config: sources.exec, clock });
  }

  /** What is set in the kubeconfig counts before what the program says, as for kubectl. */
  async identity(signal: AbortSignal): Promise<Identity> {
    const { exec: _, ...sources } = this.#sources;
    const given = await this.#plugin?.credentials(signal);
    return { ...given, ...valuesOf(sources) };
  }

  /** The server said 401. True if asking again gives something else. */
  refused(identity: Identity): boolean {
    if (this.#plugin !== undefined) return this.#plugin.refused(identity.token);
    return this.#sources.token !== undefined && this.#sources.token() !== identity.token;
  }
}

function valuesOf(sources: CredentialSources): Identity {
  const entries = Object.entries(sources) as [keyof Identity, string | (() => string)][];
  return Object.fromEntries(
    entries.map(([name, source]) => [name, typeof source === "string" ? source : source()]),
  );
}
