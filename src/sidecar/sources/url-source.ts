// What an address serves, as one file.

import type { Clock } from "../../base/clock.ts";
import type { Random } from "../../base/random.ts";
import type { SourceSpec } from "../compose-model.ts";
import type { Source, SourceState } from "../source.ts";
import { shownUrl } from "./fetch-url.ts";
import { FollowedUrl } from "./followed-url.ts";
import { KeptState } from "./kept-state.ts";

export interface UrlSourceOptions {
  readonly name: string;
  readonly spec: Extract<SourceSpec, { type: "url" }>;
  readonly clock: Clock;
  readonly random: Random;
}

export class UrlSource implements Source {
  readonly name: string;
  readonly #spec: UrlSourceOptions["spec"];
  readonly #state = new KeptState();
  readonly #url: FollowedUrl;

  constructor({ name, spec, clock, random }: UrlSourceOptions) {
    this.name = name;
    this.#spec = spec;
    const request = { ...spec, skipsTlsVerify: false, takesServerErrors: false };
    const { intervalMs } = spec;
    this.#url = new FollowedUrl({ request, intervalMs, clock, random, onTry: () => this.#tried() });
  }

  current(): SourceState {
    return this.#state.current();
  }

  onChange(handler: () => void): Disposable {
    return this.#state.onChange(handler);
  }

  run(signal: AbortSignal): Promise<void> {
    return this.#url.run(signal);
  }

  #tried(): void {
    const { data, problem } = this.#url;
    if (data === undefined) {
      this.#state.fail(problem);
      return;
    }
    const { file, url, auth, isSecret = auth !== undefined } = this.#spec;
    const origin = shownUrl(url);
    this.#state.know(new Map([[file, { data, isSecret, origin }]]), problem);
  }
}
