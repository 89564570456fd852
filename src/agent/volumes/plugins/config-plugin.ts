// What configMap, secret, downwardAPI and projected volumes have in common: collect what the content is made of, make the payload,
// show it. What differs is a Recipe.
//
// Between a change and its rename nothing is awaited if the object manager knows everything already: `setUp` then runs to its end in
// the call. All ingredients are taken in one go, so that objects which changed together are swapped together.

import { isNotFound } from "../../../api/status-error.ts";
import type { Pod, Volume } from "../../../api/types.ts";
import type { Payload } from "../../../files/payload.ts";
import type { VolumePlace } from "../../agent-paths.ts";
import {
  ConfigObject,
  type ObjectReference,
  type ObjectVersion,
  referenceKey,
} from "../../objects/config-object.ts";
import type { ObjectManager } from "../../objects/object-manager.ts";
import {
  type HeldToken,
  type TokenDemand,
  type TokenManager,
  tokenKey,
} from "../../tokens/token-manager.ts";
import type { VolumeContent, VolumePlugin, VolumeToMount } from "../volume-plugin.ts";
import { ConfigVolume, type ConfigVolumeParts, type Medium } from "./config-volume.ts";
import { objectNotFound } from "./key-files.ts";
import type { ProjectedIngredients } from "./projected-files.ts";
import { removeVolume } from "./volume-directory.ts";

export interface ConfigPluginParts extends ConfigVolumeParts {
  readonly objects: ObjectManager;
  readonly tokens: TokenManager;
}

export interface Recipe {
  readonly name: string;
  readonly medium: Medium;
  supports(volume: Volume): boolean;
  references(volume: Volume, pod: Pod): readonly ObjectReference[];
  /** Missing if there never are any. */
  tokens?(volume: Volume, pod: Pod): readonly TokenDemand[];
  /** Throws with the original's text. The warnings are for whoever runs the agent. */
  payload(volume: Volume, ingredients: ProjectedIngredients): Mixed;
}

export interface Mixed {
  readonly payload: Payload;
  readonly warnings?: readonly string[];
}

/** What came for everything that was asked for; a failure concerns only the source that needs it. */
interface Collected {
  readonly objects: ReadonlyMap<string, ConfigObject | Failure>;
  readonly tokens: ReadonlyMap<string, HeldToken | Failure>;
}

class Failure {
  readonly reason: unknown;

  constructor(reason: unknown) {
    this.reason = reason;
  }
}

interface Known {
  readonly volume: ConfigVolume;
  /** What the payload was made of the last time: the same things make the same payload. */
  last: { readonly ingredients: readonly unknown[]; readonly mixed: Mixed } | undefined;
}

export class ConfigPlugin implements VolumePlugin {
  readonly name: string;
  readonly requiresRemount = true;
  readonly #recipe: Recipe;
  readonly #parts: ConfigPluginParts;
  /** By path. Those that were shown in this life of the agent: for all others nothing is known of what is fresh. */
  readonly #known = new Map<string, Known>();

  constructor(recipe: Recipe, parts: ConfigPluginParts) {
    this.name = recipe.name;
    this.#recipe = recipe;
    this.#parts = parts;
  }

  supports(volume: Volume): boolean {
    return this.#recipe.supports(volume);
  }

  references(volume: Volume, pod: Pod): readonly ObjectReference[] {
    return this.#recipe.references(volume, pod);
  }

  async setUp(volume: VolumeToMount, signal: AbortSignal): Promise<VolumeContent> {
    const { pod, spec } = volume;
    const path = this.#parts.paths.volume(volume);
    const known = this.#known.get(path) ?? {
      volume: new ConfigVolume(volume, this.#recipe.medium, this.#parts),
      last: undefined,
    };
    const wanted = {
      references: this.#recipe.references(spec, pod),
      demands: this.#recipe.tokens?.(spec, pod) ?? [],
      isFirst: !this.#known.has(path),
    };
    const { podUid } = volume;
    const collected =
      peekAll(wanted, this.#parts) ?? (await askAll(wanted, this.#parts, { podUid, signal }));
    const mixed = this.#mix(known, volume, collected);
    const result = await known.volume.show(mixed.payload, pod);
    this.#known.set(path, known);
    const hasChanged = result.outcome !== "unchanged";
    if (hasChanged) this.#warn(volume, mixed);
    return {
      path,
      isReadOnly: true,
      hasChanged,
      versions: versionsOf(collected),
      version: result.version,
      refreshAfterMs: this.#refreshAfterMs(known, collected),
    };
  }

  async tearDown(place: VolumePlace): Promise<void> {
    this.#known.delete(this.#parts.paths.volume(place));
    this.#parts.followers?.removed?.(place);
    if (this.#recipe.tokens) this.#parts.tokens.forgetPod(place.podUid);
    await removeVolume(place, this.#parts);
  }

  #mix(known: Known, { pod, spec }: VolumeToMount, { objects, tokens }: Collected): Mixed {
    const { allocatable } = this.#parts.node();
    const ingredients = [pod, spec, allocatable, ...objects.values(), ...tokens.values()];
    if (known.last && areSame(known.last.ingredients, ingredients)) return known.last.mixed;
    const mixed = this.#recipe.payload(spec, {
      pod,
      allocatable,
      read: (of) => taken(objects.get(referenceKey(of))),
      token: (demand) => taken(tokens.get(tokenKey(demand))).token.reveal(),
    });
    known.last = { ingredients, mixed };
    return mixed;
  }

