// Writes by chance: creates, replaces, patches and deletes, on versions that it knows, that are old, or on none.

import type { Random } from "../../src/base/random.ts";
import { bodyOf, pathOf, pathOfKey, type ShownObject, seen, splitKey } from "./content.ts";
import { getObject } from "./reads.ts";
import type { Change, Key, KindName, Outcome, SeenObject, WriteRecord } from "./record.ts";
import { type ActorOptions, chance, pick, type Shared, shortly } from "./shared.ts";
import type { Reply, Transport } from "./transport.ts";

export interface WriterOptions extends ActorOptions {
  readonly name: string;
  /** What it writes, again and again. */
  readonly keys: readonly Key[];
  /** Those of them that others write as often. */
  readonly hotKeys: readonly Key[];
  /** Of ballast, at most. */
  readonly maxBallast: number;
}

type Write = Omit<WriteRecord, "sentAfter" | "outcome">;

export class Writer {
  readonly #options: WriterOptions;
  readonly #shared: Shared;
  readonly #transport: Transport;
  readonly #random: Random;
  #count = 0;
  #lastKey: Key = "";

  constructor(options: WriterOptions) {
    this.#options = options;
    this.#shared = options.shared;
    this.#transport = options.transport;
    this.#random = options.shared.randomForNext();
  }

  async run(): Promise<void> {
    while (!this.#shared.working.aborted) {
      await this.#settled(await this.once());
    }
  }

  /** After a refusal it looks what is there, and after no answer it waits for the server to come back. */
  async #settled({ is }: Outcome): Promise<void> {
    if (is === "unknown") return shortly(this.#random);
    if (is !== "refused") return;
    const key = this.#lastKey;
    const found = await getObject(this.#options, key);
    if (found === undefined) this.#shared.known.delete(key);
    else if (found !== "no answer") this.#shared.known.set(key, found);
  }

  /** One write, recorded with what came of it. */
  once(write: Write = this.#next()): Promise<Outcome> {
    return this.#send(write);
  }

  #next(): Write {
    const { keys, hotKeys } = this.#options;
    const key = pick(this.#random, chance(this.#random, 0.3) ? hotKeys : keys);
    const current = this.#shared.known.get(key);
    const change = { labels: this.#labels(), mark: this.#mark() };
    if (current === undefined) return { verb: "create", key, change };
    return this.#change(current, change);
  }

  #change({ key, revision }: SeenObject, change: Change): Write {
    const random = this.#random;
    // Leases cannot be replaced without a version.
    const expected = chance(random, 0.15) ? Math.max(1, revision - 1) : revision;
    switch (
      pick(random, [
        "patch",
        "patch",
        "patch",
        "patch if",
        "put",
        "put",
        "put any",
        "delete",
        "delete if",
        "create",
      ] as const)
    ) {
      case "patch":
        return { verb: "patch", key, change: this.#partial(change) };
      case "patch if":
        return { verb: "patch", key, change: this.#partial(change), expected };
      case "put any":
        if (!key.startsWith("leases/")) return { verb: "put", key, change };
        return { verb: "put", key, change, expected };
      case "put":
        return { verb: "put", key, change, expected };
      case "delete":
        return { verb: "delete", key, change };
      case "delete if":
        return { verb: "delete", key, change, expected };
      case "create":
        return { verb: "create", key, change };
    }
  }

  /** In a patch some labels stay as they are, and null takes one away. */
  #partial({ labels = {}, mark }: Change): Change {
    const partial: Record<string, string | null> = {};
    for (const name of ["a", "b"]) {
      if (chance(this.#random, 0.5)) partial[name] = labels[name] ?? null;
    }
    return { labels: partial, mark };
  }

  #labels(): Record<string, string> {
    const a = pick(this.#random, ["1", "1", "2", "3", undefined]);
    const b = pick(this.#random, ["x", "y", undefined]);
    return { ...(a !== undefined && { a }), ...(b !== undefined && { b }) };
  }

  #mark(): string {
    const { name, maxBallast } = this.#options;
    const ballast = Math.floor(maxBallast * (0.5 + 0.5 * this.#random.next()));
    return `${name}-${++this.#count}+${ballast}`;
  }

  async #send(write: Write): Promise<Outcome> {
    const record: WriteRecord = {
      ...write,
      sentAfter: this.#shared.moment,
      outcome: { is: "unknown" },
    };
    this.#shared.run.writes.push(record);
    this.#lastKey = write.key;
    try {
      record.outcome = this.#heard(write, await this.#asked(write));
    } catch (err) {
      if (err instanceof UnexpectedAnswer) throw err;
      // No answer: the outcome stays unknown.
    }
    return record.outcome;
  }

  #asked({ verb, key, change, expected }: Write): Promise<Reply> {
    const { kind, namespace, name } = splitKey(key);
    const version = expected === undefined ? undefined : String(expected);
    switch (verb) {
      case "create": {
        const body = objectOf(kind, change, { name });
        return this.#transport.ask({ method: "POST", path: pathOf(kind, namespace), body });
      }
      case "put": {
        const body = objectOf(kind, change, { name, resourceVersion: version });
        return this.#transport.ask({ method: "PUT", path: pathOfKey(key), body });
      }
      case "patch": {
        const body = objectOf(kind, change, { resourceVersion: version });
        const contentType = chance(this.#random, 0.5)
          ? "application/merge-patch+json"
          : "application/strategic-merge-patch+json";
        return this.#transport.ask({ method: "PATCH", path: pathOfKey(key), body, contentType });
      }
      case "delete": {
        const body = version && { preconditions: { resourceVersion: version } };
        return this.#transport.ask({
          method: "DELETE",
          path: pathOfKey(key),
          body: body || undefined,
        });
      }
    }
  }

  #heard(write: Write, { status, text }: Reply): Outcome {
    const { verb, key } = write;
    const { kind } = splitKey(key);
    if (status >= 500) throw new Error(text);
    const body = JSON.parse(text) as ShownObject;
    if (status >= 400) {
      if (status !== 409 && status !== 404) throw new UnexpectedAnswer(write, text);
      return { is: "refused", code: status };
    }
    this.#shared.acknowledged++;
    if (verb === "delete") {
      this.#shared.known.delete(key);
      const { uid } = (body as unknown as DeleteStatus).details;
      return { is: "deleted", uid, order: this.#shared.toldOfDelete() };
    }
    const object = seen(kind, body);
    this.#shared.known.set(key, object);
    this.#shared.told(object.revision);
    return { is: "done", object };
  }
}

/** The answer to a delete has no revision: that is known from who watches. */
interface DeleteStatus {
  readonly details: { readonly uid: string };
}

/** Not something that is recorded: the run itself is wrong. */
class UnexpectedAnswer extends Error {
  override readonly name = "UnexpectedAnswer";

  constructor({ verb, key }: Write, answer: string) {
    super(`Cannot ${verb} ${key}: ${answer}`);
  }
}

function objectOf(
  kind: KindName,
  { labels, mark }: Change,
  metadata: { readonly name?: string; readonly resourceVersion?: string | undefined },
): object {
  const body: { readonly metadata?: object } = bodyOf(kind, mark);
  return { ...body, metadata: { ...body.metadata, ...metadata, labels } };
}
