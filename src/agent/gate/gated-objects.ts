// The gate between the server's objects and everything on this node that uses them: volumes, environments and subPaths read through it and see
// nothing that a DeliveryPolicy refuses or holds back. Without a policy it is not noticed: what comes is passed on in the same turn.

import { isNotFound, notFound } from "../../api/status-error.ts";
import type { Pod } from "../../api/types.ts";
import { deadline } from "../../base/abort.ts";
import { SHORT_VERSION_DIGITS } from "../../base/content-version.ts";
import type { Logger } from "../../base/logger.ts";
import { RunGroup } from "../../base/run-group.ts";
import { isOlderVersion } from "../../client/resource-version.ts";
import type { Events } from "../../controller/event-recorder.ts";
import { type ConfigObject, type ObjectReference, referenceKey } from "../objects/config-object.ts";
import {
  type GetOptions,
  NotRegisteredError,
  type ObjectChange,
  type ObjectChangeHandler,
} from "../objects/object-manager.ts";
import { resourceKinds } from "../objects/object-source.ts";
import { Registrations } from "../objects/registrations.ts";
import type { UpkeptObjects } from "../objects/upkept-objects.ts";
import { aboutPod } from "../pods/pod-events.ts";
import type { ObjectStage, ObjectStages } from "../views/view-sources.ts";
import type { GateMetrics } from "./gate-metrics.ts";
import { GatedObject, type GatedObjectOwner, type GateParts, type Held } from "./gated-object.ts";

export interface GatedObjectsParts extends GateParts {
  /** What the server has. */
  readonly objects: UpkeptObjects;
  readonly events: Events;
  readonly metrics: GateMetrics;
  readonly logger: Logger;
}

type StageHandler = (of: ObjectReference, podUids: readonly string[]) => void;

/** Objects have as long in the kubelet. */
const SYNC_MS = 1000;

export class GatedObjects implements UpkeptObjects, ObjectStages, GatedObjectOwner {
  readonly parts: GatedObjectsParts;
  readonly #registrations = new Registrations();
  readonly #pods = new Map<string, Pod>();
  /** Those that somebody refers to and of which something is known. */
  readonly #objects = new Map<string, GatedObject>();
  /** What is held, and which pods have been told of it. */
  readonly #held = new Map<GatedObject, { readonly held: Held; readonly told: Set<string> }>();
  readonly #changeHandlers = new Set<{ readonly handle: ObjectChangeHandler }>();
  readonly #stageHandlers = new Set<{ readonly handle: StageHandler }>();
  readonly #life = new AbortController();
  readonly #known = Promise.withResolvers<void>();

