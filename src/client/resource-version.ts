// Versions are opaque until two of one object are compared: then larger is newer, on every server whose versions are
// numbers. Where they are not, nothing is older than anything.

const NUMBER = /^(0|[1-9]\d*)$/;

/** Says whether `version` is surely older than `other`. */
export function isOlderVersion(version: string | undefined, other: string | undefined): boolean {
  if (version === undefined || other === undefined) return false;
  if (!NUMBER.test(version) || !NUMBER.test(other)) return false;
  return version.length === other.length ? version < other : version.length < other.length;
}
