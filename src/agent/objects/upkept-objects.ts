// What the agent itself asks of an object manager, besides what the parts ask that use objects: to be called from its own rounds.

import type { ObjectManager } from "./object-manager.ts";

export interface UpkeptObjects extends ObjectManager {
  /**
   * Looks after what no event tells of, such as a check that did not end in time and may do so now. Never throws for what the
   * server says: the next round comes.
   */
  recheck(signal: AbortSignal): Promise<void>;
  /** How long changes of some object could not be heard of; 0 if all can. Only Watch promises to hear of any. */
  readonly oldestStalenessMs: number;
}
