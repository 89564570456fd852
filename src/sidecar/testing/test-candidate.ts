// Candidates made of texts, for tests.

import { candidateVersion } from "../compose.ts";
import type { Candidate, CandidateFile } from "../publisher.ts";

export function testCandidate(
  texts: Readonly<Record<string, string>>,
  access: Partial<Pick<CandidateFile, "mode" | "owner" | "isSecret">> = {},
): Candidate {
  const files = new Map<string, CandidateFile>();
  for (const [path, text] of Object.entries(texts)) {
    files.set(path, { data: Buffer.from(text), mode: 0o644, owner: undefined, ...access });
  }
  return { files, version: candidateVersion(files) };
}
