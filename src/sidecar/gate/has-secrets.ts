// Whether anything of a set, or said about it, may be shown.

import type { Candidate, CandidateFile } from "../publisher.ts";

/** A file that only its owner may read counts as one, if nobody has said what it is made of. */
export function isSecretFile({
  isSecret,
  mode,
}: Pick<CandidateFile, "isSecret" | "mode">): boolean {
  return isSecret ?? (mode & 0o077) === 0;
}

export function hasSecrets({ files }: Candidate): boolean {
  return [...files.values()].some(isSecretFile);
}

/** For logs and terminals; undefined for a set with secrets: the hash of a short one can be guessed. */
export function shownVersion(candidate: Candidate): string | undefined {
  return hasSecrets(candidate) ? undefined : candidate.version;
}
