// ConfigMaps and Secrets through the API, as files. By name, an object has to be there unless it is optional, and one that is deleted keeps its last content; by
// labels, whatever is there counts, and what is deleted is gone.

import type { ApiObject } from "../../api/object.ts";
import { untilAborted } from "../../base/abort.ts";
import { Backoff } from "../../base/backoff.ts";
import type { Clock } from "../../base/clock.ts";
import { compareUtf8 } from "../../base/content-version.ts";
import { describe } from "../../base/errors.ts";
import type { Logger } from "../../base/logger.ts";
import type { Random } from "../../base/random.ts";
import type { ApiClient } from "../../client/api-client.ts";
import type { SourceSpec } from "../compose-model.ts";
import type { Source, SourceFile, SourceState } from "../source.ts";
import { FollowedUrls } from "./followed-urls.ts";
import { KeptState } from "./kept-state.ts";
import { ObjectFeed, type ObjectKind } from "./object-feed.ts";
import { objectFiles } from "./object-files.ts";

/** The server, and the namespace that is meant where none is named. */
export interface ObjectApi {
  readonly client: ApiClient;
  readonly namespace: string;
}

export interface ObjectsSourceOptions {
  readonly name: string;
  readonly spec: Extract<SourceSpec, { type: "objects" }>;
  /** Asked when it runs, and again while it throws because there is none. */
  readonly api: () => ObjectApi;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

const CONNECT = { baseMs: 500, factor: 2, maxMs: 30_000, jitter: 0.2, resetAfterMs: Infinity };
/** So long a server may take to answer for the first time before that is worth a word. */
const PATIENCE_MS = 2000;

export class ObjectsSource implements Source {
  readonly name: string;
  readonly #options: ObjectsSourceOptions;
  readonly #state = new KeptState();
  readonly #urls: FollowedUrls;
  #feeds: readonly ObjectFeed[] = [];
  /** Of feeds by name: what was last there. */
  readonly #last = new Map<ObjectFeed, ApiObject>();
  #isScheduled = false;
  #isPatient = true;
  #server = "";
  #collisions = "";

  constructor(options: ObjectsSourceOptions) {
    this.name = options.name;
    this.#options = options;
    const { spec, clock, random } = options;
    const onTry = (): void => this.#schedule();
    this.#urls = new FollowedUrls({ spec: spec.urls, clock, random, onTry });
  }

  current(): SourceState {
    return this.#state.current();
  }

  onChange(handler: () => void): Disposable {
    return this.#state.onChange(handler);
  }

  async run(signal: AbortSignal): Promise<void> {
    const api = await this.#connected(signal);
    if (api === undefined) return;
    this.#server = api.client.server;
    this.#feeds = this.#newFeeds(api);
    using _patience = this.#options.clock.schedule(PATIENCE_MS, () => {
      this.#isPatient = false;
      this.#update();
    });
    await Promise.all([...this.#feeds.map((feed) => feed.run(signal)), this.#urls.run(signal)]);
  }

  /** Tried for ever: a kubeconfig or an account can come late, and what is live does not wait for it. Undefined: it is to end. */
  async #connected(signal: AbortSignal): Promise<ObjectApi | undefined> {
    const { api, clock, random } = this.#options;
    const backoff = new Backoff({ ...CONNECT, clock, random });
    let found: ObjectApi | undefined;
    await untilAborted(signal, async () => {
      while (found === undefined) {
        try {
          found = api();
        } catch (err) {
          this.#state.fail(describe(err));
          await clock.sleep(backoff.nextMs(), signal);
        }
      }
    });
    this.#state.fail(undefined);
    return found;
  }

