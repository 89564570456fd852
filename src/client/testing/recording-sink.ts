// A sink that writes down what a reflector delivers, as short lines: "= a:101 b:102 @102" for a state, "MODIFIED a:103".

import type { ApiObject } from "../../api/object.ts";
import { type ChangeType, keyOf, type ReflectorSink } from "../reflector.ts";

export class RecordingSink implements ReflectorSink<ApiObject> {
  readonly lines: string[] = [];
  readonly #held = new Map<string, ApiObject>();

  replace(items: readonly ApiObject[], resourceVersion: string): void {
    this.#held.clear();
    for (const item of items) this.#held.set(keyOf(item), item);
    this.lines.push(["=", ...items.map(textOf), `@${resourceVersion}`].join(" "));
  }

  event(type: ChangeType, object: ApiObject): void {
    if (type === "DELETED") this.#held.delete(keyOf(object));
    else this.#held.set(keyOf(object), object);
    this.lines.push(`${type} ${textOf(object)}`);
  }

  failed(): void {
    // What it failed with is in the log.
  }

  held(key: string): ApiObject | undefined {
    return this.#held.get(key);
  }

  /** The lines since the last time. */
  take(): string[] {
    return this.lines.splice(0);
  }
}

function textOf({ metadata }: ApiObject): string {
  return `${metadata.name}:${metadata.resourceVersion}`;
}
