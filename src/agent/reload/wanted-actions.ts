// What a container is to be told when a volume of it has changed, by the pod's annotations. Pure.

import { type PodUse, podUses } from "../../api/config/pod-uses.ts";
import { type ReloadAction, reloadWishText } from "../../api/config/reload-action.ts";
import { type Effect, reloadRules } from "../../api/config/reload-rules.ts";
import type { Pod } from "../../api/types.ts";
import type { DigestChange } from "./volume-digest.ts";

/** What the node does itself. */
export type NodeAction = Extract<ReloadAction, { readonly type: "signal" | "http" | "exec" }>;

export interface ChangedVolume {
  readonly pod: Pod;
  readonly container: string;
  readonly volume: string;
  readonly changes: readonly DigestChange[];
  /** Where sub paths of it follow. */
  readonly liveAt: ReadonlySet<string>;
}

export interface Wanted {
  /** By their text, each once, in the order in which they are asked for. */
  readonly actions: ReadonlyMap<string, NodeAction>;
  /** Nothing that the container uses has changed. */
  readonly isUntouched: boolean;
}

/** No annotation is called so: a change of unknown keys follows the rule for all. */
const UNKNOWN_KEY = "";

export function wantedActions({ pod, container, volume, changes, liveAt }: ChangedVolume): Wanted {
  const rules = reloadRules({ workload: {}, pod: pod.metadata.annotations ?? {} });
  const uses = podUses(pod.spec).filter(
    (use) => use.container === container && use.volume === volume,
  );
  const effects = uses.flatMap((use) =>
    changes
      .filter(({ kind, name }) => kind === use.kind && name === use.name)
      .map(({ kind, name, keys }) =>
        rules.effectOf(
          use,
          { kind, name, annotations: {}, keys: keys ?? unknownKeys(use) },
          { subPathIsLive: liveAt.has(use.mountPath) },
        ),
      ),
  );
  const actions = new Map(
    effects
      .flatMap(allActions)
      .filter(isNodeAction)
      .map((action) => [reloadWishText(action), action] as const),
  );
  return { actions, isUntouched: effects.every(({ effect }) => effect === "nothing") };
}

/** Whether anything that the node could do is asked for at all. */
export function asksForSomething({ metadata: { annotations = {} } }: Pod): boolean {
  return reloadRules({ workload: {}, pod: annotations }).asksForSomething;
}

export function isNodeAction(action: { readonly type: string }): action is NodeAction {
  return action.type === "signal" || action.type === "http" || action.type === "exec";
}

function allActions({ action, actions }: Effect): readonly ReloadAction[] {
  return actions ?? (action === undefined ? [] : [action]);
}

function unknownKeys({ keys }: PodUse): readonly string[] {
  return keys ?? [UNKNOWN_KEY];
}
