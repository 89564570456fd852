// How many seats a request takes: one, or more if it has to go through many objects.

/** As in the original. */
const OBJECTS_PER_SEAT = 100;
const MAX_WIDTH = 10;

export interface WidthQuestion {
  readonly verb: string;
  /** Of a list or watch of one object. */
  readonly isOne: boolean;
  /** How many objects there are of the kind. */
  readonly stored: number;
  /** How many are asked for at most; 0 for all. */
  readonly limit: number;
  /** Of a watch: whether it begins with all that is there. */
  readonly wantsState: boolean;
}

export function requestWidth({ verb, isOne, stored, limit, wantsState }: WidthQuestion): number {
  const goesThroughMany =
    verb === "list" || verb === "deletecollection" || (verb === "watch" && wantsState);
  if (!goesThroughMany || isOne) return 1;
  const objects = limit > 0 && verb === "list" ? Math.min(stored, limit) : stored;
  return Math.max(1, Math.min(MAX_WIDTH, Math.ceil(objects / OBJECTS_PER_SEAT)));
}