  constructor(parts: GatedObjectsParts) {
    this.parts = parts;
    parts.objects.onChange(({ object, ...of }) => this.#of(of)?.observe(object));
    parts.policies.onChange((namespace) => {
      for (const one of this.#objects.values()) {
        if (namespace === undefined || one.reference.namespace === namespace) one.judge();
      }
      this.#known.resolve();
    });
  }

  get signal(): AbortSignal {
    return this.#life.signal;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { objects, policies, clock } = this.parts;
    try {
      await new RunGroup({
        parts: [
          { name: "policies", run: (one) => policies.run(one) },
          { name: "objects", run: (one) => objects.run(one) },
        ],
        clock,
        stopTimeoutMs: 5000,
      }).run(signal);
    } finally {
      this.#life.abort(new DOMException("The agent ends", "AbortError"));
      await this.parts.notes.flushed();
    }
  }

  register(pod: Pod): void {
    this.#pods.set(pod.metadata.uid ?? "", pod);
    this.#forget(this.#registrations.register(pod).forgotten);
    this.parts.objects.register(pod);
  }

  unregister(podUid: string): void {
    this.#pods.delete(podUid);
    this.#forget(this.#registrations.unregister(podUid));
    this.parts.objects.unregister(podUid);
    for (const { told } of this.#held.values()) told.delete(podUid);
  }

  invalidate(podUid: string): void {
    this.parts.objects.invalidate(podUid);
  }

  async get(of: ObjectReference, options: GetOptions): Promise<ConfigObject> {
    const { signal, podUid } = options;
    let failure: unknown;
    let object: ConfigObject | undefined;
    try {
      object = await this.parts.objects.get(of, options);
    } catch (err) {
      if (!isNotFound(err)) throw err;
      failure = err;
    }
    const one = this.#of(of);
    if (one === undefined) throw new NotRegisteredError(of);
    this.#noteRead(one, object);
    await this.#policiesKnown(signal);
    try {
      const admitted = await one.read(signal);
      if (admitted !== undefined) return admitted;
    } finally {
      this.#tellPod(one, podUid);
    }
    const { kind, name } = of;
    throw failure ?? notFound({ ...resourceKinds[kind], resource: kind.toLowerCase() }, name);
  }

  peek(of: ObjectReference): ConfigObject | "unknown" | undefined {
    const known = this.parts.objects.peek(of);
    if (known === "unknown") return known;
    const one = this.#of(of);
    one?.observe(known);
    return one === undefined ? "unknown" : one.current;
  }

  onChange(handle: ObjectChangeHandler): Disposable {
    const handler = { handle };
    this.#changeHandlers.add(handler);
    return { [Symbol.dispose]: () => this.#changeHandlers.delete(handler) };
  }

  async recheck(signal: AbortSignal): Promise<void> {
    // Checks that did not end are made again, and what no policy holds any more is let through.
    for (const one of [...this.#held.keys()]) one.judge();
    await this.parts.objects.recheck(signal);
  }

  get oldestStalenessMs(): number {
    return this.parts.objects.oldestStalenessMs;
  }

  stage(of: ObjectReference): ObjectStage | undefined {
    return this.#objects.get(referenceKey(of))?.stage;
  }

  usedVersions(
    of: ObjectReference,
    keys: readonly string[] | undefined,
    uid?: string,
  ): { readonly wanted: string | undefined; readonly admitted: string | undefined } {
    const one = this.#objects.get(referenceKey(of));
    const current = one?.current;
    return {
      wanted: one?.wanted?.versionOf(keys, uid),
      admitted: current === "unknown" ? undefined : current?.versionOf(keys, uid),
    };
  }

  onStage(handle: StageHandler): Disposable {
    const handler = { handle };
    this.#stageHandlers.add(handler);
    return { [Symbol.dispose]: () => this.#stageHandlers.delete(handler) };
  }

  /** For its objects. */
  admitted(one: GatedObject, isAnother: boolean): void {
    const { kind, namespace, name } = one.reference;
    const object = one.current === "unknown" ? undefined : one.current;
    const change: ObjectChange = { kind, namespace, name, object, isAnother };
    this.#tell(this.#changeHandlers, change);
    this.stageChanged(one);
  }

  /** For its objects. */
  held(one: GatedObject, held: Held): void {
    const { metrics, logger } = this.parts;
    const { kind, namespace, name } = one.reference;
    // Of a pause pods are told once, however many contents it holds.
    const before = held.reason === "RolloutHeld" ? this.#held.get(one) : undefined;
    const isSamePause = before?.held.reason === held.reason;
    this.#held.set(one, { held, told: isSamePause ? before.told : new Set() });
    this.#count();
    const version = held.version?.slice(0, SHORT_VERSION_DIGITS);
    const fields = { kind, namespace, name, version, why: held.message };
    if (held.refusal === undefined) logger.info("new content waits", fields);
    else {
      metrics.rejections.inc({ reason: held.refusal.kind });
      logger.warn("new content was refused", fields);
    }
    for (const podUid of this.#registrations.podUids(one.reference)) this.#tellPod(one, podUid);
  }

  /** For its objects. */
  stageChanged(one: GatedObject): void {
    if (one.held === undefined && this.#held.delete(one)) {
      const { kind, namespace, name } = one.reference;
      this.parts.logger.info("content is let through again", { kind, namespace, name });
      this.#count();
    }
    this.#tell(this.#stageHandlers, one.reference);
  }

  /** Undefined: nobody refers to it. */
  #of(reference: ObjectReference): GatedObject | undefined {
    const key = referenceKey(reference);
    const known = this.#objects.get(key);
    if (known !== undefined || this.#registrations.references(reference) === 0) return known;
    const { kind, namespace, name } = reference;
    const made = new GatedObject({ kind, namespace, name }, this);
    this.#objects.set(key, made);
    return made;
  }

  /** What a read brings may be newer than what was told of, and it may have been overtaken. */
  #noteRead(one: GatedObject, object: ConfigObject | undefined): void {
    const known = this.parts.objects.peek(one.reference);
    if (known !== "unknown") one.observe(known);
    else if (!isOlderVersion(object?.resourceVersion, one.wanted?.resourceVersion)) {
      one.observe(object);
    }
  }

  async #policiesKnown(signal: AbortSignal): Promise<void> {
    const { policies, clock } = this.parts;
    if (policies.choosing({ kind: "ConfigMap", namespace: "", labels: {} }) !== undefined) return;
    using limit = deadline({ clock, timeoutMs: SYNC_MS, signal });
    const { promise, resolve } = Promise.withResolvers<void>();
    limit.signal.addEventListener("abort", () => resolve(), { once: true });
    await Promise.race([this.#known.promise, promise]);
    signal.throwIfAborted();
  }

  /** Once for each content that is held. */
  #tellPod(one: GatedObject, podUid: string): void {
    const entry = this.#held.get(one);
    const pod = this.#pods.get(podUid);
    if (entry === undefined || pod === undefined || entry.told.has(podUid)) return;
    entry.told.add(podUid);
    const { reason, message, version } = entry.held;
    const { kind, name } = one.reference;
    const short = version === undefined ? "" : ` ${version.slice(0, SHORT_VERSION_DIGITS)}`;
    const type = reason === "GateRejected" ? "Warning" : "Normal";
    aboutPod(this.parts.events, pod)(
      type,
      reason,
      `${kind.toLowerCase()}/${name}${short}: ${message}`,
    );
  }

  #forget(references: readonly ObjectReference[]): void {
    for (const reference of references) {
      const key = referenceKey(reference);
      const one = this.#objects.get(key);
      this.#objects.delete(key);
      if (one !== undefined && this.#held.delete(one)) this.#count();
      this.parts.notes.drop(reference);
    }
  }

  #count(): void {
    this.parts.metrics.held([...this.#held.values()].map(({ held }) => held));
  }

  #tell<T extends ObjectReference>(
    handlers: Iterable<{ readonly handle: (news: T, podUids: readonly string[]) => void }>,
    news: T,
  ): void {
    const podUids = this.#registrations.podUids(news);
    for (const { handle } of handlers) {
      try {
        handle(news, podUids);
      } catch (err) {
        const { kind, namespace, name } = news;
        this.parts.logger.error("handler failed", { err, kind, namespace, name });
      }
    }
  }
}