  #warn({ pod, volume }: VolumeToMount, { warnings = [] }: Mixed): void {
    const { namespace, name } = pod.metadata;
    for (const clash of warnings) {
      this.#parts.logger.warn("volume has two files for one path", {
        ...{ namespace, pod: name, volume, clash },
      });
    }
  }

  #refreshAfterMs({ volume }: Known, { tokens }: Collected): number | undefined {
    const nowMs = this.#parts.clock.now();
    const sweepMs = volume.sweepDueMs();
    const due = sweepMs === undefined ? [] : [sweepMs];
    for (const token of tokens.values()) {
      // A token is due after its time, not at it.
      if (!(token instanceof Failure)) due.push(token.refreshMs - nowMs + 1);
    }
    return due.length === 0 ? undefined : Math.max(0, Math.ceil(Math.min(...due)));
  }
}

interface Wanted {
  readonly references: readonly ObjectReference[];
  readonly demands: readonly TokenDemand[];
  /** A volume's first content is fresh, even if another pod has had the same objects for long. */
  readonly isFirst: boolean;
}

type Sources = Pick<ConfigPluginParts, "objects" | "tokens">;

/** Everything as it is at this instant, or nothing if something is not known. */
function peekAll(wanted: Wanted, { objects, tokens }: Sources): Collected | undefined {
  const { references, demands, isFirst } = wanted;
  if (isFirst && references.length > 0) return undefined;
  const found = new Map<string, ConfigObject | Failure>();
  for (const of of references) {
    const object = objects.peek(of);
    if (object === "unknown") return undefined;
    found.set(referenceKey(of), object ?? new Failure(objectNotFound(of)));
  }
  const held = new Map<string, HeldToken>();
  for (const demand of demands) {
    const token = tokens.peek(demand);
    if (token === undefined) return undefined;
    held.set(tokenKey(demand), token);
  }
  return { objects: found, tokens: held };
}

/**
 * Asks for everything and waits for all of it together; who knows an answer gives it at once. While we waited, objects may have
 * changed: what is known then counts. Throws only if the signal aborts.
 */
async function askAll(
  { references, demands, isFirst }: Wanted,
  { objects, tokens }: Sources,
  { podUid, signal }: { readonly podUid: string; readonly signal: AbortSignal },
): Promise<Collected> {
  const [answers, held] = await Promise.all([
    Promise.all(references.map((of) => settled(objects.get(of, { podUid, signal })))),
    Promise.all(demands.map((demand) => settled(tokens.get(demand, signal)))),
  ]);
  signal.throwIfAborted();
  const found = references.map((of, i) => {
    const answer = present(answers[i]);
    // What is known without an answer may be older than the pod.
    const known = isFirst && isRefused(answer) ? "unknown" : objects.peek(of);
    if (known === "unknown") return answer;
    return known ?? new Failure(objectNotFound(of));
  });
  return {
    objects: new Map(references.map((of, i) => [referenceKey(of), present(found[i])])),
    tokens: new Map(demands.map((demand, i) => [tokenKey(demand), present(held[i])])),
  };
}

async function settled<T>(work: Promise<T>): Promise<T | Failure> {
  try {
    return await work;
  } catch (err) {
    return new Failure(err);
  }
}

function present<T>(answer: T | undefined): T {
  if (answer === undefined) throw new Error("An answer is missing");
  return answer;
}

function taken<T>(answer: T | Failure | undefined): T {
  const found = present(answer);
  if (found instanceof Failure) throw found.reason;
  return found;
}

function versionsOf({ objects }: Collected): readonly ObjectVersion[] {
  const found = [...objects.values()].filter((object) => object instanceof ConfigObject);
  return found.map(({ asVersion }) => asVersion);
}

/** Of two failures, only that there is none of the object is the same twice. */
function areSame(some: readonly unknown[], others: readonly unknown[]): boolean {
  return (
    some.length === others.length &&
    some.every((one, i) => one === others[i] || (isMissing(one) && isMissing(others[i])))
  );
}

function isRefused(answer: ConfigObject | Failure): boolean {
  return answer instanceof Failure && !isMissing(answer);
}

function isMissing(ingredient: unknown): boolean {
  return ingredient instanceof Failure && isNotFound(ingredient.reason);
}
