// Variables of the environment, each a file of its name. They are what they were when the program started: the kernel lets nobody change them from outside.

import { aborted } from "../../base/abort.ts";
import type { Variables } from "../make/envsubst.ts";
import { globExpression } from "../make/glob.ts";
import type { Source, SourceFile, SourceState } from "../source.ts";
import { KeptState } from "./kept-state.ts";

export interface EnvironmentSourceOptions {
  readonly name: string;
  /** Globs. */
  readonly names: readonly string[];
  /** Undefined: by the name of each. */
  readonly isSecret: boolean | undefined;
  readonly variables: Variables;
}

/** What people call variables that nobody should see. */
const SECRET_NAME =
  /PASS(?:WORD|WD|PHRASE)?(?:_|$)|SECRET|TOKEN|CREDENTIAL|(?:^|_)KEY(?:_|$)|APIKEY|PRIVATE/i;

export class EnvironmentSource implements Source {
  readonly name: string;
  readonly #state = new KeptState();

  constructor({ name, names, isSecret, variables }: EnvironmentSourceOptions) {
    this.name = name;
    const patterns = names.map((one) => globExpression(one));
    const files = new Map<string, SourceFile>();
    for (const [variable, value] of Object.entries(variables)) {
      if (value === undefined || !patterns.some((pattern) => pattern.test(variable))) continue;
      files.set(variable, {
        data: Buffer.from(value),
        isSecret: isSecret ?? SECRET_NAME.test(variable),
        origin: `environment variable ${variable}`,
      });
    }
    this.#state.know(files);
  }

  current(): SourceState {
    return this.#state.current();
  }

  onChange(handler: () => void): Disposable {
    return this.#state.onChange(handler);
  }

  run(signal: AbortSignal): Promise<void> {
    return aborted(signal);
  }
}
