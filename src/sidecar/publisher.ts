// From a composed set of files to a live one: gate, last good, publish. Crash-safe: whatever is killed when, what is live is a set that passed the gate.

/** The files of one candidate; made by compose.ts, pure. */
export interface Candidate {
  readonly files: ReadonlyMap<string, CandidateFile>;
  /** Content hash with modes. */
  readonly version: string;
}

export interface CandidateFile {
  readonly data: Uint8Array;
  readonly mode: number;
  readonly owner: { readonly uid: number; readonly gid: number } | undefined;
  /** Made of something secret: never shown, and neither is what a gate says about it. Missing: judged by the mode. */
  readonly isSecret?: boolean;
}

export type PublishResult =
  /** `leftOut`: files that could not be written, and why, where that stops no others. */
  | {
      readonly result: "published" | "unchanged";
      readonly version: string;
      readonly leftOut?: string;
    }
  /** What was live stays. */
  | {
      readonly result: "rejected" | "failed";
      readonly reason: string;
      /** The gate said no, or could not be asked; otherwise it could not be written. */
      readonly isByGate?: boolean;
    };

export interface Publisher {
  /** What is live, also from an earlier life; undefined before the first. */
  live(): { readonly version: string } | undefined;
  /** Judges and publishes; one at a time; a rejected version is not judged again until something changes. */
  publish(candidate: Candidate, signal: AbortSignal): Promise<PublishResult>;
}