  #newFeeds({ client, namespace }: ObjectApi): ObjectFeed[] {
    const { spec, clock, random, logger } = this.#options;
    const { kinds, names, labelSelector, namespaces = [namespace], pollMs } = spec;
    const onChange = (): void => this.#schedule();
    const parts = { client, pollMs, clock, random, logger, onChange };
    const places = namespaces === "*" ? [undefined] : namespaces;
    return kinds.flatMap((kind) =>
      places.flatMap((place) =>
        (names ?? [undefined]).map(
          (name) => new ObjectFeed({ ...parts, kind, namespace: place, name, labelSelector }),
        ),
      ),
    );
  }

  /** What comes together is looked at once. */
  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    // Not a microtask: each event of a watch is one of its own.
    this.#options.clock.schedule(0, () => {
      this.#isScheduled = false;
      this.#update();
    });
  }

  #update(): void {
    const refusals = this.#feeds.map(({ problem }) => problem).filter((one) => one !== undefined);
    const waiting = this.#feeds.filter(({ hasSynced }) => !hasSynced);
    if (waiting.length > 0) {
      const whatFor = `${this.#server} has not yet told of ${waiting[0]?.what ?? ""}`;
      this.#state.fail(unique(refusals) ?? (this.#isPatient ? undefined : whatFor));
      return;
    }
    const { objects, missing } = this.#objects();
    const { files, problems, isComplete } = this.#files(objects);
    const problem = unique([...refusals, ...missing.map(({ what }) => what), ...problems]);
    const isKnown = this.#state.current().state === "known";
    const isLacking = missing.some(({ isGone }) => !isGone);
    const slow = this.#isPatient ? undefined : "what .url keys name was not yet fetched";
    if (isLacking || (!isComplete && !isKnown)) this.#state.fail(problem ?? slow);
    else this.#state.know(files, problem);
  }

  /** In order, so that of two with the same key the same one wins everywhere. */
  #objects(): { readonly objects: readonly KindObject[]; readonly missing: readonly Missing[] } {
    const objects: KindObject[] = [];
    const missing: Missing[] = [];
    for (const feed of this.#feeds) {
      const here = [...feed.objects];
      if (feed.name !== undefined && !this.#options.spec.optional) {
        const last = here[0] ?? this.#last.get(feed);
        if (here[0] !== undefined) this.#last.set(feed, here[0]);
        else missing.push(missingOf(feed, last));
        if (last !== undefined) objects.push({ kind: feed.kind, object: last });
      } else objects.push(...here.map((object) => ({ kind: feed.kind, object })));
    }
    // By name, the order of the names is the order of precedence; by labels there is none but this.
    if (this.#options.spec.names !== undefined) return { objects, missing };
    return { objects: objects.toSorted((a, b) => compareUtf8(orderOf(a), orderOf(b))), missing };
  }

  #files(objects: readonly KindObject[]): Files {
    const files = new Map<string, SourceFile>();
    const keys = objects.flatMap(({ kind, object }) =>
      objectFiles(kind, object, this.#options.spec),
    );
    const collisions: string[] = [];
    this.#urls.follow(keys.map(({ url }) => url).filter((url) => url !== undefined));
    const problems: string[] = [];
    let isComplete = true;
    for (const { name, url, ...file } of keys) {
      const fetched = url === undefined ? undefined : this.#urls.get(url.id);
      if (fetched?.problem !== undefined) problems.push(`${file.origin}: ${fetched.problem}`);
      isComplete &&= fetched?.hasTried ?? true;
      const data = url === undefined ? file.data : fetched?.data;
      if (data === undefined) continue;
      const earlier = files.get(name);
      if (earlier !== undefined)
        collisions.push(`"${name}" of ${earlier.origin} and of ${file.origin}`);
      files.set(name, { ...file, data });
    }
    this.#tellCollisions(collisions.join("; "));
    return { files, problems, isComplete };
  }

  /** Once for each set of them. */
  #tellCollisions(collisions: string): void {
    if (collisions === this.#collisions) return;
    this.#collisions = collisions;
    const { name: source, logger, spec } = this.#options;
    if (collisions === "") return;
    const message = "objects have the same key, the later wins";
    // Whoever lists names has said which one that is; by labels it is an accident.
    if (spec.names === undefined) logger.warn(message, { source, collisions });
    else logger.info(message, { source, collisions });
  }
}

interface KindObject {
  readonly kind: ObjectKind;
  readonly object: ApiObject;
}

interface Missing {
  readonly what: string;
  /** It was there before. */
  readonly isGone: boolean;
}

interface Files {
  readonly files: ReadonlyMap<string, SourceFile>;
  readonly problems: readonly string[];
  /** All that has to be fetched was tried at least once. */
  readonly isComplete: boolean;
}

function missingOf(feed: ObjectFeed, last: ApiObject | undefined): Missing {
  const isGone = last !== undefined;
  const what = isGone
    ? `${feed.what} was deleted; its last content is kept`
    : `there is no ${feed.what}`;
  return { what, isGone };
}

function orderOf({ kind, object: { metadata } }: KindObject): string {
  return `${kind}/${metadata.namespace ?? ""}/${metadata.name ?? ""}`;
}

function unique(problems: readonly string[]): string | undefined {
  return problems.length === 0 ? undefined : [...new Set(problems)].join("; ");
}
