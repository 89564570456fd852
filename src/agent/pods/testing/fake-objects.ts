// An object manager that knows which pods it serves, and has no objects.

import type { Pod } from "../../../api/types.ts";
import type { ConfigObject, ObjectReference } from "../../objects/config-object.ts";
import { NotRegisteredError, type ObjectManager } from "../../objects/object-manager.ts";

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

  onChange(): Disposable {
    return { [Symbol.dispose]: () => undefined };
  }
}
