// A ConfigMap or Secret as a source, through any Kubernetes API. What was seen stays when the server is away, and when the object is.

import type { ApiObject } from "../api/object.ts";
import type { Clock } from "../base/clock.ts";
import { describe } from "../base/errors.ts";
import type { Logger } from "../base/logger.ts";
import { objectContent } from "../base/object-content.ts";
import type { Random } from "../base/random.ts";
import type { ApiClient } from "../client/api-client.ts";
import { ObjectWatch } from "../client/object-watch.ts";
import type { LiveSource } from "./live-source.ts";
import type { Files } from "./settings.ts";
import { whatStays } from "./what-stays.ts";

export interface ObjectSourceOptions {
  readonly client: ApiClient;
  readonly kind: "ConfigMap" | "Secret";
  readonly namespace: string;
  readonly objectName: string;
  /** It counts as empty while there is none, before there ever was. */
  readonly isOptional: boolean;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

export class ObjectSource implements LiveSource {
  readonly name: string;
  readonly path = undefined;
  onChange: () => void = () => undefined;
  readonly #watch: ObjectWatch<ApiObject>;
  readonly #options: ObjectSourceOptions;
  #files: Files | undefined;
  #absence: string | undefined;

  constructor(options: ObjectSourceOptions) {
    const { kind, namespace, objectName } = options;
    this.#options = options;
    this.name = `${kind.toLowerCase()}/${objectName} in ${namespace}`;
    this.#watch = new ObjectWatch<ApiObject>({
      ...options,
      kind: {
        group: "",
        version: "v1",
        kind,
        resource: kind === "Secret" ? "secrets" : "configmaps",
        namespaced: true,
      },
      name: objectName,
      onChange: (object) => this.#take(object),
    });
  }

  get files(): Files | undefined {
    return this.#files;
  }

  get problem(): string | undefined {
    const { failure } = this.#watch;
    if (failure !== undefined) return `${this.name}: ${describe(failure)}`;
    if (this.#absence !== undefined) return this.#absence;
    return this.#files === undefined ? `${this.name} is not known yet` : undefined;
  }

  run(signal: AbortSignal): Promise<void> {
    return this.#watch.run(signal);
  }

  #take(object: ApiObject | undefined): void {
    const { kind, isOptional, logger } = this.#options;
    if (object === undefined) {
      const then = whatStays(this.#files, isOptional);
      logger.warn(`object is not there, ${then}`, { object: this.name });
      if (isOptional) this.#files ??= new Map();
      this.#absence = isOptional ? undefined : `${this.name} is not there`;
    } else {
      this.#files = objectContent(kind, object);
      this.#absence = undefined;
    }
    this.onChange();
  }
}
