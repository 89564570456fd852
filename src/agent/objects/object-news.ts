// Tells those who want to know, and the log, what became of objects: once for each version, in the turn in which it came.
// Neither names a key nor shows a value.

import { SHORT_VERSION_DIGITS } from "../../base/content-version.ts";
import type { Logger } from "../../base/logger.ts";
import {
  type ConfigObject,
  type ObjectKind,
  type ObjectReference,
  referenceKey,
} from "./config-object.ts";
import type { ObjectChange, ObjectChangeHandler } from "./object-manager.ts";
import type { Registrations } from "./registrations.ts";

/** What was told last of one object; without its content, which others let go of sooner. */
interface Told {
  readonly version: Version | undefined;
  /** The last one that there was, which may be gone. */
  readonly latest: Pick<ConfigObject, "uid" | "isImmutable"> | undefined;
}

type Version = Pick<ConfigObject, "uid" | "resourceVersion">;

const messages: Readonly<
  Record<
    ObjectKind,
    { readonly received: string; readonly gone: string; readonly replaced: string }
  >
> = {
  ConfigMap: {
    received: "received configMap",
    gone: "configMap is gone",
    replaced: "immutable configMap was replaced by another",
  },
  Secret: {
    received: "received secret",
    gone: "secret is gone",
    replaced: "immutable secret was replaced by another",
  },
};

export class ObjectNews {
  readonly #registrations: Registrations;
  readonly #logger: Logger;
  readonly #handlers = new Set<{ readonly handle: ObjectChangeHandler }>();
  readonly #told = new Map<string, Told>();

  constructor(registrations: Registrations, logger: Logger) {
    this.#registrations = registrations;
    this.#logger = logger;
  }

  onChange(handle: ObjectChangeHandler): Disposable {
    const handler = { handle };
    this.#handlers.add(handler);
    return { [Symbol.dispose]: () => this.#handlers.delete(handler) };
  }

  /** This is how it stands now. Tells if that is another version than before; of the first state always. */
  note(of: ObjectReference, object: ConfigObject | undefined): void {
    const key = referenceKey(of);
    const before = this.#told.get(key);
    if (before !== undefined && isSameVersion(before.version, object)) return;
    const latest = before?.latest;
    const isAnother = latest !== undefined && object !== undefined && latest.uid !== object.uid;
    this.#told.set(key, toldOf(object, latest));
    const { kind, namespace, name } = of;
    this.#tell({ kind, namespace, name, object, isAnother });
    this.#log(of, object, before);
  }

  /** Nobody refers to it any more. */
  forget(of: ObjectReference): void {
    this.#told.delete(referenceKey(of));
  }

  #tell(change: ObjectChange): void {
    const podUids = this.#registrations.podUids(change);
    for (const { handle } of this.#handlers) {
      try {
        handle(change, podUids);
      } catch (err) {
        const { kind, namespace, name } = change;
        this.#logger.error("handler failed", { err, kind, namespace, name });
      }
    }
  }

  /** After telling: the hash takes time, and files wait. */
  #log(of: ObjectReference, object: ConfigObject | undefined, before: Told | undefined): void {
    const { namespace, name } = of;
    const { received, gone, replaced } = messages[of.kind];
    if (object === undefined) {
      if (before?.version !== undefined) this.#logger.info(gone, { namespace, name });
      return;
    }
    const { uid, resourceVersion, keys, totalBytes } = object;
    const latest = before?.latest;
    if (latest?.isImmutable === true && latest.uid !== uid) {
      this.#logger.warn(replaced, { namespace, name, resourceVersion });
    }
    const version = object.version.slice(0, SHORT_VERSION_DIGITS);
    const fields = { keys: keys.length, bytes: totalBytes, resourceVersion, version };
    this.#logger.info(received, { namespace, name, ...fields });
  }
}

function toldOf(object: ConfigObject | undefined, latest: Told["latest"]): Told {
  if (object === undefined) return { version: undefined, latest };
  const { uid, resourceVersion, isImmutable } = object;
  return { version: { uid, resourceVersion }, latest: { uid, isImmutable } };
}

export function isSameVersion(one: Version | undefined, other: Version | undefined): boolean {
  return one?.uid === other?.uid && one?.resourceVersion === other?.resourceVersion;
}
