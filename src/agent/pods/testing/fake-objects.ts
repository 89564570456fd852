// An object manager that knows which pods it serves, and has no objects.

import type { Pod } from "../../../api/types.ts";
import { ConfigObject, type ObjectReference } from "../../objects/config-object.ts";
import {
  NotRegisteredError,
  type ObjectChangeHandler,
  type ObjectManager,
} from "../../objects/object-manager.ts";

export class FakeObjects implements ObjectManager {
  readonly registered: Set<string> = new Set();

  async run(): Promise<void> {
    // Nothing changes by itself.
  }

  register({ metadata }: Pod): void {
    this.registered.add(metadata.uid ?? "");
  }

  unregister(podUid: string): void {
    this.registered.delete(podUid);
  }

  /** The uids of pods whose objects are to be read anew, in order. */
  readonly invalidated: string[] = [];

  invalidate(podUid: string): void {
    this.invalidated.push(podUid);
  }

  get(of: ObjectReference): Promise<ConfigObject> {
    return Promise.reject(new NotRegisteredError(of));
  }

  peek(): undefined {
    return undefined;
  }

  readonly #handlers = new Set<ObjectChangeHandler>();

  onChange(handler: ObjectChangeHandler): Disposable {
    this.#handlers.add(handler);
    return { [Symbol.dispose]: () => this.#handlers.delete(handler) };
  }

  /** Says that the ConfigMap "app" came, to these pods. */
  tell(podUids: readonly string[]): void {
    const reference = { kind: "ConfigMap", namespace: "default", name: "app" } as const;
    const object = ConfigObject.fromConfigMap({ metadata: reference, data: {} });
    for (const handler of this.#handlers)
      handler({ ...reference, object, isAnother: false }, podUids);
  }
}
