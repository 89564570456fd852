// Which etcd we talk to. Only two things depend on it: whether it is too old for this store, and whether
// its answers to progress requests can be trusted (see watch-feed.ts).

/** Nothing older is tested, and 3.3 knows no progress requests, fragments or learners. */
export const OLDEST_VERSION = "3.4";

interface Version {
  readonly major: number;
  readonly minor: number;
  readonly patch: number;
}

export function isTooOld(version: string): boolean {
  const parsed = parse(version);
  return parsed !== undefined && (parsed.major < 3 || (parsed.major === 3 && parsed.minor < 4));
}

/**
 * Whether the answer to a progress request is sent after the events that it speaks of. It is since 3.4.25
 * and 3.5.8 (etcd-io/etcd#15220). A version that cannot be read is not trusted.
 */
export function sendsProgressInOrder(version: string): boolean {
  const parsed = parse(version);
  if (parsed === undefined || isTooOld(version)) {
    return false;
  }
  const { major, minor, patch } = parsed;
  if (major > 3 || minor > 5) {
    return true;
  }
  return minor === 5 ? patch >= 8 : patch >= 25;
}

function parse(version: string): Version | undefined {
  const match = /^v?(\d+)\.(\d+)\.(\d+)/.exec(version);
  return match === null
    ? undefined
    : { major: Number(match[1]), minor: Number(match[2]), patch: Number(match[3]) };
}
