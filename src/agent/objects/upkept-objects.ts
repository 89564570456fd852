// What the agent itself asks of an object manager, besides what the parts ask that use objects: to be called from its own rounds.

import type { ObjectManager } from "./object-manager.ts";

export interface UpkeptObjects extends ObjectManager {
  /**
   * Looks after what no event tells of: Watch reads immutable objects again, which may have been deleted and made anew under
   * the same name. Never throws for what the server says: the next round comes.
   */
  recheck(signal: AbortSignal): Promise<void>;
  /**
   * This pod was changed: what it reads next is what the server has. Kubelets do so in Cache mode only when the time of what
   * they have is over; here any change of a pod, such as an annotation, brings its objects up to date.
   */
  invalidate(podUid: string): void;
  /** How long changes of some object could not be heard of; 0 if all can. Only Watch promises to hear of any. */
  readonly oldestStalenessMs: number;
}
