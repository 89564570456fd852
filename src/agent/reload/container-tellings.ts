// What one container was told and is to be told, volume by volume. Compares states, so it does not matter which changes were seen: what the
// container runs with (`told`) against what the volume shows now. Between the two stand the actions that the difference asks for (a telling).

import { isDeepStrictEqual } from "node:util";
import { parseReloadWish, reloadWishLabel } from "../../api/config/reload-action.ts";
import type { Pod } from "../../api/types.ts";
import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/logger.ts";
import type { ProcessIdentity } from "../../mounts/process-calls.ts";
import type { ContainerStatus } from "../../runtime/runtime.ts";
import type { VolumeUse } from "../sub-path/volume-use.ts";
import type { NodeReload } from "../views/view-sources.ts";
import type { VolumeContent } from "../volumes/volume-plugin.ts";
import { readTold, removeTold, type TriedActions, writeTold } from "./told-file.ts";
import { changesBetween, type VolumeDigest } from "./volume-digest.ts";
import {
  asksForSomething,
  isNodeAction,
  type NodeAction,
  wantedActions,
} from "./wanted-actions.ts";

export interface ContainerTellingsOptions {
  readonly status: ContainerStatus;
  /** Its first. */
  readonly process: ProcessIdentity;
  /** Of config volumes, as far as the container sees their changes. */
  readonly uses: readonly VolumeUse[];
  readonly file: string;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** One thing to be done for one volume. */
export interface PendingAction {
  readonly volume: string;
  readonly version: string;
  readonly text: string;
  readonly action: NodeAction;
}

interface VolumeState {
  /** Undefined: nobody knows. */
  told: VolumeDigest | undefined;
  /** Since `told`: they may have had their effect, whatever was said of them. */
  tried: TriedActions | undefined;
  telling: Telling | undefined;
  last: NodeReload | undefined;
}

interface Telling {
  readonly digest: VolumeDigest;
  readonly actions: ReadonlyMap<string, NodeAction>;
  /** Of the pod, that ask for them. */
  readonly annotations: Readonly<Record<string, string>>;
}

export interface ShownVolume {
  readonly pod: Pod;
  readonly content: VolumeContent;
  readonly digest: () => VolumeDigest;
}

export class ContainerTellings {
  readonly #options: ContainerTellingsOptions;
  readonly #volumes = new Map<string, VolumeState>();
  /** The file says what is known here. */
  #isKept = false;
  #hasComplained = false;

  constructor(options: ContainerTellingsOptions) {
    this.#options = options;
    const kept = readTold(options.file);
    this.#isKept = kept !== undefined;
    for (const { volume, version } of options.uses) {
      const started = version === undefined ? undefined : { version, objects: undefined };
      const { told = started, tried, last } = kept?.[volume] ?? {};
      this.#volumes.set(volume, { told, tried, last, telling: undefined });
    }
  }

  get status(): ContainerStatus {
    return this.#options.status;
  }

  get process(): ProcessIdentity {
    return this.#options.process;
  }

  get volumes(): readonly string[] {
    return [...this.#volumes.keys()];
  }

  /** Of all that is to be told now. */
  get pending(): readonly PendingAction[] {
    return [...this.#volumes].flatMap(([volume, { telling, tried }]) => {
      if (telling === undefined) return [];
      const { version } = telling.digest;
      const done = tried?.version === version ? tried.done : [];
      return [...telling.actions]
        .filter(([text]) => !done.includes(text))
        .map(([text, action]) => ({ volume, version, text, action }));
    });
  }

