// What the agent itself asks of an object manager, besides what the parts ask that use objects: to be called from its own rounds.

import type { ObjectManager } from "./object-manager.ts";

export interface UpkeptObjects extends ObjectManager {
  /**
   * Looks after what no event tells of: Watch reads immutable objects again, which may have been deleted and made anew under
   * the same name. Never throws for what the server says: the next round comes.
   */
  recheck(signal: AbortSignal): Promise<void>;
  /** How long changes of some object could not be heard of; 0 if all can. Only Watch promises to hear of any. */
  readonly oldestStalenessMs: number;
}
