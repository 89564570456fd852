// Which keys differ between two snapshots.

import { FileSnapshot } from "./snapshot.js";

/** @import { ChangeSet } from "./index.d.ts" */

/**
 * @param {FileSnapshot | undefined} before undefined: everything is new
 * @param {FileSnapshot} after
 * @returns {ChangeSet}
 */
export function changeSet(before, after) {
  const added = [];
  const changed = [];
  for (const key of after.keys) {
    if (before === undefined || !before.has(key)) added.push(key);
    else if (!FileSnapshot.sameContent(before, after, key)) changed.push(key);
  }
  const removed = before === undefined ? [] : before.keys.filter((key) => !after.has(key));
  return {
    added: Object.freeze(added),
    changed: Object.freeze(changed),
    removed: Object.freeze(removed),
  };
}