  get reports(): readonly NodeReload[] {
    return [...this.#volumes.values()].flatMap(({ last }) => last ?? []);
  }

  /**
   * What the volume shows now, which may be what it showed before, and what the pod asks for now. `digest` is asked for only if somebody wants
   * to know.
   */
  shows(volume: string, of: ShownVolume): void {
    const state = this.#volumes.get(volume);
    const { version } = of.content;
    if (state === undefined || version === undefined) return;
    const { told, tried, telling } = state;
    if (telling !== undefined && isStillTrue(telling, of)) return;
    if (told?.version === version && tried === undefined) {
      this.#nothingToTell(state, of);
    } else if (tried === undefined && !asksForSomething(of.pod)) {
      this.#runsWith(state, { version, objects: undefined }, { isUntouched: false });
      if (this.#isKept) this.#keep();
    } else {
      this.#differs(volume, state, of);
    }
  }

  /** An action is about to be tried. */
  trying({ volume, version, text }: Omit<PendingAction, "action">): void {
    const state = this.#volumes.get(volume);
    if (state?.telling?.digest.version !== version) return;
    const before = state.tried;
    if (before?.version === version && before.actions.includes(text)) return;
    const done = before?.version === version ? before.done : [];
    const actions = [...new Set([...(before?.actions ?? []), text])];
    state.tried = { version, actions, done };
    this.#keep();
  }

  succeeded({ volume, version, text }: Omit<PendingAction, "action">, attempts: number): void {
    const state = this.#volumes.get(volume);
    const { telling, tried } = state ?? {};
    // Something else is shown meanwhile: that is to be told now.
    if (state === undefined || telling?.digest.version !== version || tried === undefined) return;
    state.tried = { ...tried, done: [...new Set([...tried.done, text])] };
    if (this.pending.every((one) => one.volume !== volume)) {
      this.#report(volume, state, { result: "Succeeded", message: "", attempts });
      state.told = telling.digest;
      state.tried = undefined;
      state.telling = undefined;
    }
    this.#keep();
  }

  failed(
    { volume, version }: Omit<PendingAction, "action">,
    { message, attempts }: { readonly message: string; readonly attempts: number },
  ): void {
    const state = this.#volumes.get(volume);
    if (state?.telling?.digest.version !== version) return;
    this.#report(volume, state, { result: "Failing", message, attempts });
  }

  /** The container has ended. */
  forget(): void {
    try {
      removeTold(this.#options.file);
    } catch (err) {
      // It goes with the pod.
      this.#options.logger.warn("cannot remove what a container was told", { err });
    }
  }

  #differs(volume: string, state: VolumeState, of: ShownVolume): void {
    const { pod } = of;
    const digest = of.digest();
    const { actions, isUntouched } = this.#wanted(volume, { state, digest, pod });
    if (actions.size > 0) {
      state.telling = { digest, actions, annotations: pod.metadata.annotations ?? {} };
      this.#report(volume, state, { result: "Pending", message: "", attempts: 0 });
    } else {
      this.#runsWith(state, digest, { isUntouched });
      this.#keep();
    }
  }

  /** Nobody was told, and nobody need be. Who sees new files by himself confirms nothing. */
  #runsWith(
    state: VolumeState,
    digest: VolumeDigest,
    { isUntouched }: { readonly isUntouched: boolean },
  ): void {
    const { version } = digest;
    const { last } = state;
    state.telling = undefined;
    state.told = digest;
    state.tried = undefined;
    state.last = isUntouched && last?.result === "Succeeded" ? { ...last, version } : undefined;
  }

  /** What the difference asks for, and what was tried on the way to another version that is not shown any more. */
  #wanted(
    volume: string,
    of: { readonly state: VolumeState; readonly digest: VolumeDigest; readonly pod: Pod },
  ): ReturnType<typeof wantedActions> {
    const { state, digest, pod } = of;
    const { status, uses } = this.#options;
    const here = uses.filter((use) => use.volume === volume);
    const liveAt = new Set(here.filter(({ isLive }) => isLive).map(({ mountPath }) => mountPath));
    const changes = changesBetween(state.told, digest);
    const wanted = wantedActions({ pod, container: status.name, volume, changes, liveAt });
    const { tried } = state;
    if (tried === undefined || tried.version === digest.version) return wanted;
    const again = tried.actions.flatMap((text): (readonly [string, NodeAction])[] => {
      const action = parseReloadWish(text);
      return typeof action === "object" && isNodeAction(action) ? [[text, action]] : [];
    });
    return { ...wanted, actions: new Map([...again, ...wanted.actions]) };
  }

  /** It shows what the container runs with; from the beginning, or again. */
  #nothingToTell(state: VolumeState, { pod, digest }: ShownVolume): void {
    if (state.telling !== undefined) {
      state.telling = undefined;
      state.last = undefined;
    }
    const isKnown = state.told?.objects?.every(({ keys }) => keys !== undefined) === true;
    if (isKnown || !asksForSomething(pod)) return;
    state.told = digest();
    this.#keep();
  }

  #report(
    volume: string,
    state: VolumeState,
    of: Pick<NodeReload, "result" | "message" | "attempts">,
  ): void {
    const { status, clock } = this.#options;
    const { telling } = state;
    state.last = {
      ...{ container: status.name, volume, version: telling?.digest.version ?? "", ...of },
      action: [...(telling?.actions.values() ?? [])].map(reloadWishLabel).join(", "),
      atMs: clock.now(),
    };
  }

  #keep(): void {
    const { file, logger } = this.#options;
    try {
      writeTold(
        file,
        Object.fromEntries(
          [...this.#volumes].map(([volume, { told, tried, last }]) => [
            volume,
            { told, tried, last: last?.result === "Succeeded" ? last : undefined },
          ]),
        ),
      );
      this.#isKept = true;
    } catch (err) {
      logger[this.#hasComplained ? "debug" : "warn"]("cannot keep what a container was told", {
        path: file,
        err,
      });
      this.#hasComplained = true;
    }
  }
}

function isStillTrue({ digest, annotations }: Telling, { pod, content }: ShownVolume): boolean {
  return (
    digest.version === content.version &&
    isDeepStrictEqual(annotations, pod.metadata.annotations ?? {})
  );
}
