// From what a compose file says to the sources themselves.

import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/logger.ts";
import type { Random } from "../../base/random.ts";
import type { Compose, SourceSpec } from "../compose-model.ts";
import type { Variables } from "../make/envsubst.ts";
import type { Source } from "../source.ts";
import { directorySource } from "./directory-source.ts";
import { EnvironmentSource } from "./environment-source.ts";
import { fileSource } from "./file-source.ts";
import { type ObjectApi, ObjectsSource } from "./objects-source.ts";
import { UrlSource } from "./url-source.ts";

export interface SourceParts {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** The environment. */
  readonly variables: Variables;
  /** What the sidecar writes: it is no part of any source. */
  readonly excludes?: ReadonlySet<string>;
  /** Called when a source of objects runs, and by each of them; throws when there is no API server. */
  readonly api: () => ObjectApi;
}

/** In the order of the compose file. None runs yet. */
export function newSources({ sources }: Compose, parts: SourceParts): readonly Source[] {
  return [...sources].map(([name, spec]) => newSource(name, spec, parts));
}

function newSource(name: string, spec: SourceSpec, parts: SourceParts): Source {
  const { clock, random, logger, variables, excludes, api } = parts;
  switch (spec.type) {
    case "directory":
      return directorySource(name, spec, { excludes, clock, logger });
    case "file":
      return fileSource(name, spec, { clock, logger });
    case "environment":
      return new EnvironmentSource({ name, names: spec.names, isSecret: spec.isSecret, variables });
    case "objects":
      return new ObjectsSource({ name, spec, api, clock, random, logger });
    case "url":
      return new UrlSource({ name, spec, clock, random });
  }
}
