// An object manager whose objects are put into it by a test. It can be made not to know an object until it is asked.

import { notFound } from "../../../../api/status-error.ts";
import type { ConfigMap, Secret } from "../../../../api/types.ts";
import {
  ConfigObject,
  type ObjectReference,
  referenceKey,
} from "../../../objects/config-object.ts";
import type { ObjectManager } from "../../../objects/object-manager.ts";

type Data = Readonly<Record<string, string>>;

export class MemoryObjects implements ObjectManager {
  readonly #objects = new Map<string, ConfigObject>();
  #revision = 0;
  /** Keys of what was asked for with `get`. */
  readonly asked: string[] = [];
  /** `peek` says so for these keys. */
  readonly unknown: Set<string> = new Set();
  /** What `get` throws for these keys. */
  readonly failures: Map<string, Error> = new Map();
  /** Settles before each `get` answers; with what was known when it was asked, if it was. */
  delay: Promise<void> | undefined;

  configMap(name: string, data: Data, binaryData: Data = {}): void {
    const object = { metadata: this.#metadata(name), data, binaryData } as unknown as ConfigMap;
    this.#put(ConfigObject.fromConfigMap(object));
  }

  /** The values as text; the API has them in base64. */
  secret(name: string, data: Data): void {
    const coded = Object.entries(data).map(
      ([key, value]) => [key, Buffer.from(value).toString("base64")] as const,
    );
    const object = { metadata: this.#metadata(name), data: Object.fromEntries(coded) };
    this.#put(ConfigObject.fromSecret(object as unknown as Secret));
  }

  remove(key: string): void {
    this.#objects.delete(key);
  }

  async get(of: ObjectReference): Promise<ConfigObject> {
    const key = referenceKey(of);
    this.asked.push(key);
    const known = this.#objects.get(key);
    await this.delay;
    const failure = this.failures.get(key);
    if (failure) throw failure;
    const found = this.unknown.has(key) ? this.#objects.get(key) : known;
    const resource = of.kind.toLowerCase();
    if (!found) throw notFound({ group: "", resource, kind: of.kind }, of.name);
    return found;
  }

  peek(of: ObjectReference): ConfigObject | "unknown" | undefined {
    const key = referenceKey(of);
    return this.unknown.has(key) ? "unknown" : this.#objects.get(key);
  }

  async run(): Promise<void> {}
  register(): void {}
  invalidate(): void {}

  unregister(): void {}

  onChange(): Disposable {
    return { [Symbol.dispose]: () => undefined };
  }

  #metadata(name: string): {
    name: string;
    namespace: string;
    uid: string;
    resourceVersion: string;
  } {
    const resourceVersion = String(++this.#revision);
    return { name, namespace: "shop", uid: `uid-${name}`, resourceVersion };
  }

  #put(object: ConfigObject): void {
    this.#objects.set(referenceKey(object), object);
  }
}
